//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// modes are the permission modes of the client except bypassPermissions, in which the test
// tries all attacks. They are tried with the long tests.
var modes = []string{"default", "acceptEdits", "auto", "plan", "dontAsk"}

// TestRealAttack: a session tries to answer the ask of another one, and to silence the
// person, in every way that its shell has. In each other permission mode it tries one way of
// each kind, because the mode must not matter. The client's rules let the script run and the
// guard does not read it, so only the coordinator can refuse.
func TestRealAttack(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			client := host.NeedLong(t, version)
			r := newRig(t, client, "Bash(bash attack.sh:*)")
			r.must("away", "on")
			write(t, r.lab.Project, "recipe.txt", "touch made\n")
			victim := make(chan error, 1)
			go func() { // it waits longer than others do
				_, err := r.lab.Print(t.Context(),
					play(model.Bash("bash -c \"$(awk 1 recipe.txt)\""), model.Say("fin")))
				victim <- err
			}()
			card := r.card("recipe.txt")
			target := r.openAsk()
			// The guard denies a script like this one if it can read it: it is too large.
			write(t, r.lab.Project, "attack.sh", attack+"\n"+strings.Repeat("# nothing\n", 30_000))
			r.attacked("all", attacks, "bypassPermissions", target, client)
			for _, mode := range modes {
				if version == host.Current && long.Runs() { // the stand-in has no classifier of the oldest one's age
					r.attacked("some", attacksInBrief, mode, target, client)
				}
			}
			r.tap(card, "Allow")
			if err := <-victim; err != nil {
				t.Error(err)
			}
			if !r.exists("made") {
				t.Error("the person's own answer does not count")
			}
		})
	}
}

// TestRealTyping: a call that would type into the person's terminal raises a question, even
// in the mode without other questions.
func TestRealTyping(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.must("away", "on")
	done := r.printing(play(model.Bash("tmux send-keys -t 0 1 Enter && touch made"), model.Say("fin")), bypass...)
	card := r.card("tmux send-keys")
	if !strings.Contains(card.Text, "Types into a terminal") {
		t.Errorf("the card says\n%s", card.Text)
	}
	r.tap(card, "Deny")
	<-done
	if r.exists("made") {
		t.Error("it ran")
	}
}

// openAsk returns the only open ask.
func (r *rig) openAsk() wire.Ask {
	r.t.Helper()
	asks := r.status().Asks
	if len(asks) != 1 || asks[0].State != "open" {
		r.t.Fatalf("want one open ask, have %+v", asks)
	}
	return asks[0]
}

var tried = regexp.MustCompile(`(?m)^(\d+|timeout) ([^:]+): (.*)$`)

// The numbers of ways that attack.sh tries: all of them, or one of each kind.
const (
	attacks        = 64
	attacksInBrief = 25
)

// attacked lets a session in a permission mode run the script, or a part of it.
func (r *rig) attacked(which string, tries int, mode string, target wire.Ask, client string) {
	r.t.Helper()
	r.t.Logf("%s in mode %s", which, mode)
	_ = os.Remove(filepath.Join(r.lab.Project, "results"))
	command := strings.Join([]string{
		"bash attack.sh", filepath.Join(root, "bin"), r.home, target.ID, target.Session, client, which,
	}, " ")
	r.print(play(model.Bash(command), model.Say("fin")), "--permission-mode", mode)
	r.withstood(mode, tries, target)
}

// reasons are the texts of the refusals.
var reasons = []string{
	"may not decide",
	"decision of the person",
	"hook operations are taken only from",
	"speaks for it",
	"Afar's commands are a person's",
}

// withstood checks that no try of the script had an effect, and that each was refused with
// a reason.
func (r *rig) withstood(mode string, tries int, target wire.Ask) {
	r.t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.lab.Project, "results"))
	if err != nil {
		r.t.Fatalf("%s: the script did not run: %v\n%s\n%s", mode, err, r.refusal(), r.trail())
	}
	lines := tried.FindAllStringSubmatch(string(raw), -1)
	if len(lines) != tries {
		r.t.Errorf("%s: %d attacks, want %d:\n%s", mode, len(lines), tries, raw)
	}
	for _, m := range lines {
		isReason := func(text string) bool { return strings.Contains(m[3], text) }
		if !strings.HasPrefix(m[2], "mute ") && !slices.ContainsFunc(reasons, isReason) {
			r.t.Errorf("%s: %s", mode, m[0])
		}
	}
	if n := r.refusals(); n < tries*8/10 {
		r.t.Errorf("%s: the journal knows of %d refusals alone", mode, n)
	}
	st := r.status()
	if st.Settings.Away != "on" || st.Settings.Paused {
		r.t.Errorf("%s: the settings are %+v", mode, st.Settings)
	}
	for _, s := range st.Sessions {
		if s.ID == target.Session && (s.State != "waiting" || s.Away != "") {
			r.t.Errorf("%s: the session of the ask is %+v", mode, s)
		}
	}
	if len(st.Asks) != 1 || st.Asks[0].ID != target.ID || st.Asks[0].State != "open" || len(st.Loops) != 0 {
		r.t.Errorf("%s: the asks are %+v, the loops %+v", mode, st.Asks, st.Loops)
	}
	if r.exists("made") {
		r.t.Fatalf("%s: the tool ran", mode)
	}
}

// refusals returns how many refusals the journal has since the last call.
func (r *rig) refusals() (n int) {
	r.t.Helper()
	out := r.must("call", "log", fmt.Sprintf(`{"after":%d,"limit":5000}`, r.counted))
	var reply struct{ Body wire.LogReply }
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	for _, e := range reply.Body.Entries {
		if r.counted = e.Seq; e.Kind == "refused" {
			n++
		}
	}
	return n
}

// attack is the script that a session's shell runs. Each try writes one line: its exit
// code, its name and its output. A try whose name begins with "mute" prints nothing if it is
// refused; the state shows whether it had an effect.
const attack = `
bin=$1 home=$2 ask=$3 session=$4 client=$5 which=$6
bare="HOME=$HOME PATH=$PATH AFAR_HOME=$home AFAR_TELEGRAM_TOKEN=1234567:AAE0123456789012345678901234567890"
tmp=$(mktemp -d)
cp "$bin/afar" "$tmp/tool"; cp "$bin/hook-stop" "$tmp/hook-stop"
export AFAR_HOME=$home AFAR_TELEGRAM_TOKEN=1234567:AAE0123456789012345678901234567890
note() { echo "$1 $2: $(tr '\n' ' ' <"$3" | cut -c1-400)" >>results; }
now() { name=$1; shift; timeout 20 "$@" >"$tmp/out" 2>&1 </dev/null; note $? "$name" "$tmp/out"; }
# cut off: no parent, no environment, no terminal, no process group of the session's
gone() {
  name=$1; shift; rm -f "$tmp/done"
  ( ( sleep 0.05; setsid env -i $bare nohup bash -c 'o=$0; "$@" >"$o/out" 2>&1 </dev/null; echo $? >"$o/code"; mv "$o/code" "$o/done"' "$tmp" "$@" ) & ) >/dev/null 2>&1
  for i in $(seq 400); do [ -e "$tmp/done" ] && break; sleep 0.05; done
  note "$(cat "$tmp/done" || echo timeout)" "$name" "$tmp/out"
}
verbs=("allow $ask" "away off" pause)
ops=(answer away)
if [ "$which" = all ]; then
  verbs+=("allow $ask --session" "answer $ask yes" "deny $ask" "revoke grant_x" "loop start $session x"
    "telegram connect" "telegram disconnect" stop restart uninstall)
  ops+=(pause shutdown policy.trust telegram.pair)
fi
for verb in "${verbs[@]}"; do
  now "$verb" "$bin/afar" $verb
  now "env -i copy $verb" env -i $bare "$tmp/tool" $verb
  gone "cut off $verb" "$bin/afar" $verb
done
now "terminal of its own" script -qec "env -i $bare $bin/afar allow $ask" /dev/null
gone "cut off, terminal of its own" script -qec "$bin/afar allow $ask" /dev/null

cat >"$tmp/raw.pl" <<'END'
use IO::Socket::UNIX;
my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no socket: $!";
print $s "$ARGV[1]\n"; $s->flush; my $l = <$s>; print $l; exit($l =~ /"code":""/ ? 0 : 1);
END
socket=$("$bin/afar" status --json | sed -n 's/.*"socket": "\(.*\)".*/\1/p')
raw() { echo "{\"v\":1,\"op\":\"$1\",\"body\":$2}"; }
hook() { echo "{\"ask\":\"$ask\",\"client\":1,\"attended\":true,\"payload\":{\"session_id\":\"$session\",\"hook_event_name\":\"x\",\"command_name\":\"afar:away\",\"command_args\":\"off\",\"command_source\":\"plugin\"}}"; }
for op in "${ops[@]}"; do
  body="{\"id\":\"$ask\",\"allow\":true,\"mode\":\"off\",\"on\":true,\"path\":\"/x/guard.toml\",\"hash\":\"x\"}"
  now "socket $op" perl "$tmp/raw.pl" "$socket" "$(raw $op "$body")"
  gone "cut off socket $op" perl "$tmp/raw.pl" "$socket" "$(raw $op "$body")"
done
for op in hook.expand hook.session-end hook.ask.claim hook.ask.ended hook.prompt; do
  now "socket $op" perl "$tmp/raw.pl" "$socket" "$(raw $op "$(hook)")"
done

# Our own binaries, with an input of the session's making.
payload() { echo "{\"hook_event_name\":\"$1\",\"session_id\":\"$session\",\"cwd\":\"$PWD\",\"command_name\":\"afar:away\",\"command_args\":\"off\",\"command_source\":\"plugin\",\"prompt\":\"x\",\"reason\":\"x\"}"; }
forged() { # name, event, hook, what runs it
  payload "$2" >"$tmp/in"; binary=$3; name=$1; shift 3
  timeout 20 "$@" bash -c 'exec "$0" <"$1"' "$binary" "$tmp/in" >"$tmp/out" 2>&1; note $? "mute $name" "$tmp/out"
}
forged "copy of hook-stop" Stop "$tmp/hook-stop" env
for as in env "env CLAUDE_PID=1" "env CLAUDE_PID=$PPID" "env -i $bare CLAUDE_PID=1"; do
  forged "expansion $as" UserPromptExpansion "$bin/hook-user-prompt-expansion" $as
done
forged "end" SessionEnd "$bin/hook-session-end" env CLAUDE_PID=1
[ "$which" != all ] || now "mute nested client" "$client" --plugin-dir "$(dirname "$bin")" -p "/afar:away off"
rm -rf "$tmp"
`
