package ask_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
)

func input(t *testing.T, tool, raw string) (text, hash string) {
	t.Helper()
	in, err := hookinput.ReadTool(tool, []byte(raw))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, raw, err)
	}
	return in.Text(""), in.Hash()
}

func TestInputText(t *testing.T) {
	for _, c := range []struct{ name, tool, raw, want string }{
		{"command", "Bash", `{"command":"make -j2","description":"build","timeout":9}`, "make -j2"},
		{"nothing that matters is left out", "Bash",
			`{"command":"ls","dangerouslyDisableSandbox":true,"run_in_background":false}`,
			"ls\ndangerouslyDisableSandbox: true"},
		{"write", "Write", `{"file_path":"/a","content":"x\ny\n"}`, "/a\n+ x\n+ y"},
		{"write nothing", "Write", `{"file_path":"/a","content":""}`, "/a\n(an empty file)"},
		{"edit", "Edit", `{"file_path":"/a","old_string":"x","new_string":"y","replace_all":false}`, "/a\n- x\n+ y"},
		{"edit a part", "Edit", `{"file_path":"/a","old_string":"1\n2\n3\n4\n5\nx\n6",` +
			`"new_string":"1\n2\n3\n4\n5\ny\n6\n"}`,
			"/a\n  … 3 lines stay the same …\n  4\n  5\n- x\n+ y\n  6\n(a line break is added at the end)"},
		{"several edits", "MultiEdit",
			`{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"p","new_string":"q",` +
				`"replace_all":true}]}`,
			"/a\n1 of 2\n- x\n+ y\n2 of 2\n- p\n+ q\nreplace_all: true"},
		{"edits of another form", "MultiEdit", `{"file_path":"/a","edits":[{"old":"x"}]}`,
			"/a\nedits: [\n  {\n    \"old\": \"x\"\n  }\n]"},
		{"edit everywhere", "Edit", `{"file_path":"/a","old_string":"x","new_string":"","replace_all":true}`,
			"/a\n- x\nreplace_all: true"},
		{"notebook", "NotebookEdit", `{"notebook_path":"/n","new_source":"1","cell_id":"c"}`,
			"/n\n+ 1\ncell_id: \"c\""},
		{"read", "Read", `{"file_path":"/a"}`, "/a"},
		{"fetch", "WebFetch", `{"url":"https://x.example"}`, "https://x.example"},
		{"a tool that we do not know", "mcp__x__y", `{"b":[1],"a":"<&>"}`,
			"{\n  \"a\": \"<&>\",\n  \"b\": [\n    1\n  ]\n}"},
		{"a command that is not text", "Bash", `{"command":["rm"]}`, "{\n  \"command\": [\n    \"rm\"\n  ]\n}"},
		{"content that is not text", "Write", `{"file_path":"/a","content":7}`, "/a\n(an empty file)\ncontent: 7"},
		{"no object", "Bash", `null`, "null"},
		{"large numbers stay exact", "x", `12345678901234567890.10`, "12345678901234567890.10"},
		{"masked", "Bash", `{"command":"login --password hunter22"}`, "login --password •••"},
		{"made visible", "Bash", `{"command":"ls \u202egpj.exe\u0007"}`, "ls ⟨U+202E⟩gpj.exe⟨U+0007⟩"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := input(t, c.tool, c.raw); got != c.want {
				t.Errorf("have %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestInputHash(t *testing.T) {
	_, base := input(t, "Bash", `{"a":1,"b":"x"}`)
	if len(base) != 64 {
		t.Fatalf("have %q", base)
	}
	for _, raw := range []string{`{"b":"x","a":1}`, " { \"a\" : 1 , \"b\":\"\\u0078\" }\n"} {
		if _, hash := input(t, "Bash", raw); hash != base {
			t.Errorf("%s is the same value and has another hash", raw)
		}
	}
	seen := map[string]string{base: "the first"}
	for _, c := range [][2]string{
		{"Edit", `{"a":1,"b":"x"}`}, {"Bash", `{"a":1,"b":"x "}`}, {"Bash", `{"a":"1","b":"x"}`},
		{"Bash", `{"a":2,"b":"x"}`},
		{"Bash", `{"a":1}`}, {"Bash", `{"a":1,"b":"x","c":null}`}, {"Bash", `[]`}, {"Bash", `{}`},
		{"Bash", `null`}, {"Bash", `""`},
		{"Bash", `9007199254740992`}, {"Bash", `9007199254740993`},
	} {
		_, hash := input(t, c[0], c[1])
		if other, ok := seen[hash]; ok {
			t.Errorf("%v has the hash of %s", c, other)
		}
		seen[hash] = strings.Join(c[:], " ")
	}
}

// TestInputHashSeesSecrets checks that two calls that differ only in a masked part have
// different hashes.
func TestInputHashSeesSecrets(t *testing.T) {
	oneText, one := input(t, "Bash", `{"command":"x --token aaaaaaaa1"}`)
	twoText, two := input(t, "Bash", `{"command":"x --token aaaaaaaa2"}`)
	if oneText != twoText || one == two {
		t.Errorf("have %q %q and %q %q", oneText, one, twoText, two)
	}
}

func TestInputRefuses(t *testing.T) {
	for _, raw := range []string{
		"", " ", "{", `{"a":}`, `{"a":1}x`, `{} {}`, "\x00", "'a'", strings.Repeat("[", 20000),
	} {
		if in, err := hookinput.ReadTool("Bash", []byte(raw)); err == nil || in.Bound != nil {
			t.Errorf("%.20q: have %+v, %v", raw, in, err)
		}
	}
}

func TestInputIsBounded(t *testing.T) {
	raw, err := json.Marshal(map[string]string{"command": "echo start " + strings.Repeat("ü", 1<<20) + " end"})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := input(t, "Bash", string(raw))
	if len(text) > 128<<10 || !strings.HasPrefix(text, "echo start ü") || !strings.HasSuffix(text, "ü end") ||
		!utf8.ValidString(text) {
		t.Errorf("have %d bytes: %.20q", len(text), text)
	}
	if want := "of 2097167 bytes left out"; !strings.Contains(text, want) {
		t.Errorf("it does not say %q", want)
	}
}

// TestInputCutsNoSecret checks that no part of a secret is shown where a huge text is cut.
func TestInputCutsNoSecret(t *testing.T) {
	const cut = 96 << 10 // where the text is cut before it is masked
	token := "ghp_" + strings.Repeat("Zq9", 12)
	end := " " + token + strings.Repeat("-", cut-20)
	text := strings.Repeat("-", cut-20) + " " + token + strings.Repeat("- ", 64<<10) + end
	raw, err := json.Marshal(map[string]string{"command": text})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := input(t, "Bash", string(raw)); strings.Contains(got, "Zq9") {
		t.Errorf("half of a secret shows")
	}
}

func FuzzInput(f *testing.F) {
	f.Add("Bash", []byte(`{"command":"ls"}`))
	f.Add("Edit", []byte(`{"file_path":1,"new_string":[null]}`))
	f.Fuzz(func(t *testing.T, tool string, raw []byte) {
		in, err := hookinput.ReadTool(tool, raw)
		if !json.Valid(raw) {
			if err == nil {
				t.Fatalf("%q is not JSON and was taken", raw)
			}
			return
		}
		text, hash := in.Text(""), in.Hash()
		if err == nil && (len(hash) != 64 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\u202e")) {
			t.Fatalf("%q: %q %q", raw, text, hash)
		}
	})
}

func TestElide(t *testing.T) {
	for _, c := range []struct {
		text  string
		max   int
		whole bool
	}{{"", 0, true}, {"abc", 3, true}, {"abcd", 3, false}, {strings.Repeat("é", 50), 33, false}} {
		got := ask.Elide(c.text, c.max)
		if (got == c.text) != c.whole || !utf8.ValidString(got) {
			t.Errorf("%q at %d: %q", c.text, c.max, got)
		}
	}
}

// TestInputShowsNoSecret checks that a secret is masked in any form, tool and field.
func TestInputShowsNoSecret(t *testing.T) {
	raw, err := os.ReadFile("../../redact/testdata/credentials.json")
	var forms []string
	if err == nil {
		err = json.Unmarshal(raw, &forms)
	}
	if err != nil {
		t.Fatal(err)
	}
	const fake = "Fake0Fake1Fake2Fake3Fake4Fake5Fake6Fake7"
	for _, form := range forms {
		form = strings.ReplaceAll(form, "FAKE", fake)
		two := "before\n" + form + "\nafter"
		for _, c := range []struct {
			tool  string
			input any
			old   string
		}{
			{"Bash", map[string]any{"command": form}, ""},
			{"Bash", map[string]any{"command": "cat > .env <<'END'\n" + two + "\nEND\n"}, ""},
			{"Write", map[string]any{"file_path": "/p/.env", "content": form}, ""},
			{"Write", map[string]any{"file_path": "/p/.env", "content": "new\n" + form}, "old\n" + form},
			{"Write", map[string]any{"file_path": "/p/.env", "content": "nothing"}, two},
			{"Edit", map[string]any{"file_path": "/p/.env", "old_string": form, "new_string": "x"}, ""},
			{"Edit", map[string]any{"file_path": "/p/.env", "old_string": "x", "new_string": two}, ""},
			{"MultiEdit", map[string]any{"file_path": "/p/.env",
				"edits": []any{map[string]any{"old_string": "x", "new_string": form}}}, ""},
			{"NotebookEdit", map[string]any{"notebook_path": "/p/n", "new_source": two}, ""},
			{"mcp__a__b", map[string]any{"text": form, "deep": []any{map[string]any{"more": two}}}, ""},
			{"WebFetch", map[string]any{"url": "https://x.example", "prompt": form}, ""},
			{"ExitPlanMode", map[string]any{"plan": two}, ""},
		} {
			in, err := json.Marshal(c.input)
			if err != nil {
				t.Fatal(err)
			}
			read, err := hookinput.ReadTool(c.tool, in)
			text := read.Text(c.old)
			if err != nil || strings.Contains(text, fake) || strings.Contains(text, "Fake7") ||
				strings.Contains(text, "00fa4e") {
				t.Errorf("%s of %q shows\n%s\n%v", c.tool, form, text, err)
			}
		}
	}
}

// The host adds the answers to the call's input before it reports the call.
func TestQuestionIsBoundWithoutItsAnswers(t *testing.T) {
	hash := func(raw string) string { _, h := input(t, "AskUserQuestion", raw); return h }
	asked := `{"questions":[{"question":"Which?","options":[]}]`
	if hash(asked+`}`) != hash(asked+`,"answers":{"Which?":"this"},"annotations":{}}`) {
		t.Error("an answered question is another call")
	}
	if hash(asked+`}`) == hash(strings.Replace(asked, "Which", "What", 1)+`}`) {
		t.Error("two questions are one call")
	}
}

func TestPlanIsShownWhole(t *testing.T) {
	plan := strings.Repeat("a line of the plan\n", 5000)
	raw, _ := json.Marshal(map[string]any{"plan": plan, "planFilePath": "/home/ann/.claude/plans/x.md",
		"allowedPrompts": []string{"run anything"}})
	text, _ := input(t, "ExitPlanMode", string(raw))
	if strings.Count(text, "a line of the plan") != 5000 {
		t.Errorf("%d bytes of %d", len(text), len(plan))
	}
	if !strings.Contains(text, "run anything") || strings.Contains(text, "/home/ann") {
		t.Error("the rest of the input is not shown, or the file is")
	}
}

// TestHashesStay checks that the hashes do not change, because stored asks and grants are
// found by them.
func TestHashesStay(t *testing.T) {
	for _, c := range [][3]string{
		{"Bash", `{"command":"make -j2","description":"build","timeout":9}`,
			"d61e0dff76b4b184aa20dea7475f85951bbf0e7da9444406b2637295dc060395"},
		{"Edit", `{"file_path":"/a","old_string":"x","new_string":"<y>","replace_all":true}`,
			"4118f34942f3fde2a05987538a562b24f3546410386e10b3e7d931f25868a197"},
		{"AskUserQuestion", `{"questions":[{"question":"Which?","options":[{"label":"a"}]}],"answers":{"Which?":"a"}}`,
			"ffde3700f0641f7b57638b3043aa30c9f719d5a4b6562ab6a1edf154a4f80961"},
		{"ExitPlanMode", `{}`,
			"ee2729512f6eddcfc5934d897a76d8de7b8d3865f81759ef44809705b5d949c0"},
		{"mcp__x__y", `{"b":[1.50,12345678901234567890],"a":null}`,
			"3bcd05eddddd031295a66f38da4ba72a260d75f5a5bd5f769fc23c67e028575f"},
	} {
		if _, hash := input(t, c[0], c[1]); hash != c[2] {
			t.Errorf("%s %s: %s, want %s", c[0], c[1], hash, c[2])
		}
	}
	a, err := newElicitation(elicit(`"a":{"type":"string"},"b":{"type":"boolean"}`, `"a"`))
	if want := "8c6e0ca497b5a9c58e37a92d6862c7f8ddf1d21ce72222ee916598053b65b9b7"; err != nil || a.Hash != want {
		t.Errorf("a request of a server: %s, %v; want %s", a.Hash, err, want)
	}
}
