package telegram

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// A talk is a chat with the bot, written down as people see it. Cards are left to the
// captures.
type talk struct {
	*rig
	text    strings.Builder
	seen    map[int]string // what each message said when it was written down last
	answers int
	agent   string // that asks
}

// TestTalk compares every text of the bot, except cards, with testdata/talk.txt. Read the
// difference before you rewrite the file with -update.
func TestTalk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute: one message a second, as Telegram wants it")
	}
	t.Parallel()
	r := newRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a long talk
	defer cancel()
	r.ctx = ctx
	k := &talk{rig: r, seen: map[int]string{}}
	eve := r.api.User(66, "Eve")
	k.part("Strangers, and pairing")
	k.says(eve, "hello?")
	k.does("afar telegram pair", func() error { _, _, err := r.ch.StartPairing(); return err })
	k.says(r.ann, "/start 000000")
	k.says(r.ann, "/start "+code)

	k.part("Commands")
	for _, text := range []string{
		"/help", "/status", "/sessions", "/asks", "/grants", "/loops", "/away", "/away on 2h",
		"/away auto", "/away off",
		"/away sometimes", "/here", "/pause", "/resume", "/nonsense",
	} {
		k.says(r.ann, text)
	}

	k.part("Texts for sessions")
	k.says(r.ann, "run the tests")
	k.does("a session starts", func() error { r.session("s1"); return nil })
	k.says(r.ann, "run the tests")
	k.says(r.ann, "yes")
	k.does("another session starts", func() error { r.session("s2"); return nil })
	k.says(r.ann, "now lint")
	k.taps(r.ann, "Which session", "s2-")
	k.taps(r.ann, "gets it", "s1-")
	k.does("a session ends before it took its text", func() error { return r.core.EndSession("s2", "exit") })

	k.part("Answers to questions")
	k.does("away on", func() error { return r.core.SetAway("", session.On, 0) })
	k.asks("a1", "git push", "git", "push")
	k.says(r.ann, "/asks")
	k.taps(r.ann, "git push\n", "Allow for session")
	k.taps(r.ann, "git push\n", "Deny")
	k.asks("a2", "rm notes")
	k.says(r.ann, "use git mv")
	k.asks("a3", "make")
	k.agent = "sub" // its question outlives the turn of the main agent
	k.asks("a4", "make lint")
	k.says(r.ann, "not that way")
	k.taps(r.ann, "Which one do you mean", "None")
	k.says(r.ann, "no")
	k.taps(r.ann, "Which one do you mean?\nno", "s1-")
	k.says(r.ann, "all")
	k.says(eve, "yes")
	k.says(r.ann, "/grants")
	k.taps(r.ann, "Allowed without asking", "Revoke 1")
	k.taps(r.ann, "No standing permissions", "Revoke 1")

	k.part("A session that stopped")
	k.does("s1 stops", func() error {
		r.took("s1", "earlier")
		_, err := r.stops(ask.NewCheckIn("c1", "s1", "All green.", "/home/ann/s1"))
		return err
	})
	k.says(r.ann, "commit it")
	k.does("the session takes it",
		func() error { _, err := r.core.Deliver("s1", "hook", session.Process{}); return err })
	k.says(r.ann, "/status")

	k.part("Notices")
	for _, text := range []string{
		"guard.toml:3: unknown key \"denny\"", "guard.toml:4: unknown key \"alow\"", "guard.toml cannot be read",
	} {
		k.does("a policy file is broken", func() error { _, err := r.core.PolicyBroken("s1", text); return err })
	}
	k.passes(time.Minute)
	k.golden()
}

// part begins a part of the talk.
func (k *talk) part(name string) { fmt.Fprintf(&k.text, "\n# %s\n", name) }

// does makes something happen elsewhere.
func (k *talk) does(what string, act func() error) {
	k.Helper()
	fmt.Fprintf(&k.text, "\n(%s)\n", what)
	if err := act(); err != nil {
		k.Fatal(err)
	}
	k.hear()
}

// asks opens a question of s1; with argv it can be allowed for the session.
func (k *talk) asks(id ask.ID, command string, argv ...string) {
	k.Helper()
	k.does("s1 asks for "+command, func() error {
		a := ask.Ask{
			ID: id, Kind: ask.Permission, Session: "s1", Agent: k.agent, Tool: "Bash", Text: command,
			Hash: strings.Repeat(string(id), 8), Attended: true,
		}
		if len(argv) > 0 {
			a.Offer = &ask.Offer{Rules: grant.Narrowest(grant.Need{Tool: "Bash", Commands: [][]string{argv}})}
		}
		_, err := k.core.OpenCovered(a, grant.Need{})
		return err
	})
}

func (k *talk) says(who *botapi.User, text string) {
	k.Helper()
	fmt.Fprintf(&k.text, "\n%s: %s\n", who.Name, text)
	who.Say(who.ID, text)
	k.hear()
}

// taps presses a button of the newest message that contains text, or once contained it.
func (k *talk) taps(who *botapi.User, text, button string) {
	k.Helper()
	all := k.api.Messages(k.ann.ID)
	for i := len(all) - 1; i >= 0; i-- {
		if strings.Contains(all[i].Text, text) {
			fmt.Fprintf(&k.text, "\n%s taps [%s]\n", who.Name, button)
			k.tap(who, all[i].ID, button)
			k.hear()
			return
		}
	}
	k.Fatalf("no message with %q:\n%s", text, k.text.String())
}

func (k *talk) passes(d time.Duration) {
	k.Helper()
	k.later.Add(int64(d))
	k.does(fmt.Sprintf("%v pass", d), func() error {
		return k.core.SetAway("", session.On, 0) // as it is already: at a change whoever waits looks at the clock
	})
}

// hear writes down what the bot says, when it has nothing left to do.
func (k *talk) hear() {
	k.Helper()
	k.settled()
	k.eventually("all is dealt with", func() bool {
		left, err := k.core.Received(Name)
		_, busy, _, err2 := k.store.Due(Name, k.now(), time.UnixMilli(0), "")
		return err == nil && err2 == nil && len(left) == 0 && !busy
	})
	for _, a := range k.api.CallbackAnswers()[k.answers:] {
		k.answers++
		fmt.Fprintf(&k.text, "  ⟨%s⟩\n", a.Text)
	}
	for _, chat := range []int64{k.ann.ID, 66} {
		for _, m := range k.api.Messages(chat) {
			k.write(m)
		}
	}
}

func (k *talk) write(m botapi.Message) {
	now := fmt.Sprint(m.Text, m.Labels())
	before, old := k.seen[m.ID]
	k.seen[m.ID] = now
	card := strings.Contains(m.Text, "📁")
	switch {
	case old && before == now:
	case card && !old:
		k.text.WriteString("  ┌ a card\n")
	case card:
		k.text.WriteString("  ┌ the card follows\n")
	case old:
		k.text.WriteString(box(m, "┌ becomes\n"))
	default:
		k.text.WriteString(box(m, ""))
	}
}

func box(m botapi.Message, head string) string {
	text := head + "│ " + strings.ReplaceAll(m.Text, "\n", "\n│ ")
	for _, label := range m.Labels() {
		text += "\n│ [ " + label + " ]"
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

var (
	hours = regexp.MustCompile(`([A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2}, )?\d\d:\d\d(:\d\d)?`)
	spans = regexp.MustCompile(`\d+ (s|min|h)\b`)
)

func (k *talk) golden() {
	k.Helper()
	got := strings.TrimLeft(spans.ReplaceAllString(hours.ReplaceAllString(k.text.String(), "10:42"), "7 s"), "\n")
	path := filepath.Join("testdata", "talk.txt")
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			k.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		k.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		k.Errorf("(-testdata/talk.txt +now)\n%s", diff)
	}
}
