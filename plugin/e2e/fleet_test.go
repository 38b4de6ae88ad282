//go:build linux

package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

var joins = regexp.MustCompile(`afar fleet join (\S+)`)

// newFleet returns two machines with the newest client: desk, the hub, which has Ann's phone, and build, a member. Ann is
// away from both, and a session of either that stops is at rest within a second.
func newFleet(t *testing.T, allowed ...string) (desk, build *rig) {
	t.Helper()
	client := host.Need(t, host.Current)
	desk = newRig(t, client, allowed...)
	desk.must("fleet", "serve", "--listen", netproxy.FreeAddr(t), "--name", "desk")
	build = newMachine(t, desk.bot, client, root, "off", allowed...)
	build.isMember = true
	word := joins.FindStringSubmatch(desk.must("fleet", "invite", "--name", "build"))
	build.must("fleet", "join", word[1])
	desk.lab.Set("PATH", desk.bin+":"+os.Getenv("PATH"))
	for _, r := range []*rig{desk, build} {
		r.configure("[checkin]\nhold = \"1s\"")
		r.must("away", "on")
	}
	return desk, build
}

// TestRealFleet: the calls of real sessions on two machines are asked about on the one phone, where the member's names
// its machine. Each answer is for its own call alone, and a text from the phone reaches the member's session.
func TestRealFleet(t *testing.T) {
	desk, build := newFleet(t)
	for _, r := range []*rig{desk, build} {
		r.term = r.lab.Terminal("--permission-mode", "default")
		r.ask("it", model.Bash("echo run >> made")) // the same call, so only its machine tells whose it is
	}
	isOf := func(r *rig) func(botapi.Message) bool {
		return func(m botapi.Message) bool {
			return len(m.Keyboard) > 0 && strings.Contains(m.Text, "echo run") &&
				strings.Contains(m.Text, "on build:") == (r == build)
		}
	}
	ours, theirs := desk.seen(isOf(desk), "the card of desk"), desk.seen(isOf(build), "the card of build")
	desk.tap(theirs, "Allow")
	desk.becomes(theirs, "ran ok")
	desk.tap(ours, "Deny")
	desk.becomes(ours, "Denied by Ann")
	desk.asked("Denied by Ann")
	if !strings.HasSuffix(ours.Text, "desk · "+desk.status().Sessions[0].Token) {
		t.Errorf("the card of the hub does not name it:\n%s", ours.Text)
	}
	if desk.exists("made") || build.lines("made") != 1 {
		t.Errorf("the denied call ran: %t; the allowed one ran %d times", desk.exists("made"), build.lines("made"))
	}
	build.did("it")
	build.idle()
	desk.ann.Say(annID, "/send "+build.status().Sessions[0].Token+"@build "+instruction)
	build.asked(instruction)
	if turns := desk.model.Turns(); turns[len(turns)-1].Has(instruction) {
		t.Error("desk's session has the text, too")
	}
}

// TestRealFleetRun: a session on the hub proposes a run on the member. The question on the phone says on which machine;
// the run begins there once it is allowed, and its result comes to the phone and to the session.
func TestRealFleetRun(t *testing.T) {
	desk, build := newFleet(t)
	build.hire(host.Need(t, host.Current))
	const prompt = "count the gates"
	desk.model.Script(func(q model.Request) model.Turn {
		switch {
		case q.Has("four gates"):
			return model.Say("there are four")
		case len(q.ToolResults()) == 0:
			return model.Bash("afar --machine build run start --name gates --dir " + build.lab.Project + " '" + prompt + "'")
		}
		return model.Say("proposed")
	})
	build.model.Script(func(model.Request) model.Turn { return model.Say("four gates") })
	desk.term = desk.lab.Terminal("--permission-mode", "default")
	desk.term.Submit("ask somebody on build")
	card := desk.card(prompt)
	if !strings.Contains(card.Text, "would start an agent on build, in "+build.lab.Project) {
		t.Errorf("the card says\n%s", card.Text)
	}
	if turns := build.model.Turns(); len(turns) > 0 {
		t.Errorf("the run began before it was allowed: %q", turns[0].Prompt())
	}
	desk.tap(card, "Allow")
	build.becameRun("gates", "idle")
	desk.said("four gates")
	desk.term.Await("there are four", within)
}
