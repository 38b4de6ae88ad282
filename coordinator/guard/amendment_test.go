package guard

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/judge"
)

func amended(a ...judge.Amendment) Context {
	ctx := testContext()
	for i := range a {
		if a[i].File == "" {
			a[i].File = "guard.toml"
		}
		if a[i].Base == "" {
			a[i].Base = ctx.Project
		}
	}
	ctx.Amendments = append(ctx.Amendments, a...)
	return ctx
}

func change(rule string, to Verdict) Amendment {
	return Amendment{Changes: []Change{{Rule: rule, Verdict: to, Line: 3}}}
}

func loosen(rule string) Amendment {
	a := change(rule, None)
	a.Loosens = true
	return a
}

// TestChanges checks that a policy file can always make a rule stricter, can make an ask
// milder only where it may, and can never make a built-in deny milder.
func TestChanges(t *testing.T) {
	for _, tc := range []struct {
		name, cmd string
		files     []Amendment
		want      Verdict
	}{
		{"as it stands", "npm publish", nil, Ask},
		{"ask to deny", "npm publish", []Amendment{change("publish", Deny)}, Deny},
		{"off by a file that may", "npm publish", []Amendment{loosen("publish")}, None},
		{"off by a file that may not", "npm publish", []Amendment{change("publish", None)}, Ask},
		{"the harder word of two", "npm publish", []Amendment{loosen("publish"), change("publish", Deny)}, Deny},
		{"the harder word, first", "npm publish", []Amendment{change("publish", Deny), loosen("publish")}, Deny},
		{"ask said aloud", "npm publish", []Amendment{change("publish", Ask), loosen("publish")}, Ask},
		{"a deny stays", "git push --force origin main", []Amendment{loosen("git.push-force-main")}, Deny},
		{"a deny that asks is still no ask", "rm -rf /$x", []Amendment{loosen("fs.delete-root")}, Ask},
		{"only the asks of a rule with both", "git reset --hard", []Amendment{loosen("git.reset-hard")}, Deny},
		{"what the guard rests on", "tmux send-keys -t x y", []Amendment{loosen("terminal.type")}, Ask},
		{"nothing to ask", "git push --force-with-lease origin topic", []Amendment{change("git.push-lease", Ask)}, Ask},
		{"nothing to deny", "git push --force-with-lease origin topic",
			[]Amendment{change("git.push-lease", Deny)}, Deny},
		{"an exception stays one", "rm -rf build", []Amendment{change("copy.delete", Deny)}, None},
		{"a possible deny is asked", "npm publish; X=$(cat x); git branch -D $X",
			[]Amendment{change("git.branch-force", Deny)}, Ask},
		{"another rule", "npm publish", []Amendment{loosen("git.push-force")}, Ask},
	} {
		d := Judge(bash(tc.cmd), amended(tc.files...))
		if d.Verdict != tc.want {
			t.Errorf("%s: %q by %s, want %q", tc.name, d.Verdict, d.Rule, tc.want)
		}
		if d.Verdict != None && (d.Reason == "" || d.Person == "") {
			t.Errorf("%s: no words: %+v", tc.name, d)
		}
	}
}

func TestChangesSayWhere(t *testing.T) {
	d := Judge(bash("npm publish"), amended(change("publish", Deny)))
	if d.From != "guard.toml:3" {
		t.Errorf("from %q", d.From)
	}
	if d := Judge(bash("npm publish"), amended(change("git.push-force", Deny))); d.From != "" {
		t.Errorf("a built-in verdict from %q", d.From)
	}
	d = Judge(bash("npm publish"), amended(loosen("publish")))
	if len(d.Silenced) != 1 || d.Silenced[0] != (Silenced{Rule: "publish", From: "guard.toml:3"}) {
		t.Errorf("silenced %+v", d.Silenced)
	}
}

func TestAddedCommands(t *testing.T) {
	for _, tc := range []struct {
		command, args string
		cmd           string
		want          Verdict
	}{
		{"kubectl delete", "", "kubectl delete pod x", Deny},
		{"kubectl delete", "", "kubectl -n prod delete pod x", Deny},
		{"kubectl delete", "", "sudo env A=b bash -c 'kubectl --context x delete pod'", Deny},
		{"kubectl delete", "", "kubectl get pods; echo delete", None},
		{"kubectl delete", "", "echo kubectl delete", None},
		{"kubectl delete", "", "grep 'kubectl delete' a", None},
		{"kubectl get", "*prod*", "kubectl get pods -n prod", Deny},
		{"kubectl get", "*prod*", "kubectl get pods -n test", None},
		{"kubectl get", "", "kubectl $VERB pods", Ask},
		{"kubectl get", "*prod*", "kubectl get pods -n $NS", Ask},
		{"make deploy*", "", "make -C x deploy-all", Deny},
		{"make deploy*", "", "make test", None},
		{"make deploy*", "", "cd x && make deploy &", Deny},
		{"./deploy.sh", "", "./deploy.sh now", Deny},
		{"./deploy.sh", "", "cd sub; ../deploy.sh", Deny},
		{"./deploy.sh", "", "sub/deploy.sh", None},
		{"deploy.sh", "", "sub/deploy.sh", Deny},
		{"KUBECTL", "", "kubectl get", Deny},
		{"*", "--force", "sometool --force", Deny},
		{"xy", "", "xargs xy < a", Deny},
		{"xy", "", "f() { xy; }; f", Deny},
		{"xy", "", "find . -exec xy {} +", Deny},
	} {
		r := AddedRule{
			Rule:    Rule{ID: "team.x", Verdict: Deny, Why: "Why", Instead: "Instead."},
			Line:    7,
			Command: strings.Fields(tc.command),
			Args:    strings.Fields(tc.args),
		}
		d := Judge(bash(tc.cmd), amended(Amendment{Added: []AddedRule{r}}))
		if d.Verdict != tc.want {
			t.Errorf("%s %s on %s: %q by %s, want %q", tc.command, tc.args, tc.cmd, d.Verdict, d.Rule, tc.want)
		}
		if d.Verdict != None && (d.Rule != "team.x" || d.From != "guard.toml:7" || d.Reason != "Instead.") {
			t.Errorf("%+v", d)
		}
	}
}

func TestAddedEffects(t *testing.T) {
	for _, tc := range []struct {
		kind         Kind
		target, path string
		cmd          string
		want         Verdict
	}{
		{effect.PublishOut, "", "", "npm publish", Deny},
		{effect.PublishOut, "", "", "npm install", None},
		{effect.PushForce, "release/*", "", "git push --force-with-lease origin release/1", Deny},
		{effect.PushForce, "release/*", "", "git push --force-with-lease origin topic", None},
		{effect.DeleteTree, "", "vendor", "rm -rf vendor/x", Deny},
		{effect.DeleteTree, "", "vendor", "rm -rf build", None},
	} {
		r := AddedRule{
			Rule:   Rule{ID: "team.x", Verdict: Deny, Why: "Why", Instead: "Instead."},
			Kinds:  []Kind{tc.kind},
			Target: tc.target,
		}
		if tc.path != "" {
			r.Paths = []string{tc.path}
		}
		if d := Judge(bash(tc.cmd), amended(Amendment{Added: []AddedRule{r}})); d.Verdict != tc.want {
			t.Errorf("%s %s %s on %s: %q by %s, want %q", tc.kind, tc.target, tc.path, tc.cmd,
				d.Verdict, d.Rule, tc.want)
		}
	}
}

// TestProtectedPaths checks every way in which a call can reach a protected path.
func TestProtectedPaths(t *testing.T) {
	protect := AddedRule{Rule: Rule{ID: "protected", Verdict: Deny, Why: "Why", Instead: "Instead."}, Kinds: Changing(),
		Paths: []string{"infra/prod", "db/**/*.sql", "*.lock", "~/notes"}}
	ctx := amended(Amendment{Added: []AddedRule{protect}})
	ctx.Resolve = func(p string) string {
		if fspath.Within(p, "/home/dev/proj/link") {
			return "/home/dev/proj/infra" + p[len("/home/dev/proj/link"):]
		}
		return p
	}
	for cmd, want := range map[string]Verdict{
		"echo x > infra/prod/main.tf":               Deny,
		"echo x > ./infra/../infra/prod/a/b/c":      Deny,
		"cd infra && touch prod/x":                  Deny,
		"sed -i s/a/b/ infra/prod/main.tf":          Deny,
		"rm infra/prod/main.tf":                     Deny,
		"rm -rf infra":                              Deny,
		"mv infra elsewhere":                        Deny,
		"rm -rf inf*":                               Deny,
		"rm -rf infra/*":                            Deny,
		"touch link/prod/x":                         Deny,
		"echo x > infra/test/main.tf":               None,
		"cat infra/prod/main.tf":                    None,
		"git rm infra/prod/main.tf":                 Deny,
		"git rm -r infra":                           Deny,
		"git mv infra/prod/main.tf x":               Deny,
		"git mv x infra/prod/main.tf":               Deny,
		"git checkout HEAD~1 -- infra/prod/main.tf": Deny,
		"git restore --source=HEAD~1 infra/prod":    Deny,
		"git diff infra/prod":                       None,
		"git add infra/prod":                        None,
		"rm -rf build":                              None,
		"rm -f *.txt":                               None,
		"rm -f *.lock":                              Deny,
		"echo x > go.lock":                          Deny,
		"echo x > sub/go.lock":                      None,
		"echo x > db/a.sql":                         Deny,
		"echo x > db/1/2/3.sql":                     Deny,
		"echo x > db/1/2/3.txt":                     None,
		"echo x > ~/notes/a":                        Deny,
		"echo x > infra/$NAME":                      Ask,
		"echo x > $FILE":                            None,
		"echo x > build/$NAME":                      None,
		"ssh host 'rm -rf /home/dev/proj/infra'":    Ask, // the built-in one: another machine
		"python3 -c 'open(\"go.lock\",\"w\")'":      Deny,
		"find infra -name '*.tf' -delete":           Ask,
		"cp a.tf infra/prod/":                       Deny,
		"tee infra/prod/x < a":                      Deny,
		"chmod -R 755 infra":                        Deny,
		"git diff > /tmp/x; echo infra/prod/x > a":  None,
	} {
		if d := Judge(bash(cmd), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q; %+v", cmd, d.Verdict, d.Rule, want, d.Effects)
		}
	}
	for _, tool := range []string{"Write", "Edit", "NotebookEdit"} {
		d := Judge(Call{Tool: tool, Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/infra/prod/x"}}}, ctx)
		if d.Verdict != Deny || d.Rule != "protected" {
			t.Errorf("%s: %+v", tool, d)
		}
	}
	d := Judge(Call{Tool: "Read", Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/infra/prod/x"}}}, ctx)
	if d.Verdict != None {
		t.Errorf("Read: %+v", d)
	}
}

func TestAddedTools(t *testing.T) {
	r := AddedRule{
		Rule:  Rule{ID: "team.x", Verdict: Ask, Why: "Why", Instead: "Instead."},
		Tool:  "mcp__github__*",
		Input: []ArgMatch{{Name: "repo", Pattern: "acme/*"}},
	}
	ctx := amended(Amendment{Added: []AddedRule{r}})
	for _, tc := range []struct {
		tool, path, value string
		want              Verdict
	}{
		{"mcp__github__merge", "repo", "acme/app", Ask},
		{"mcp__github__merge", "where.repo", "acme/app", Ask},
		{"mcp__github__merge", "repo", "other/app", None},
		{"mcp__github__merge", "title", "acme/app", None},
		{"mcp__gitlab__merge", "repo", "acme/app", None},
	} {
		if d := Judge(Call{Tool: tc.tool, Args: []Arg{{Path: tc.path, Value: tc.value}}}, ctx); d.Verdict != tc.want {
			t.Errorf("%+v: %q", tc, d.Verdict)
		}
	}
}

// TestPolicyFilesAreProtected checks that the guard protects its policy files in every directory
// and from every program.
func TestPolicyFilesAreProtected(t *testing.T) {
	for _, cmd := range []string{
		"echo > guard.toml", "echo >> sub/guard.toml", "rm guard.toml", "rm -f ./guard.toml", "mv guard.toml x",
		"cp x guard.toml", "sed -i s/a/b/ guard.toml", "tee guard.toml < x",
		"truncate -s 0 guard.toml", "chmod 000 guard.toml", "ln -sf x guard.toml", "vim guard.toml",
		"python3 -c 'open(\"guard.toml\",\"w\").write(\"\")'", "git rm guard.toml", "git mv guard.toml x",
		"git checkout HEAD~1 -- guard.toml", "git restore guard.toml", "git restore --source=x -- sub/guard.toml",
		"patch guard.toml < x", "dd of=guard.toml if=x", "install x guard.toml", "rsync x guard.toml",
		"curl -o guard.toml example.org", "wget -O guard.toml example.org", "find . -name guard.toml -delete",
		"perl -pi -e s/a/b/ guard.toml",
		"afar guard trust guard.toml", "afar guard trust --forget guard.toml",
	} {
		if d := Judge(bash(cmd), testContext()); d.Verdict != Deny {
			t.Errorf("%s: %q by %s: %+v", cmd, d.Verdict, d.Rule, d.Effects)
		}
	}
	for _, cmd := range []string{"rm guard.*", "rm -f *.toml", "rm -f *", "rm -rf *"} {
		if d := Judge(bash(cmd), amended(Amendment{File: "/home/dev/proj/guard.toml"})); d.Verdict != Deny {
			t.Errorf("%s: %q by %s: %+v", cmd, d.Verdict, d.Rule, d.Effects)
		}
	}
	for _, cmd := range []string{
		"cat guard.toml", "git diff guard.toml", "git add guard.toml", "afar guard explain ls",
		"afar guard test cases.toml", "grep -n x guard.toml", "ls guard.toml",
	} {
		if d := Judge(bash(cmd), testContext()); d.Verdict != None {
			t.Errorf("%s: %q by %s", cmd, d.Verdict, d.Rule)
		}
	}
	for _, tool := range []string{"Write", "Edit", "MultiEdit", "mcp__fs__write_file"} {
		d := Judge(Call{Tool: tool, Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/guard.toml"}}},
			testContext())
		if d.Verdict != Deny {
			t.Errorf("%s: %q", tool, d.Verdict)
		}
	}
}

// TestSteps checks the tree that explain draws.
func TestSteps(t *testing.T) {
	ctx := testContext()
	ctx.Steps = true
	d := Judge(bash("sudo bash -c 'cd /srv && rm -rf x' | cat"), ctx)
	var names []string
	var walk func(s *Step, depth int)
	walk = func(s *Step, depth int) {
		for _, n := range s.Steps {
			names = append(names, strings.Repeat(">", depth)+strings.Join(n.Words, " "))
			for _, i := range n.Effects {
				names = append(names, strings.Repeat(">", depth)+"="+string(d.Effects[i].Kind))
			}
			walk(n, depth+1)
		}
	}
	walk(d.Steps, 0)
	want := "sudo bash -c cd /srv && rm -rf x|=run with more rights|>bash -c cd /srv && rm -rf x|>>cd /srv|>>rm -rf " +
		"x|>>=delete tree|cat"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	if ctx.Steps = false; Judge(bash("ls"), ctx).Steps != nil {
		t.Error("a tree that nobody wants")
	}
}

func FuzzAmended(f *testing.F) {
	f.Add("infra/**", "kubectl del*", "--ctx=*", "kubectl delete x; rm -rf infra/*", "mcp__*")
	f.Fuzz(func(t *testing.T, path, command, arg, cmd, tool string) {
		if len(path)+len(command)+len(arg)+len(tool) > 1000 || len(cmd) > 4000 {
			t.Skip()
		}
		rules := []AddedRule{
			{Rule: Rule{ID: "a", Verdict: Deny, Why: "w", Instead: "i."}, Kinds: Changing(), Paths: []string{path}},
			{Rule: Rule{ID: "b", Verdict: Deny, Why: "w", Instead: "i."}, Tool: tool,
				Input: []ArgMatch{{Name: "command", Pattern: arg}}},
		}
		if words := strings.Fields(command); len(words) > 0 {
			rules = append(rules, AddedRule{Rule: Rule{ID: "c", Verdict: Deny, Why: "w", Instead: "i."}, Command: words,
				Args: []string{arg}})
		}
		without, with := testContext(), amended(Amendment{Added: rules})
		with.ReadOnly = true
		a, b := Judge(bash(cmd), without), Judge(bash(cmd), with)
		if !judge.Harder(b.Verdict, a.Verdict) {
			t.Fatalf("rules of a file made %q of %q", b.Verdict, a.Verdict)
		}
	})
}

// TestManyRules checks that a call takes little time with the largest number of patterns that
// a file may have. The bound is far above the measured time, and far below that of a walk over
// every pattern for every effect.
func TestManyRules(t *testing.T) {
	var added []AddedRule
	for i := range 150 {
		added = append(added,
			AddedRule{
				Rule:  Rule{ID: "p" + strconv.Itoa(i), Verdict: Deny, Why: "w", Instead: "i."},
				Kinds: Changing(),
				Paths: []string{"a/**/b" + strconv.Itoa(i) + "/**/*.x"},
			},
			AddedRule{
				Rule:    Rule{ID: "c" + strconv.Itoa(i), Verdict: Deny, Why: "w", Instead: "i."},
				Command: []string{"kubectl", "del*"},
				Args:    []string{"*a*b*c*"},
			})
	}
	ctx := amended(Amendment{Added: added})
	for _, text := range []string{
		strings.Repeat("rm -f q/w/e/r/t/y; ", 550), "rm -f " + strings.Repeat("a/b/c/d/e ", 1000),
		"rm -rf " + strings.Repeat("a/b/c/d/e ", 300), strings.Repeat("kubectl -n x get y; ", 500),
	} {
		start := time.Now()
		Judge(bash(text), ctx)
		took := time.Since(start)
		t.Logf("%d bytes: %v", len(text), took)
		if took > 15*time.Second {
			t.Errorf("%.20s…: %v", text, took)
		}
	}
}
