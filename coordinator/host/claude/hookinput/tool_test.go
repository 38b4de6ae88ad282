package hookinput_test

import (
	"errors"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
)

func TestQuestions(t *testing.T) {
	all, err := hookinput.Questions([]byte(`{"questions":[
		{"question":"Which store?","header":"Store","options":[{"label":"SQLite","description":"one file"}]},
		{"question":"Which checks?","multiSelect":true}]}`))
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	first, second := all[0], all[1]
	if first.Text != "Which store?" || first.Header != "Store" || first.Multi || len(first.Options) != 1 ||
		first.Options[0] != (ask.Option{Label: "SQLite", Description: "one file"}) {
		t.Errorf("%+v", first)
	}
	if second.Text != "Which checks?" || !second.Multi || len(second.Options) != 0 {
		t.Errorf("%+v", second)
	}
	for _, raw := range []string{`{"questions":"which?"}`, ``, `[]`, `{"questions":[7]}`} {
		if all, err := hookinput.Questions([]byte(raw)); !errors.Is(err, ask.ErrForm) {
			t.Errorf("%s: %+v, %v", raw, all, err)
		}
	}
}

func TestPlain(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"command":"ls"}`: true,
		`{"command":"ls","description":"d","timeout":9,"run_in_background":true}`: true,
		`{"command":"ls","dangerouslyDisableSandbox":false,"x":null}`:             true,
		`{"command":"ls","dangerouslyDisableSandbox":true}`:                       false,
		`{"command":"ls","timeout_ms":7}`:                                         false,
	} {
		in, err := hookinput.ReadTool("Bash", []byte(raw))
		if err != nil || in.Plain != want {
			t.Errorf("%s: plain %t, %v", raw, in.Plain, err)
		}
	}
}

// TestReadRefuses: an input is one JSON value and nothing else.
func TestReadRefuses(t *testing.T) {
	for _, raw := range []string{``, `{`, `{} {}`, `{"command":"ls"}{"command":"rm x"}`, `{} x`} {
		if in, err := hookinput.ReadTool("Bash", []byte(raw)); err == nil {
			t.Errorf("%s: %+v", raw, in)
		}
	}
}

// FuzzQuestions: a form that is taken can be answered to its end.
func FuzzQuestions(f *testing.F) {
	f.Add([]byte(`{"questions":[{"question":"Which?","options":[{"label":"a"}]}]}`))
	f.Add([]byte(`{"questions":[{"question":"\u0000","options":[{}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		questions, err := hookinput.Questions(raw)
		if err != nil {
			return
		}
		form, err := ask.NewForm(questions)
		if err != nil {
			return
		}
		a := ask.Ask{Kind: ask.Questions, State: ask.Open, Form: form}
		for range form.Questions {
			if a, err = ask.Say("x")(a, ask.Decision{}); err != nil {
				t.Fatal(err)
			}
		}
		if a.State != ask.Answered {
			t.Fatalf("all is answered and the ask is %s", a.State)
		}
	})
}
