package policy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/policy"
)

func TestParse(t *testing.T) {
	a, err := policy.Parse([]byte(`
[rules]
"publish" = "deny"
"git.push-force" = "off"

[[rule]]
id = "team.prod"
verdict = "ask"
why = "Touches
 production"
`))
	if err == nil {
		t.Fatalf("a text over two lines: %+v", a)
	}
	a, err = policy.Parse([]byte(`
[rules]
"publish" = "deny"
"git.push-force" = "off"

[[rule]]
id = "team.prod"
verdict = "ask"
why = "Touches production"
command = "kubectl delete"
args = ["*prod*"]

[[rule]]
id = "team.drop"
verdict = "deny"
why = "w"
instead = "Go on."
effect = ["drop data", "publish"]
target = "live*"

[[rule]]
id = "team.merge"
verdict = "deny"
why = "w"
tool = "mcp__github__*"
input.repo = "acme/*"

[[protect]]
path = "infra"

[[protect]]
path = ["secrets/**", "*.lock"]
verdict = "ask"
read = true
why = "Ours"
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Changes) != 2 || a.Changes[0] != (guard.Change{Rule: "publish", Verdict: guard.Deny, Line: 3}) ||
		a.Changes[1].Verdict != guard.None {
		t.Errorf("changes %+v", a.Changes)
	}
	if len(a.Added) != 5 {
		t.Fatalf("added %+v", a.Added)
	}
	r := a.Added[0]
	if r.Line != 6 || r.ID != "team.prod" || r.Verdict != guard.Ask ||
		strings.Join(r.Command, "|") != "kubectl|delete" || r.Args[0] != "*prod*" || r.Instead == "" {
		t.Errorf("%+v", r)
	}
	if r := a.Added[1]; len(r.Kinds) != 2 || r.Target != "live*" || r.Instead != "Go on." {
		t.Errorf("%+v", r)
	}
	if r := a.Added[2]; r.Tool != "mcp__github__*" || len(r.Input) != 1 ||
		r.Input[0] != (guard.ArgMatch{Name: "repo", Pattern: "acme/*"}) {
		t.Errorf("%+v", r)
	}
	if r := a.Added[3]; r.ID != "protected" || r.Verdict != guard.Deny || r.Paths[0] != "infra" || r.Line != 28 {
		t.Errorf("%+v", r)
	}
	if r := a.Added[4]; r.Verdict != guard.Ask || len(r.Kinds) != len(guard.Changing())+1 || r.Why != "Ours" {
		t.Errorf("%+v", r)
	}
}

func TestParseRefuses(t *testing.T) {
	rule := "[[rule]]\nid = 'team.x'\nverdict = 'deny'\nwhy = 'w'\n"
	longPattern := rule + "tool = '" + strings.Repeat("x", 300) + "'"
	manyPatterns := "[[protect]]\npath=[" + strings.Repeat("'x',", 301) + "]"
	for text, want := range map[string]string{
		"a = 1":                                     `line 1: unknown key "a"`,
		"[rule]\nid='x'":                            `line 1: "rule" is a list of tables: write [[rule]]`,
		"rule = [1]":                                `line 1: "rule" is a list of tables: write [[rule]]`,
		"[rulez]":                                   `line 1: unknown key "rulez"; did you mean "rules"?`,
		"rules = 1":                                 `line 1: "rules" is a table: write [rules]`,
		"[rules]\n\n'git.push-forse'='deny'":        `line 3: no rule has the id "git.push-forse"; did you mean`,
		"[rules]\ngit.push-force = 'deny'":          `line 2: put the rule's id in quotes`,
		"[rules]\npublish = 'allow'":                `line 2: a rule is set to "off", "ask" or "deny", not to "allow"`,
		"[rules]\npublish = true":                   `line 2: a rule is set to "off", "ask" or "deny", not to true`,
		"[rules]\n'git.push-force-main'='off'":      `line 2: git.push-force-main denies, and a policy file cannot`,
		"[rules]\n'db.drop'='ask'":                  `line 2: db.drop denies`,
		"[rules]\n'call.unreadable'='off'":          `line 2: call.unreadable keeps the guard itself safe`,
		"[rules]\n'terminal.type'='off'":            `line 2: terminal.type keeps the guard itself safe`,
		"[rules]\npublish='ask'\npublish='off'":     `line 3: "publish" is there already`,
		"[[rule]]\n":                                `line 1: the rule needs an id`,
		"[[rule]]\nid='x y'":                        `line 2: an id has at most 64 small letters`,
		"[[rule]]\nid='publish'":                    `line 2: publish is a built-in rule: change it under [rules]`,
		"[[rule]]\nid='x'\ntool='y'\nwhy='z'":       `line 1: the rule x needs a verdict`,
		"[[rule]]\nid='x'\nverdict='off'":           `line 3: the verdict is "ask" or "deny", not "off"`,
		"[[rule]]\nid='x'\nverdict='ask'\ntool='y'": `line 1: the rule x needs a why`,
		rule:                                        `line 1: the rule team.x needs one of effect, command and tool`,
		rule + "tool = 'x'\ncommand = 'y'":          `line 1: the rule team.x needs one of effect`,
		rule + "tool = 'x'\nargs = 'y'":             `line 1: args of the rule team.x go with command`,
		rule + "tool = 'x'\npath = 'y'":             `line 1: target and path of the rule team.x go with effect`,
		rule + "effect = 'publish'\ninput.a='b'":    `line 1: input of the rule team.x goes with tool`,
		rule + "tool = 'Bash'\ninput.command='rm*'": `line 1: a shell command is not compared as a text`,
		rule + "effect = 'publsh'":                  `line 5: unknown effect "publsh"; did you mean "publish"?`,
		rule + "tool = ''":                          `line 5: a pattern is a text`,
		rule + "tool = 7":                           `line 5: a pattern is a text such as "infra/*", not a whole`,
		rule + "command = []":                       `line 5: command is empty`,
		rule + "command = '  '":                     `line 5: command is empty`,
		rule + "comand = 'x'":                       `line 5: unknown key "comand"; did you mean "command"?`,
		longPattern:                                 `line 5: a pattern has at most 256 characters`,
		rule + "tool='x'\n" + rule + "tool='x'":     `line 7: the id team.x is there already`,
		"[[protect]]\n":                             `line 1: [[protect]] needs a path`,
		"[[protect]]\npath='x'\nread='yes'":         `line 3: read is true or false, not "yes"`,
		"[[protect]]\npath=['x', 1]":                `line 2: a pattern is a text`,
		manyPatterns:                                `line 2: more than 300 patterns`,
		"[[protect]]\npath='x'\nwhy=''":             `line 3: why is a text`,
		"\xff":                                      `line 1: not UTF-8`,
		"[rules":                                    `line 1: `,
	} {
		if _, err := policy.Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: want %q, have %v", text, want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[rules]\npublish = 'off'\n[[rule]]\nid='a'\nverdict='ask'\nwhy='w'\ncommand='x y'\n" +
		"[[protect]]\npath='z'"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := policy.Parse(raw)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%q: an error without a line: %v", raw, err)
			}
			return
		}
		if a.Loosens {
			t.Fatal("Parse returns an amendment that loosens")
		}
		for _, r := range a.Added {
			if r.Verdict == guard.None || r.ID == "" || r.Why == "" || r.Instead == "" || r.Line == 0 {
				t.Fatalf("%q: an incomplete rule: %+v", raw, r)
			}
		}
	})
}

// A place is a home directory with Afar's directories and a repository.
type place struct {
	t       *testing.T
	dirs    home.Dirs
	project string
}

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	p := place{t, dirs, filepath.Join(root, "repo")}
	for _, dir := range []string{
		dirs.Config,
		dirs.State,
		filepath.Join(p.project, ".git"),
		filepath.Join(p.project, "sub"),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) write(path, text string) string {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.project, path)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// judge returns the guard's decision about a command in the repository.
func (p place) judge(command string) guard.Decision {
	ctx := guard.Context{Cwd: p.project, Project: p.project, Home: p.dirs.User,
		Amendments: policy.Amendments(policy.Files(p.dirs, p.project, p.project))}
	return guard.Judge(guard.Call{Tool: "Bash", Args: []guard.Arg{{Path: "command", Value: command}}}, ctx)
}

// onlyFile returns the policy file for a session. It fails the test if there is not
// exactly one.
func (p place) onlyFile(cwd, project string) policy.File {
	p.t.Helper()
	files := policy.Files(p.dirs, cwd, project)
	if len(files) != 1 {
		p.t.Fatalf("%d files: %+v", len(files), files)
	}
	return files[0]
}

const quiet = "[rules]\npublish = 'off'\n"

func TestFiles(t *testing.T) {
	p := newPlace(t)
	if files := policy.Files(p.dirs, p.project, p.project); len(files) != 0 {
		t.Errorf("without a file: %+v", files)
	}
	p.write("guard.toml", "[rules]\npublish = 'deny'\n")
	p.write("sub/guard.toml", "")
	p.write(p.dirs.GuardFile(), quiet)
	p.write(filepath.Join(filepath.Dir(p.project), "guard.toml"), "nonsense") // above the repository
	files := policy.Files(p.dirs, p.project, filepath.Join(p.project, "sub"))
	if len(files) != 3 || files[0].Path != p.dirs.GuardFile() || files[1].Path != filepath.Join(p.project, "guard.toml") ||
		files[2].Path != filepath.Join(p.project, "sub", "guard.toml") {
		t.Fatalf("%+v", files)
	}
	if d := p.judge("npm publish"); d.Verdict != guard.Deny || d.From != files[1].Path+":2" {
		t.Errorf("the stricter of the person's and the project's file counts: %+v", d)
	}
	if err := os.Mkdir(filepath.Join(p.project, "sub", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if files := policy.Files(p.dirs, "", filepath.Join(p.project, "sub")); len(files) != 3 {
		t.Errorf("a repository inside another hides its policy: %+v", files)
	}
	if files := policy.Files(p.dirs, filepath.Join(p.project, "sub"), p.dirs.User); len(files) != 4 {
		t.Errorf("the file of the directory where the session works also counts: %+v", files)
	}
	if len(policy.Files(p.dirs, "", "")) != 1 {
		t.Error("without a project the person's file counts")
	}
}

// TestPersonsFile checks that the person's own file may turn an ask off.
func TestPersonsFile(t *testing.T) {
	p := newPlace(t)
	p.write(p.dirs.GuardFile(), quiet)
	if d := p.judge("npm publish"); d.Verdict != guard.None || len(d.Silenced) != 1 {
		t.Errorf("%+v", d)
	}
}

// TestTrust checks what a project's file may do before it is trusted, while it is
// trusted, and after it has changed.
func TestTrust(t *testing.T) {
	p := newPlace(t)
	path := p.write("guard.toml", quiet)
	want := func(state policy.State, verdict guard.Verdict) policy.File {
		t.Helper()
		f := p.onlyFile(p.project, p.project)
		if d := p.judge("npm publish"); f.State != state || d.Verdict != verdict {
			t.Errorf("%s and %q, want %s and %q", f.State, d.Verdict, state, verdict)
		}
		return f
	}
	trust := func() {
		t.Helper()
		if err := policy.Trust(p.dirs, p.onlyFile(p.project, p.project)); err != nil {
			t.Fatal(err)
		}
	}
	want(policy.Untrusted, guard.Ask)
	trust()
	want(policy.InForce, guard.None)
	p.write("guard.toml", quiet+"'git.push-force' = 'deny'\n")
	want(policy.Changed, guard.Ask)
	if d := p.judge("git push --force origin topic"); d.Verdict != guard.Deny {
		t.Errorf("a changed file still makes rules stricter: %+v", d)
	}
	p.write("guard.toml", quiet)
	want(policy.InForce, guard.None) // the accepted content again
	p.write("guard.toml", quiet+"# \n")
	trust()
	want(policy.InForce, guard.None)
	p.write("guard.toml", quiet)
	want(policy.Changed, guard.Ask) // one content is accepted at a time
	p.write("guard.toml", quiet+"# \n")
	if forgot, err := policy.Forget(p.dirs, path); !forgot || err != nil {
		t.Errorf("%v, %v", forgot, err)
	}
	want(policy.Untrusted, guard.Ask)
	if forgot, err := policy.Forget(p.dirs, path); forgot || err != nil {
		t.Errorf("%v, %v", forgot, err)
	}
}

// TestTrustIsOfAPlace checks that trust applies to a project and to a worktree
// below it, but not to a project next to it or to a session that works elsewhere.
func TestTrustIsOfAPlace(t *testing.T) {
	p := newPlace(t)
	p.write("guard.toml", quiet)
	if err := policy.Trust(p.dirs, p.onlyFile(p.project, p.project)); err != nil {
		t.Fatal(err)
	}
	other, below := filepath.Join(p.dirs.User, "other"), filepath.Join(p.project, ".worktrees", "one")
	for _, dir := range []string{other, below} {
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		p.write(filepath.Join(dir, "guard.toml"), quiet)
	}
	of := func(dir, cwd, project string) policy.File {
		t.Helper()
		for _, f := range policy.Files(p.dirs, cwd, project) {
			if filepath.Dir(f.Path) == dir {
				return f
			}
		}
		t.Fatalf("no policy of %s", dir)
		return policy.File{}
	}
	if f := of(other, other, other); f.State != policy.Untrusted || f.Amendment.Loosens {
		t.Errorf("the same text elsewhere: %+v", f)
	}
	if f := of(below, below, below); f.State != policy.InForce || !f.Amendment.Loosens {
		t.Errorf("a worktree below: %+v", f)
	}
	if f := of(p.project, other, p.project); f.Amendment.Loosens {
		t.Errorf("a session that works elsewhere: %+v", f)
	}
	if f := of(p.project, filepath.Join(p.project, "sub"), p.project); !f.Amendment.Loosens {
		t.Errorf("a session that works below: %+v", f)
	}
}

// TestTrustCut checks that a trust file that is cut off anywhere trusts only the
// complete policies in it.
func TestTrustCut(t *testing.T) {
	p := newPlace(t)
	p.write("guard.toml", quiet)
	if err := policy.Trust(p.dirs, p.onlyFile(p.project, p.project)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(p.dirs.TrustFile())
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		p.write(p.dirs.TrustFile(), string(whole[:n]))
		if f := p.onlyFile(p.project, p.project); f.State != policy.Untrusted {
			t.Fatalf("cut after %d of %d bytes: %s", n, len(whole), f.State)
		}
	}
	p.write(p.dirs.TrustFile(), string(whole)+"99999999999999999999 /\n-1 /\n")
	if f := p.onlyFile(p.project, p.project); f.State != policy.InForce {
		t.Errorf("with rubbish at its end: %s", f.State)
	}
}

func TestTrustRefuses(t *testing.T) {
	p := newPlace(t)
	path := p.write("guard.toml", quiet)
	p.write("guard.toml", "nonsense")
	for _, path := range []string{
		path,
		p.project,
		filepath.Join(p.project, "none", "guard.toml"),
		p.write("other.toml", quiet),
		"guard.toml",
	} {
		if _, err := policy.Project(path); !errors.Is(err, policy.ErrTrust) {
			t.Errorf("%s can be trusted: %v", path, err)
		}
	}
	p.write("guard.toml", quiet)
	if err := policy.Trust(p.dirs, p.onlyFile(p.project, p.project)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.dirs.TrustFile(), 0o666); err != nil {
		t.Fatal(err)
	}
	if f := p.onlyFile(p.project, p.project); f.State != policy.Untrusted {
		t.Errorf("a trust file that other users may write: %+v", f)
	}
}

// TestBroken checks that a broken file is reported and has no effect, while the
// built-in rules and the other files apply.
func TestBroken(t *testing.T) {
	for name, spoil := range map[string]func(place, string){
		"nonsense":  func(p place, path string) { p.write(path, "nonsense") },
		"directory": func(_ place, path string) { _ = os.Mkdir(path, 0o700) },
		"link":      func(p place, path string) { _ = os.Symlink(p.write("other.toml", quiet), path) },
		"dangling":  func(_ place, path string) { _ = os.Symlink("nowhere", path) },
		"huge":      func(p place, path string) { p.write(path, strings.Repeat("# \n", 1<<16)) },
		"binary":    func(p place, path string) { p.write(path, "\xff\xfe\x00") },
		"unreadable": func(p place, path string) {
			if os.Getuid() == 0 {
				p.write(path, "\x00") // root can read every file
				return
			}
			p.write(path, quiet)
			_ = os.Chmod(path, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			path := filepath.Join(p.project, "guard.toml")
			spoil(p, path)
			f := p.onlyFile(p.project, p.project)
			if f.State != policy.Broken || f.Err == nil || strings.Contains(f.Err.Error(), path) {
				t.Errorf("%+v", f)
			}
			if name == "link" && !strings.Contains(f.Err.Error(), "symbolic link") {
				t.Errorf("%v", f.Err)
			}
			warning := policy.Warning([]policy.File{f})
			if !strings.Contains(warning, path) || strings.Contains(warning, "\n") {
				t.Errorf("warning %q", warning)
			}
			p.write(p.dirs.GuardFile(), "[rules]\n'git.push-force' = 'deny'\n")
			for command, want := range map[string]guard.Verdict{
				"npm publish":                  guard.Ask,
				"git push --force origin main": guard.Deny,
				"ls":                           guard.None,
				"git push --force origin x":    guard.Deny,
			} {
				if d := p.judge(command); d.Verdict != want {
					t.Errorf("%s: %q", command, d.Verdict)
				}
			}
		})
	}
	if policy.Warning(nil) != "" {
		t.Error("a warning without files")
	}
}
