package guard

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// The ways to wrap a command. A command must be stopped in each of them. RAW is the command,
// TEXT the command as one quoted word of a shell, STRING the same in double quotes, as most
// languages have it.
var ways = []string{
	`time RAW`, `( RAW )`, `{ RAW; }`, `! RAW`, `RAW &`, `RAW | cat`, `cd . && RAW`, "# tidy up\nRAW",
	`echo "$(RAW)"`, `coproc { RAW; }`,
	`if true; then RAW; fi`, `for i in 1; do RAW; done`, `while true; do RAW; break; done`,
	`case x in *) RAW;; esac`, `f() { RAW; }; f`,
	"sh <<'END'\nRAW\nEND", `bash -c TEXT`, `eval TEXT`, `bash <<< TEXT`, `echo TEXT | bash`, `X=TEXT; eval "$X"`,
	`X=TEXT && sh -c "$X"`,
	`echo TEXT > /tmp/run.sh && bash /tmp/run.sh`, `trap TEXT EXIT`, `timeout 60 bash -c TEXT`, `sudo sh -c TEXT`,
	`nohup bash -c TEXT &`, `watch TEXT`,
	`npx -c TEXT`, `parallel ::: TEXT`, `tmux new-session -d TEXT`,
	`python3 -c 'import os; os.system(STRING)'`, `node -e 'require("child_process").execSync(STRING)'`,
	`perl -e 'system(q{RAW})'`,
}

// spellings are other ways to write WORD REST, if no character of them has a meaning for a
// shell.
var spellings = []string{
	`\WORD REST`, `"WORD" REST`, `'WORD' REST`, `$'WORD' REST`, `$(echo WORD) REST`, "`echo WORD` REST",
	`$(printf %s WORD) REST`, `X=WORD; $X REST`, `${X:-WORD} REST`,
	`/usr/bin/WORD REST`, `$(which WORD) REST`, `command WORD REST`, `exec WORD REST`, `env WORD REST`,
	`sudo -n WORD REST`, `A=1 B=2 WORD REST`, `</dev/null WORD REST`,
	`2>&1 WORD REST`, "WORD \\\n  REST", "WORD\tREST # it is fine", `""WORD REST`, `$@WORD REST`, `$1WORD REST`,
	`a=(WORD REST); "${a[@]}"`, `run() { "$@"; }; run WORD REST`,
	`run() { WORD "$@"; }; run REST`, `set -- WORD REST; "$@"`, `alias x=WORD; x REST`,
}

// farWays are wrapped commands that are tried with a few commands only: other programs that
// start one.
var farWays = []string{
	`su -c TEXT`, `doas sh -c TEXT`, `choom -n 1 -- sh -c TEXT`, `capsh -- -c TEXT`,
	`gdb -batch -ex run --args sh -c TEXT`, `nix-shell -p x --run TEXT`,
	`doppler run --command TEXT`, `direnv exec . sh -c TEXT`, `poetry run sh -c TEXT`, `npx lerna exec -- sh -c TEXT`,
	`yarn exec TEXT`, `cargo watch -s TEXT`,
	`watchexec TEXT`, `npx nodemon --exec TEXT`, `hyperfine TEXT`, `flock /tmp/l -c TEXT`,
	`tmux split-window sh -c TEXT`, `zellij run -- sh -c TEXT`,
	`xterm -e TEXT`, `kitty sh -c TEXT`, `wezterm start -- sh -c TEXT`, `gnome-terminal -- sh -c TEXT`,
	`konsole --execute=TEXT`, `pwsh -c TEXT`,
	`git rebase -x TEXT`, `git submodule foreach TEXT`, `GIT_SSH_COMMAND=TEXT git fetch`,
	`sqlite3 :memory: '.shell RAW'`, `psql -c '\! RAW'`, `sed '1e RAW'`, `vim -es -c '!RAW'`,
	`perl -e 'exec q(RAW)'`, `perl -e 'print qx{RAW}'`, `perl -e 'open(F, qq{RAW |}); print <F>'`,
	`perl -e "system 'sh', '-c', q{RAW}"`, `ruby -e 'system(%q(RAW))'`, `ruby -e 'puts %x(RAW)'`,
	`ruby -e 'IO.popen(STRING).read'`, `php -r 'passthru(STRING);'`, `lua -e 'os.execute(STRING)'`,
	`awk 'BEGIN { system(STRING) }'`,
	"python3 - <<'END'\nimport subprocess\ndef sh(c):\n    return subprocess.run(c, shell=True)\nsh(STRING)\nEND",
	`python3 -c 'import os; sh = lambda c: os.system(c); sh(STRING)'`,
	`python3 -c 'import os; os.execl("/bin/sh", "sh", "-c", STRING)'`,
	`python3 -c 'import os; os.execvp("sh", ["sh", "-c", STRING])'`,
	`node -e 'const sh = c => require("child_process").execSync(c); sh(STRING)'`,
	`node -e 'function go(c) { return require("child_process").execSync(c) }; go(STRING)'`,
	`deno eval 'new Deno.Command("sh", {args: ["-c", STRING]}).outputSync()'`, `elixir -e 'System.shell(STRING)'`,
	`groovy -e '["sh", "-c", STRING].execute()'`,
	`guile -c '(system STRING)'`, `sbcl --eval '(uiop:run-program STRING)'`, `expect -c 'spawn sh -c {RAW}'`,
	`tclsh <<< 'exec sh -c {RAW}'`, `osascript -e 'do shell script STRING'`,
}

var few = []string{
	"rm -rf /", "rm -rf ~/Documents", "git push --force origin main", "git reset --hard HEAD~3", "dropdb prod",
	"terraform destroy -auto-approve", "cat ~/.ssh/id_rsa",
}

func put(way, command string) string {
	text := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	code := strings.Trim(strings.ReplaceAll(strconv.Quote(command), "'", `'\''`), " ")
	if !strings.Contains(way, "'") {
		code = strconv.Quote(command)
	}
	return strings.NewReplacer("RAW", command, "TEXT", text, "STRING", code).Replace(way)
}

func TestWrapped(t *testing.T) {
	for _, command := range stopped(t) {
		for _, way := range ways {
			if strings.Contains(way, "'RAW") || strings.Contains(way, "{RAW}") && strings.Contains(command, "'") {
				continue
			}
			if d := Judge(bash(put(way, command)), testContext()); d.Verdict == None {
				t.Errorf("passes: %s", put(way, command))
			}
		}
	}
	for _, command := range stopped(t) {
		word, rest, _ := strings.Cut(command, " ")
		for _, spelling := range spellings {
			text := strings.NewReplacer("WORD", word, "REST", rest).Replace(spelling)
			if plain(word, rest) && Judge(bash(text), testContext()).Verdict == None {
				t.Errorf("passes: %s", text)
			}
		}
	}
	for _, command := range few {
		for _, way := range farWays {
			if d := Judge(bash(put(way, command)), testContext()); d.Verdict == None {
				t.Errorf("passes: %s", put(way, command))
			}
		}
	}
}

// plain reports whether the command is the name of a program and the arguments have no special
// characters except quotes.
func plain(word, rest string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-0123456789") == "" &&
		!strings.ContainsAny(rest, "|&;<>(){}`#=\\")
}

// stopped returns some of the cases that are denied or asked about.
func stopped(t *testing.T) (commands []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(raw), "\n") {
			verdict, command, _ := strings.Cut(line, " ")
			if lex.OneOf(verdict, "deny ask") && i%11 == 0 && !strings.Contains(command, "⏎") &&
				filepath.Base(file) != "windows.txt" {
				commands = append(commands, command)
			}
		}
	}
	if len(commands) < 200 {
		t.Fatalf("only %d commands", len(commands))
	}
	return commands
}

// globals lists options that a program takes before its verb, as NAME:option.
var globals = []string{
	"git:-C .", "git:--no-pager", "git:-c core.pager=cat", "git:--git-dir=.git --work-tree=.",
	"git:--exec-path=/usr/lib/git-core", "kubectl:-n prod", "kubectl:--context prod",
	"kubectl:--as admin", "kubectl:-v=5", "docker:-H tcp://x:1", "docker:--context prod", "aws:--profile prod",
	"aws:--no-cli-pager", "aws:--endpoint-url http://x",
	"gcloud:--project p", "gcloud:-q", "gcloud:--account a", "gcloud:beta", "terraform:-chdir=infra", "helm:-n prod",
	"helm:--kube-context prod", "npm:--silent", "npm:-w pkg",
	"cargo:-q", "cargo:-Z x", "az:--subscription s", "psql:-h prod -U x", "psql:postgres://u@h/db",
	"mysql:-u root -psecret", "redis-cli:-h r -p 6379", "mongosh:mongodb://h/db",
	"systemctl:--user", "rm:-v", "rm:--one-file-system", "ssh:-i k -p 22", "ssh:-o StrictHostKeyChecking=no",
	"curl:-sSL", "curl:-X POST", "pulumi:--cwd infra", "heroku:-a app", "vault:-namespace=x",
}

func TestGlobalOptions(t *testing.T) {
	tried := 0
	for _, command := range stopped(t) {
		name, rest, _ := strings.Cut(command, " ")
		for _, global := range globals {
			if of, option, _ := strings.Cut(global, ":"); of == name && plain(name, rest) {
				text := name + " " + option + " " + rest
				if tried++; Judge(bash(text), testContext()).Verdict == None {
					t.Errorf("passes: %s", text)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d tried", tried)
	}
}
