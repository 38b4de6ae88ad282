package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The public test suites of other guards are in a directory next to the project, if they
// are there at all. Each row on which we decide otherwise than its authors is listed here
// with our reason. testdata/disagreements.md is generated from this list.
//
//	go test ./coordinator/guard -run TestDisagreements -update

// A disagreement is one reason for which we decide otherwise, with the rows that it covers, as
// "suite/number" and "suite/from-to".
type disagreement struct {
	what   string // unclaimed, harmless, broken, missed; deny, ask
	reason string
	rows   string
}

// The reasons for which we let a row pass that its authors want stopped.
const (
	unclaimed = "unclaimed" // a category that we do not claim
	harmless  = "harmless"  // by our policy nothing is lost
	missed    = "missed"    // it ought to be stopped
	broken    = "broken"    // no command of its authors: the row lost its meaning outside their test
)

var disagreements = []disagreement{
	{unclaimed, "Rules that a user of that suite wrote for themselves (no `git add -A`, no global npm), not its own " +
		"policy.", "cc-safety-net/216-217 cc-safety-net/220-222 cc-safety-net/230 cc-safety-net/232-233"},
	{unclaimed, "Its paranoid mode: any deletion inside the project, any inline interpreter. Ours has no such mode; " +
		"a guard.toml may say so.", "cc-safety-net/170-171 cc-safety-net/463 cc-safety-net/467 cc-safety-net/477-478"},
	{unclaimed, "Its strict levels. The work itself: notes, rules and agents of the project, names without values, " +
		"a search for a word.", "karanb192/39 karanb192/60-64 karanb192/115 karanb192/254-255 karanb192/257 " +
		"karanb192/314-315"},
	{unclaimed, "Commits, merges, rebases and pushes without force to any branch: the reflog and the forge keep " +
		"what was there, and a branch is protected by its forge.",
		"dcg-unit/1139-1141 karanb192/140-144 karanb192/153-157 karanb192/160-163 karanb192/167-170 " +
			"karanb192/176-178 karanb192/182-183"},
	{unclaimed, "Tests as protected files: a suite for another promise (that a session does not bend its own " +
		"tests). The rows name no command either.", "karanb192/326-333 karanb192/341-346 karanb192/350 karanb192/352"},
	{unclaimed, "Editing a plugin's own sources inside the project: that is the project. The host's settings and " +
		"what it has installed are denied.", "karanb192/86 karanb192/94 karanb192/99"},
	{harmless, "Reading the host's settings, hooks and manifests shows no secret; changing them is denied.",
		"karanb192/44-58"},
	{harmless, "A directory below the project, or below a temp directory, also on another machine: ordinary work, " +
		"named as harmless by our policy.",
		"cc-safety-net/173-174 cc-safety-net/447 cc-safety-net/493-494 dcg-unit/326-331 dcg-unit/901"},
	{harmless, "The same, after a `cd` in a substitution: that has a directory of its own, and the shell is followed.",
		"cc-safety-net/482"},
	{harmless, "`find` narrowed by a name, inside the project; without a narrowing test it is denied.",
		"cc-safety-net/192 cc-safety-net/196 cc-safety-net/203"},
	{harmless, "A tilde in quotes is an ordinary character of a name, which the shell leaves as it is.",
		"karanb192/4-5"},
	{harmless, "`command -V` says what a name is and runs nothing.", "cc-safety-net/152"},
	{harmless, "git refuses it (`--track` with a file), so nothing is lost.", "cc-safety-net/280"},
	{harmless, "`git clean` with `-n` beside `-f` is a dry run.", "cc-safety-net/328"},
	{harmless, "A cache, a line of known_hosts, a copy at the edge: made again by the next use.",
		"dcg-unit/172 dcg-unit/226 dcg-unit/907-908"},
	{harmless, "Reads a zone. That others may see it is the server's setting.", "dcg-unit/428"},
	{harmless, "A container that is stopped or removed by its name: its image and its volumes stay.",
		"dcg-unit/312-313 dcg-unit/680 dcg-unit/682"},
	{harmless, "An issue that is closed can be opened again.", "karanb192/193-195"},
	{harmless, "In the lock file and in git.", "dcg-unit/796"},
	{harmless, "A database on this machine whose name says that it is for tests.", "dcg-unit/397"},
	{harmless, "All variables at once: too common (and allowed at another place of the same suite). Sending them " +
		"away is denied, a named secret is asked.", "karanb192/270-272"},
	{harmless, "`authorized_keys` holds public keys; changing it is asked.", "karanb192/228"},
	{broken, "A placeholder, and no program.", "dcg-unit/1144"},

	{"deny", "An unnarrowed find deletes the project, with -r or without.", "cc-safety-net/205-206"},
	{"deny", "`reset --hard` over uncommitted work, in a linked worktree too; a clean tree passes.",
		"cc-safety-net/339 cc-safety-net/342 karanb192/180"},
	{"deny", "A lease on the default branch: it protects what was fetched, not what others build on.",
		"cc-safety-net/394"},
	{"deny", "Documents in the home: nothing brings them back.", "karanb192/9"},
	{"ask", "A file outside the project and outside every temp directory.", "cc-safety-net/458"},
	{"ask", "What cannot be parsed is asked.",
		"cc-safety-net/4 cc-safety-net/19-20 cc-safety-net/31-32 dcg-unit/803-804"},
	{"ask", "Force wins over the lease beside it.", "cc-safety-net/396-397"},
	{"ask", "The whole temp directory, with what other programs have there.", "cc-safety-net/454-455"},
	{"ask", "A tree outside the project; `-f` adds little in a session without a terminal.", "cc-safety-net/456-457"},
	{"ask", "Force to a branch of one's own: risky but ordinary.",
		"karanb192/42 karanb192/132-133 karanb192/202 karanb192/207"},
	{"ask", "A branch that may not be merged.", "karanb192/151"},
	{"ask", "A merge on the forge is seen by others at once.", "karanb192/204"},
	{"ask", "Shows a credential, or deletes one. Handed to another program it passes.",
		"dcg-unit/977 dcg-unit/990-991 dcg-unit/1008 dcg-unit/1011 dcg-unit/1028-1029 dcg-unit/1051 " +
			"dcg-packs/220-221 dcg-packs/229 dcg-packs/234-235 dcg-packs/244 dcg-packs/249-252 dcg-packs/258 " +
			"karanb192/33 karanb192/35-36 karanb192/318 dippy/132 dippy/486 dippy/1255-1256 dippy/1364 dippy/1703 " +
			"dippy/1841 dippy/1444 dippy/1463 dippy/1466 dippy/4269-4270 dippy/8980 dippy/9138"},
	{"ask", "Rights, a feature that others see, a lock of a backup that may still run.",
		"dcg-unit/401 dcg-unit/619 dcg-packs/277"},
	{"ask", "Drops a table; the client's safe mode is not ours to trust.", "dippy/6729"},
}

// suites lists the files, and the categories of each that a line of figures counts.
var suites = []struct{ file, category, name string }{
	{"cc-safety-net", "", "cc-safety-net"}, {"dcg-unit", "", "dcg, unit tests"},
	{"dcg-unit", "core", "dcg, core packs (git, files)"}, {"dcg-packs", "", "dcg, packs"},
	{"karanb192", "", "karanb192"}, {"dippy-half", "", "Dippy, what it allows"},
}

const suiteDir = "../../../shared/corpora"

// A suiteRow is one row of a suite, with our decision.
type suiteRow struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Expect   string          `json:"expect"`
	got      Verdict
}

// TestDisagreements checks that each row on which we differ has a reason, and that no reason
// names a row on which we agree.
func TestDisagreements(t *testing.T) {
	if _, err := os.Stat(suiteDir); err != nil {
		t.Skip("the other guards' suites lie beside the project, and not here: " + suiteDir)
	}
	reasons := map[string]*disagreement{}
	for i := range disagreements {
		for _, id := range rowIDs(t, disagreements[i].rows) {
			if reasons[id] != nil {
				t.Errorf("%s has two reasons", id)
			}
			reasons[id] = &disagreements[i]
		}
	}
	var figures bytes.Buffer
	different := map[string]suiteRow{}
	for _, s := range suites {
		rows := judgedSuite(t, filepath.Join(suiteDir, s.file+".jsonl"))
		if s.category != "" {
			rows = slices.DeleteFunc(rows, func(r suiteRow) bool { return r.Category != s.category })
		}
		for _, r := range rows {
			if r.differs() {
				different[r.ID] = r
				if reasons[r.ID] == nil {
					t.Errorf("%s: they %s, we say %q, and nobody says why: %s", r.ID, r.Expect, r.got, r.Input)
				}
			}
		}
		figures.WriteString(figuresOf(s.name, rows, reasons))
	}
	for id, d := range reasons {
		switch r, differs := different[id]; {
		case !differs:
			t.Errorf("%s has a reason, but we agree on it now", id)
		case (d.what == "deny" || d.what == "ask") != (r.Expect == "allow") ||
			r.Expect == "allow" && string(r.got) != d.what:
			t.Errorf("%s: %s, we say %q, and its reason is for %q", id, r.Expect, r.got, d.what)
		}
	}
	if !t.Failed() {
		compareDisagreements(t, figures.String(), different)
	}
}

func (r suiteRow) differs() bool {
	switch r.Expect {
	case "block":
		return r.got == None
	case "allow":
		return r.got != None
	}
	return false
}

func rowIDs(t *testing.T, rows string) (ids []string) {
	for _, word := range strings.Fields(rows) {
		suite, span, _ := strings.Cut(word, "/")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			t.Fatalf("%q names no rows", word)
		}
		for n := a; n <= b; n++ {
			ids = append(ids, suite+"/"+strconv.Itoa(n))
		}
	}
	return ids
}

// judgedSuite judges each row in a repository with uncommitted work.
func judgedSuite(t *testing.T, file string) (rows []suiteRow) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := testContext()
	ctx.Git = func(string) GitFacts {
		return GitFacts{Known: true, Dirty: true, Untracked: true, Branch: "feature", Default: "main", HasRemote: true}
	}
	ctx.Unsaved = nil // any file may have such work
	for line := range bytes.Lines(raw) {
		var r suiteRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(file, err)
		}
		var input any
		if err := json.Unmarshal(r.Input, &input); err != nil {
			t.Fatal(file, err)
		}
		r.got = Judge(Call{Tool: r.Tool, Args: suiteArgs(nil, "", input)}, ctx).Verdict
		rows = append(rows, r)
	}
	return rows
}

func suiteArgs(args []Arg, path string, v any) []Arg {
	switch x := v.(type) {
	case string:
		return append(args, Arg{Path: strings.TrimPrefix(path, "."), Value: x})
	case bool:
		if x {
			return append(args, Arg{Path: strings.TrimPrefix(path, "."), Value: "true"})
		}
	case map[string]any:
		for name, item := range x {
			args = suiteArgs(args, path+"."+name, item)
		}
	case []any:
		for i, item := range x {
			args = suiteArgs(args, path+"."+strconv.Itoa(i), item)
		}
	}
	return args
}

// figuresOf returns the line of a suite. The claimed figures leave out the rows of unclaimed
// categories. Rows that we call harmless count there as missed.
func figuresOf(name string, rows []suiteRow, reasons map[string]*disagreement) string {
	var block, caught, left, lost, allow, denied, asked int
	for _, r := range rows {
		switch {
		case r.Expect == "block" && r.got != None:
			block, caught = block+1, caught+1
		case r.Expect == "block":
			block++
			if d := reasons[r.ID]; d != nil {
				left += count(d.what == unclaimed)
				lost += count(d.what == missed)
			}
		case r.Expect == "allow":
			allow++
			denied += count(r.got == Deny)
			asked += count(r.got == Ask)
		}
	}
	raw, claimed, ours := "-", "-", "-"
	if block > 0 && !strings.Contains(name, "allows") {
		raw = fmt.Sprintf("%d of %d (%.3f)", caught, block, float64(caught)/float64(block))
		claimed = fmt.Sprintf("%d of %d (%.3f)", caught, block-left, float64(caught)/float64(block-left))
		ours = fmt.Sprintf("%.3f", float64(caught)/float64(caught+lost))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %d of %d (%.2f %%) | %d (%.2f %%) |\n", name, raw, claimed, ours, denied,
		allow, 100*float64(denied)/float64(allow), asked, 100*float64(asked)/float64(allow))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func compareDisagreements(t *testing.T, figures string, rows map[string]suiteRow) {
	var b bytes.Buffer
	b.WriteString(disagreementsHead + figures)
	for _, part := range []struct{ title, kinds string }{
		{"They stop it, and it is no category that we claim", unclaimed},
		{"They stop it, and by our policy nothing is lost", harmless},
		{"They stop it, and so should we", missed},
		{"They stop it, and the row says nothing", broken},
		{"They allow it, we deny it", "deny"},
		{"They allow it, we ask", "ask"},
	} {
		fmt.Fprintf(&b, "\n## %s\n", part.title)
		if !slices.ContainsFunc(disagreements, func(d disagreement) bool { return d.what == part.kinds }) {
			b.WriteString("\nNone.\n")
		}
		for _, d := range disagreements {
			if d.what == part.kinds {
				writeDisagreement(t, &b, d, rows)
			}
		}
	}
	const file = "testdata/disagreements.md"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile(file); !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is out of date: go test ./coordinator/guard -run TestDisagreements -update", file)
	}
}

const maxShown = 70

func writeDisagreement(t *testing.T, b *bytes.Buffer, d disagreement, rows map[string]suiteRow) {
	ids := rowIDs(t, d.rows)
	fmt.Fprintf(b, "\n%s (%d)\n\n", d.reason, len(ids))
	slices.SortStableFunc(ids, func(x, y string) int {
		return strings.Compare(x[:strings.IndexByte(x, '/')], y[:strings.IndexByte(y, '/')])
	})
	for _, id := range ids {
		var args []string
		var input any
		_ = json.Unmarshal(rows[id].Input, &input) // it was read before
		for _, a := range suiteArgs(nil, "", input) {
			args = append(args, a.Value)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(strings.Join(args, " "), "\n", "⏎"), "`", "'")
		if len(text) > maxShown {
			text = strings.ToValidUTF8(text[:maxShown], "") + "…"
		}
		fmt.Fprintf(b, "- %s: %s `%s`\n", id, rows[id].Tool, text)
	}
}

const disagreementsHead = "# Where the guard and other suites disagree\n\n" +
	"Other guards' public test suites were run against this package and every disagreement was read. " +
	"Their policy is theirs; this list says what\n" +
	"ours is and why. No command of theirs stands in a rule; " +
	"the cases of ours are in `cases/` and `policy_test.go`. Deny and ask count as caught.\n\n" +
	"Written by `go test ./coordinator/guard -run TestDisagreements -update`, where the suites are at hand. " +
	"The place is a repository with\n" +
	"uncommitted work on a branch of its own, in a home and outside every temp directory. " +
	"*Claimed* leaves out the rows of categories that are not\n" +
	"ours to guard, named below; rows that we call harmless count there as missed. " +
	"*Our policy* leaves those out as well. The false denials and\n" +
	"asks are counted as their authors would, before the review: each is one that our policy wants.\n\n" +
	"The same from outside, with the hook itself in such a repository:\n\n" +
	"    AFAR_HOME=EMPTY CLAUDE_CODE_ENTRYPOINT=cli CLAUDE_CODE_SESSION_ATTENDED=1 ../shared/tools/guard-score.py \\\n" +
	"        --cwd REPOSITORY --home HOME SUITE.jsonl -- bin/hook-pre-tool-use\n\n" +
	"| suite | caught | caught of what is claimed | caught by our policy " +
	"| false denials | false asks |\n|---|---|---|---|---|---|\n"
