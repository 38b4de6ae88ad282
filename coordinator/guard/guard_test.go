package guard

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

func TestTools(t *testing.T) {
	call := func(tool string, kv ...string) Call {
		c := Call{Tool: tool}
		for i := 0; i < len(kv); i += 2 {
			c.Args = append(c.Args, Arg{Path: kv[i], Value: kv[i+1]})
		}
		return c
	}
	for _, tc := range []struct {
		call Call
		want Verdict
	}{
		{call("Write", "file_path", "/home/dev/proj/a.go", "content", "rm -rf /"), None},
		{call("Write", "file_path", "/home/dev/.claude/settings.json", "content", "{}"), Deny},
		{call("Write", "file_path", ".claude/settings.local.json"), Deny},
		{call("Write", "file_path", "/home/dev/proj/.claude/../.claude/settings.json"), Deny},
		{call("Write", "file_path", "/home/dev/proj/.claude/commands/x.md"), Ask},
		{call("Write", "file_path", "/home/dev/proj/.afar-disabled"), Deny},
		{call("Write", "file_path", "/etc/passwd"), Deny},
		{call("Write", "file_path", "/home/dev/.bashrc"), Ask},
		{call("Write", "file_path", "/home/dev/proj/.git/hooks/pre-commit"), Ask},
		{call("Write", "file_path", "/tmp/x"), None},
		{call("Write", "file_path", ""), None},
		{call("Edit", "file_path", "/home/dev/.config/afar/config.toml", "new_string", "x"), Deny},
		{call("Edit", "file_path", "/home/dev/proj/main.go", "old_string", "a"), None},
		{call("NotebookEdit", "notebook_path", "/opt/afar-plugin/x.ipynb"), Deny},
		{call("Read", "file_path", "/home/dev/.ssh/id_ed25519"), Ask},
		{call("Read", "file_path", "/home/dev/proj/.env"), Ask},
		{call("Read", "file_path", "/home/dev/proj/.env.example"), None},
		{call("Read", "file_path", "/home/dev/.config/afar/telegram.token"), Deny},
		{call("Read", "file_path", "/home/dev/.claude/settings.json"), None},
		{call("Monitor", "command", "rm -rf /"), Deny},
		{call("Monitor", "command", "tail -f log"), None},
		{call("Bash", "command", "ls", "description", "rm -rf /"), None},
		{call("Bash"), None},
		{call("mcp__postgres__query", "sql", "DROP DATABASE x"), Deny},
		{call("mcp__postgres__query", "sql", "SELECT 'DROP DATABASE x'"), None},
		{call("mcp__fs__write_file", "path", "/home/dev/.claude/settings.json"), Deny},
		{call("mcp__fs__delete_directory", "path", "/home/dev"), Deny},
		{call("mcp__fs__read_file", "path", "/home/dev/proj/a.go"), None},
		{call("mcp__fs__read_file", "path", "/home/dev/.ssh/id_rsa"), Ask},
		{call("mcp__shell__run", "command", "git push -f origin main"), Deny},
		{call("mcp__github__delete_repository", "repo", "x"), Ask},
		{call("mcp__github__list_issues", "repo", "x"), None},
		{call("mcp__github__create_issue", "title", "rm -rf /", "body", "drop database x"), None},
		{call("WebFetch", "url", "https://x.example"), None},
		{call("Task", "prompt", "rm -rf /"), None},
	} {
		if d := Judge(tc.call, testContext()); d.Verdict != tc.want {
			t.Errorf("%+v: %q by %s, want %q", tc.call, d.Verdict, d.Rule, tc.want)
		}
	}
}

// TestGitFacts checks that facts about the repository allow what loses nothing, and only that.
func TestGitFacts(t *testing.T) {
	for _, tc := range []struct {
		cmd   string
		facts GitFacts
		want  Verdict
	}{
		{"git push --force", GitFacts{Known: true, Branch: "feature", Default: "main"}, Ask},
		{"git push --force-with-lease", GitFacts{Known: true, Branch: "feature", Default: "main"}, None},
		{"git push --force-with-lease", GitFacts{Known: true, Branch: "main", Default: "main"}, Deny},
		{"git push --force origin develop", GitFacts{Known: true, Branch: "x", Default: "develop"}, Deny},
		{"git push --force origin HEAD", GitFacts{Known: true, Branch: "main"}, Deny},
		{"git checkout main && git push --force", GitFacts{Known: true, Branch: "x", Default: "main"}, Deny},
		{"git checkout main && git push --force-with-lease", GitFacts{Known: true, Branch: "x", Default: "main"}, Deny},
		{"git checkout x && git push --force-with-lease", GitFacts{Known: true, Branch: "main", Default: "main"}, None},
		{"git reset --hard", GitFacts{Known: true, Dirty: true}, Deny},
		{"git reset --hard", GitFacts{Known: true}, None},
		{"git reset --hard HEAD", GitFacts{Known: true}, None},
		{"git reset --hard HEAD~1", GitFacts{Known: true}, Ask},
		{"git reset --hard", GitFacts{Known: true, Untracked: true}, None},
		{"git reset --hard HEAD~1", GitFacts{Known: true, Untracked: true}, Deny},
		{"git checkout -- .", GitFacts{Known: true, Untracked: true}, None},
		{"git restore .", GitFacts{Known: true, Untracked: true}, None},
		{"git restore .", GitFacts{Known: true, Dirty: true}, Deny},
		{"git checkout -f main", GitFacts{Known: true, Untracked: true}, Deny},
		{"git clean -fd", GitFacts{Known: true, Untracked: true}, Deny},
		{"git clean -fd", GitFacts{Known: true, Dirty: true}, None},
		{"git reset --hard $X", GitFacts{Known: true, Dirty: true}, Deny},
		{"git checkout -- .", GitFacts{Known: true}, None},
		{"git clean -fd", GitFacts{Known: true}, None},
		{"git clean -fdx", GitFacts{Known: true}, Deny},
	} {
		ctx := testContext()
		ctx.Git = func(string) GitFacts { return tc.facts }
		if d := Judge(bash(tc.cmd), ctx); d.Verdict != tc.want {
			t.Errorf("%s with %+v: %q by %s, want %q", tc.cmd, tc.facts, d.Verdict, d.Rule, tc.want)
		}
	}
}

// TestMerged checks that a branch may be deleted if the current one has all its commits.
func TestMerged(t *testing.T) {
	ctx := testContext()
	ctx.Git = func(string) GitFacts { return GitFacts{Known: true, Branch: "cart", Default: "main"} }
	ctx.Merged = func(_, commit, branch string) bool {
		switch commit {
		case "HEAD": // the branch cart
			return lex.OneOf(branch, "done main cart")
		case "main":
			return lex.OneOf(branch, "done main")
		}
		return false
	}
	for cmd, want := range map[string]Verdict{
		"git branch -D done": None, "git branch -D open": Ask, "git branch -D done open": Ask, "git branch -D $X": Ask,
		"git branch -D main": Deny, "git update-ref -d refs/heads/done": None, "git branch -M done": Ask,
		"ssh host git branch -D done": Ask,
		"git branch -D cart":          None, // git refuses

		"git update-ref -d refs/heads/cart": Ask, // HEAD goes with it

		"git checkout main && git branch -D cart":                      Ask,
		"git checkout main && git branch -D done":                      None,
		"git switch main; git branch -D cart":                          Ask,
		"git checkout main && git pull && git branch -D cart":          Ask,
		"git checkout --detach main && git branch -D cart":             Ask,
		"git checkout -b new && git branch -D done":                    None,
		"git checkout -b new main && git branch -D cart":               Ask,
		"git switch -c new main && git branch -D cart":                 Ask,
		"git checkout - && git branch -D cart":                         Ask,
		"git checkout $X && git branch -D cart":                        Ask,
		"git symbolic-ref HEAD refs/heads/main && git branch -D cart":  Ask,
		"git checkout main && git update-ref -d refs/heads/cart":       Ask,
		"git commit -qam x && git checkout main && git branch -D done": Ask,
		"git reset -q --soft main && git branch -D cart":               Ask,
		"git -C ../other checkout main && git branch -D done":          None,
		"git switch -C cart main":                                      Ask,
		"git checkout -B cart main":                                    Ask,
		"git switch --force-create=cart main":                          Ask,
		"git checkout -B done main":                                    None,
		"git checkout -B done":                                         None,
		"git checkout -B open":                                         Ask,
		"bash -c 'git checkout main && git branch -D cart'":            Ask,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", cmd, d.Verdict, d.Rule, want)
		}
	}
}

// TestCreated checks that a session may delete what it made itself, and nothing else.
func TestCreated(t *testing.T) {
	ctx := testContext()
	ctx.Created = func(path string) bool { return fspath.Within(path, "/srv/scratch") }
	for cmd, want := range map[string]Verdict{
		"rm -rf /srv/scratch/x": None, "cd /srv/scratch && rm -rf x": None, "rm -rf /srv/scratch/x /srv/data": Ask,
		"rm -rf /srv/data":      Ask,
		"rm -rf /srv/scratch/*": Ask, "rm -rf /srv/scratch/$X": Ask, "ssh host rm -rf /srv/scratch/x": Ask,
		"rm -rf /": Deny, "rm -rf ~": Deny,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", cmd, d.Verdict, d.Rule, want)
		}
	}
}

// TestEmptyContext checks that an unknown fact counts as the worse case, and that nothing
// panics.
func TestEmptyContext(t *testing.T) {
	for cmd, want := range map[string]Verdict{
		"rm -rf /":              Deny,
		"rm -rf ~":              Deny,
		"rm -rf $HOME":          Deny,
		"rm -rf /home/x":        Deny,
		"git reset --hard":      Deny,
		"rm -rf build":          Ask,
		"ls":                    None,
		"cat ~/.ssh/id_rsa":     Ask,
		"echo > ~/.claude.json": Deny,
	} {
		if d := Judge(bash(cmd), Context{}); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", cmd, d.Verdict, d.Rule, want)
		}
	}
}

// TestSymlinks checks that a link is judged by its target. Deleting the link itself is
// harmless.
func TestSymlinks(t *testing.T) {
	ctx := testContext()
	ctx.Resolve = func(p string) string {
		links := map[string]string{
			"/home/dev/proj/link": "/home/dev", "/home/dev/proj/s": "/home/dev/.claude", "/tmp/r": "/",
		}
		for from, to := range links {
			if fspath.Within(p, from) {
				return fspath.Clean(to + p[len(from):])
			}
		}
		return p
	}
	for cmd, want := range map[string]Verdict{
		"rm -rf link/":            Deny,
		"rm -rf link/*":           Deny,
		"rm -rf link/.ssh":        Deny,
		"rm link":                 None,
		"echo > s/settings.json":  Deny,
		"rm -rf /tmp/r/etc":       Deny,
		"rm -rf /tmp/r/srv/x":     Ask,
		"rm -rf node_modules":     None,
		"echo x > link/notes.txt": None,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q: %+v", cmd, d.Verdict, d.Rule, want, d.Effects)
		}
	}
}

// TestHomeBelowTemp checks a machine whose home and project are below the temp directory, as
// in tests.
func TestHomeBelowTemp(t *testing.T) {
	ctx := Context{Cwd: "/tmp/t1/home/proj", Project: "/tmp/t1/home/proj", Home: "/tmp/t1/home", Temp: []string{"/tmp"}}
	for cmd, want := range map[string]Verdict{
		"rm -rf ~":        Deny,
		"rm -rf ~/code":   Ask,
		"rm -rf .":        Deny,
		"rm -rf build":    None,
		"rm -rf /tmp/x":   None,
		"rm -rf ..":       Deny,
		"rm -rf /tmp/t1":  Deny,
		"rm -rf ../other": Ask,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", cmd, d.Verdict, d.Rule, want)
		}
	}
}

// TestPartIsPartOfTheCall checks that the shown part is a part of the call.
func TestPartIsPartOfTheCall(t *testing.T) {
	for cmd, part := range map[string]string{
		"echo a; git reset --hard; ls":       "git reset --hard",
		`bash -c "git reset --hard"`:         "git reset --hard",
		"true && (cd x; rm -rf /) | cat":     "rm -rf /",
		"echo cm0gLXJmIC8= | base64 -d | sh": "sh",
	} {
		d := Judge(bash(cmd), testContext())
		if d.Part != part || !strings.Contains(cmd, d.Part) {
			t.Errorf("%s: part %q, want %q", cmd, d.Part, part)
		}
		if d.Reason == "" || d.Person == "" {
			t.Errorf("%s: a decision without words: %+v", cmd, d)
		}
	}
}

func TestEffectsAreReportedWithoutAnOpinion(t *testing.T) {
	d := Judge(bash("rm -rf build > log"), testContext())
	if d.Verdict != None || d.Reason != "" || len(d.Effects) != 2 {
		t.Errorf("%+v", d)
	}
}
