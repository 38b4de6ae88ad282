package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

var (
	killAsks = flag.Int("kill-asks", 40, "asks of the test that kills the coordinator")
	killSeed = flag.Uint64("kill-seed", 0,
		"seed of what is asked, answered and killed when; 0 takes one from the clock")
)

// seeded returns the seed of this run and logs it.
func seeded(t *testing.T) uint64 {
	t.Helper()
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kill-seed %d", seed)
	return seed
}

// A plan is the random course of one ask.
type plan struct {
	n      int
	guard  bool   // the guard asks in a print session; otherwise the host asks at a terminal
	allow  bool   // Ann's first decision
	words  string // the text with which she refuses; "" if she taps
	newest bool   // she answers the newer one of two cards
	again  string // the button that she taps right after her answer; "" for none
	late   string // the button that she taps after the end; "" for none
	dead   bool   // she answers while no coordinator runs

	onStart, onCard, onAnswer, onEnd, onOutcome *strike
}

func newPlan(seed uint64, n int) plan {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	p := plan{n: n, guard: r.IntN(2) == 0, allow: r.IntN(2) == 0, newest: r.IntN(2) == 0, dead: r.IntN(6) == 0}
	if !p.allow && r.IntN(3) == 0 {
		p.words = fmt.Sprintf("not this one, do number %03d another way", n)
	}
	if r.IntN(3) == 0 {
		p.again = button(r.IntN(2) == 0)
	}
	if r.IntN(3) == 0 {
		p.late = button(r.IntN(2) == 0)
	}
	for _, at := range []**strike{&p.onStart, &p.onCard, &p.onAnswer, &p.onEnd, &p.onOutcome} {
		*at = newStrike(r)
	}
	return p
}

// newStrike returns a kill one time in five, usually within a few milliseconds, else nil.
func newStrike(r *rand.Rand) *strike {
	if r.IntN(5) > 0 {
		return nil
	}
	s := &strike{after: time.Duration(r.IntN(8000)) * time.Microsecond}
	if r.IntN(3) == 0 {
		s.after *= 10
	}
	if r.IntN(4) == 0 {
		s.early = time.Duration(1+r.IntN(60)) * time.Millisecond
	}
	return s
}

func button(allow bool) string {
	if allow {
		return "Allow"
	}
	return "Deny"
}

func (p plan) mark() string { return fmt.Sprintf("kill-%03d-end", p.n) }

// command returns the command of the call. It is different for each plan.
func (p plan) command() string {
	if p.guard {
		return "git push --force origin " + p.mark()
	}
	return "touch " + p.mark()
}

// A tap is one press of a button, or a text, with the result that it must have.
type tap struct {
	query string // of a press
	first bool   // it decides the ask
}

// An askRun is the course of one ask.
type askRun struct {
	plan
	taps []tap
	said string // the output of the hook
	err  error
}

// askHost is the host's client: it runs the hooks, and the tools that they allow.
type askHost struct {
	*phone
	client string // variable with the client's process id
}

// TestKillAsks: a person answers asks while the coordinator is killed again and again.
// Nothing is lost, nothing happens twice, and no answer reaches another ask.
func TestKillAsks(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	seed := seeded(t)
	p := newPhone(t)
	h := &askHost{phone: p, client: "CLAUDE_PID=" + strconv.Itoa(bystander(t))}
	roaming, stop := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	killer.Go(func() { p.roam(roaming, rand.New(rand.NewPCG(seed, 1<<32))) })
	runs := h.liveAll(seed, *killAsks)
	stop()
	killer.Wait()
	p.drain()
	orphans := p.tapOrphans(runs)
	doubles := 0
	journal := p.journal()
	for _, r := range runs {
		doubles += p.checkCards(r)
		h.check(r)
		p.checkTaps(r)
		p.checkJournal(r, journal)
	}
	p.checkWhole(journal)
	t.Logf("%d asks, %d kills, %d coordinators: %d cards were sent twice, %d of them kept their buttons until tapped",
		len(runs), len(p.kills), count(journal, "coordinator.started"), doubles, orphans)
	if len(p.kills) < len(runs)/2 {
		t.Errorf("only %d kills: that proves little", len(p.kills))
	}
}

// bystander starts a process that lives as long as the test.
func bystander(t testing.TB) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "cat")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// roam kills the coordinator at random moments until ctx ends.
func (p *phone) roam(ctx context.Context, r *rand.Rand) {
	for {
		select {
		case <-time.After(time.Duration(200+r.IntN(2300)) * time.Millisecond):
			p.fire(p.aim())
		case <-ctx.Done():
			return
		}
	}
}

// liveAll runs count asks, a few at a time.
func (h *askHost) liveAll(seed uint64, count int) []*askRun {
	runs := make([]*askRun, count)
	next := make(chan int)
	var hosts sync.WaitGroup
	for range 10 {
		hosts.Go(func() {
			for n := range next {
				r := &askRun{plan: newPlan(seed, n)}
				runs[n] = r
				if r.err = h.live(r); r.err != nil {
					h.t.Errorf("ask %d: %v (%+v)", n, r.err, r.plan)
				}
			}
		})
	}
	for n := range runs {
		next <- n
	}
	close(next)
	hosts.Wait()
	if h.t.Failed() {
		h.t.Fatal(h.trail())
	}
	return runs
}

func (h *askHost) live(r *askRun) error {
	in := h.session(fmt.Sprintf("session-%d", r.n%3), fmt.Sprintf("prompt-%03d", r.n)).
		with(payload{"tool_name": "Bash", "tool_input": payload{"command": r.command(), "description": "t"}})
	event, attended := "PermissionRequest", "CLAUDE_CODE_SESSION_ATTENDED=1"
	if r.guard {
		event, attended = "PreToolUse", "CLAUDE_CODE_SESSION_ATTENDED=0"
	}
	var hook *hookRun
	h.during(r.onStart, func() { hook = h.start(event, in, attended, h.client) })
	cards, err := h.cards(hook, r.mark())
	if err != nil {
		return err
	}
	h.during(r.onCard, func() {})
	if r.dead {
		h.fire(h.aim())
	}
	card := cards[0]
	if r.newest {
		card = cards[len(cards)-1]
	}
	h.during(r.onAnswer, func() { err = h.answer(r, card) })
	if err != nil {
		return err
	}
	if r.said, err = hook.wait(); err != nil {
		return err
	}
	if err := h.run(r, in, attended); err != nil || r.late == "" {
		return err
	}
	return h.tap(r, card.ID, r.late)
}

// cards waits for the cards of an ask. It returns an error if the hook ends first.
func (h *askHost) cards(hook *hookRun, mark string) ([]botapi.Message, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	go func() {
		select {
		case err := <-hook.ended:
			hook.ended <- err
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err := h.bot.Await(ctx, func(m botapi.Message) bool {
		return m.Chat == annID && len(m.Keyboard) > 0 && strings.Contains(m.Text, mark)
	})
	if err != nil {
		return nil, fmt.Errorf("no card; the hook printed %q %q", hook.out.String(), hook.err.String())
	}
	return h.current(mark), nil
}

// answer makes Ann's decision, and then presses a second button if the plan says so.
func (h *askHost) answer(r *askRun, card botapi.Message) (err error) {
	if r.words != "" {
		_, err = h.ann.Reply(card.ID, r.words)
		r.taps = append(r.taps, tap{first: true})
	} else {
		err = h.tap(r, card.ID, button(r.allow))
	}
	if err != nil || r.again == "" {
		return err
	}
	return h.tap(r, card.ID, r.again)
}

// tap presses a button that the card has, or had a moment ago.
func (h *phone) tap(r *askRun, card int, button string) error {
	query, err := h.ann.TapLate(card, button)
	r.taps = append(r.taps, tap{query: query, first: len(r.taps) == 0})
	return err
}

// run does what the host does after a hook: an allowed tool runs and writes a line, and the
// hook after the tool runs too.
func (h *askHost) run(r *askRun, in payload, vars ...string) error {
	h.during(r.onEnd, func() {})
	if !strings.Contains(r.said, `"allow"`) {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(h.project, r.mark()), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, r.command())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	var outcome *hookRun
	h.during(r.onOutcome, func() {
		outcome = h.start("PostToolUse", in.with(payload{"duration_ms": 80, "tool_response": payload{"stdout": ""}}),
			append(vars, h.client)...)
	})
	_, err = outcome.wait()
	return err
}

// check compares Ann's answer with the tool that ran and with what the model was told.
func (h *askHost) check(r *askRun) {
	raw, _ := os.ReadFile(filepath.Join(h.project, r.mark()))
	ran, want := strings.Count(string(raw), "\n"), 0
	says := `"Denied by Ann on Telegram.`
	switch {
	case r.allow:
		want, says = 1, `"allow"`
	case r.words != "":
		says = strconv.Quote(r.words)
	}
	if ran != want || !strings.Contains(r.said, says) || strings.Count(r.said, "\n") != 1 {
		h.t.Errorf("ask %d: the tool ran %d times, want %d; the hook said %s, want %s", r.n, ran, want, r.said, says)
	}
}

// tapOrphans taps the cards that still have buttons when all asks are settled. A kill
// interrupted their sending, so the coordinator does not know them. Each tap must get an
// honest answer and settle the card.
func (p *phone) tapOrphans(runs []*askRun) (orphans int) {
	for _, r := range runs {
		for _, m := range p.showing(r.mark()) {
			if len(m.Keyboard) == 0 {
				continue
			}
			orphans++
			if err := p.tap(r, m.ID, "Allow"); err != nil {
				p.t.Error(err)
			}
		}
	}
	p.drain()
	return orphans
}

// checkCards checks that all cards of an ask say how it ended. It returns the number of
// cards after the first.
func (p *phone) checkCards(r *askRun) (doubles int) {
	want := []string{"⛔ Denied by Ann", "not run"}
	if r.allow {
		want = []string{"✅ Allowed by Ann", "ran ok"}
	}
	cards := p.showing(r.mark())
	for i, m := range cards {
		if len(m.Keyboard) > 0 || !strings.Contains(m.Text, want[0]) || !strings.Contains(m.Text, want[1]) {
			p.t.Errorf("ask %d: want %q, the card says %v\n%s", r.n, want, m.Labels(), m.Text)
		}
		// A sending is noted a few milliseconds later on a quiet machine.
		if i > 0 && p.killed(cards[i-1].Sent.Add(-200*time.Millisecond),
			earlier(m.Sent, cards[i-1].Sent.Add(time.Second))) == 0 {
			p.t.Errorf("ask %d: card %d was sent at %v, card %d at %v, and no kill explains it", r.n, cards[i-1].ID,
				cards[i-1].Sent, m.ID, m.Sent)
		}
	}
	if len(cards) == 0 {
		p.t.Errorf("ask %d has no card", r.n)
	}
	const twice = "↻ You may see this twice; this copy is settled"
	if len(cards) > 1 && !strings.Contains(cards[len(cards)-1].Text, twice) {
		p.t.Errorf("ask %d: its second card does not say so:\n%s", r.n, cards[len(cards)-1].Text)
	}
	return max(0, len(cards)-1)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// checkTaps checks that each tap got one honest answer.
func (p *phone) checkTaps(r *askRun) {
	answers := map[string]string{}
	for _, a := range p.bot.CallbackAnswers() {
		answers[a.QueryID] = a.Text
	}
	verb := map[bool]string{true: "Allowed", false: "Denied"}[r.allow]
	for i, tap := range r.taps {
		want := verb
		if !tap.first {
			want = "Too late: " + strings.ToLower(verb) + " by Ann"
		}
		if tap.query != "" && !strings.HasPrefix(answers[tap.query], want) {
			p.t.Errorf("ask %d: tap %d got %q, want %q", r.n, i, answers[tap.query], want)
		}
	}
}

// checkJournal checks that the journal has the opening, the answer, the delivery and the
// run of an ask once, in that order, and nothing else.
func (p *phone) checkJournal(r *askRun, journal []wire.Entry) {
	input, err := json.Marshal(payload{"command": r.command(), "description": "t"})
	if err != nil {
		p.t.Fatal(err)
	}
	call, err := hookinput.ReadTool("Bash", input)
	if err != nil {
		p.t.Fatal(err)
	}
	id, life := "", []string{}
	for _, e := range journal {
		if e.Kind == "ask.opened" && strings.Contains(e.Text, "(sha256 "+call.Hash()[:8]+")") {
			id = e.Subject
		}
		if e.Subject == id && id != "" {
			life = append(life, e.Kind)
		}
	}
	want := "ask.opened ask.answered ask.delivered"
	if r.allow {
		want += " ask.ran"
	}
	got := strings.Join(life, " ")
	// A hook that a busy machine kept from dialling for ask.RedialFor was taken for dead, and came back.
	got = strings.Replace(got, "ask.answered ask.ended ask.delivered", "ask.answered ask.delivered", 1)
	if got != want {
		p.t.Errorf("ask %d: the journal tells %q, want %q", r.n, got, want)
	}
}

// checkWhole checks that no update and no ask is left over, and that the journal is
// valid.
func (p *phone) checkWhole(journal []wire.Entry) {
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	if err := p.bot.AwaitConfirmed(ctx); err != nil {
		p.t.Error(err)
	}
	var left wire.AsksReply
	p.call(wire.OpAsks, nil, &left)
	if len(left.Asks) > 0 {
		p.t.Errorf("asks are left: %+v", left.Asks)
	}
	for i, e := range journal {
		if e.Seq != int64(i+1) || e.Kind == "store.damaged" {
			p.t.Errorf("journal entry %d: %+v", i+1, e)
		}
	}
	p.afar("audit", "verify")
}

// TestKillLoop kills the coordinator throughout a loop of 20 iterations. Each Stop counts
// once. If a kill interrupts the reply to a Stop, the hook asks again, and that may count a
// second time, but no more.
func TestKillLoop(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	const iterations = 20
	seed := seeded(t)
	p := newPhone(t)
	r := rand.New(rand.NewPCG(seed, 2<<32))
	in := p.session("loop-session", "prompt-1")
	vars := []string{"CLAUDE_CODE_SESSION_ATTENDED=1"}
	out := p.struck(newStrike(r), "UserPromptExpansion", in.with(payload{
		"command_name": "afar:loop", "command_args": "--max 20 make it so", "command_source": "plugin",
		"prompt": "/afar:loop --max 20 make it so",
	}), vars...)
	if !strings.Contains(out, "[loop 0/20]") {
		t.Fatalf("the loop did not start: %s", out)
	}
	extra, last := 0, 0
	for last < iterations {
		p.struck(newStrike(r), "PostToolUse", in.with(payload{"tool_name": "Bash",
			"tool_input": payload{"command": "true"}, "duration_ms": 1}), vars...)
		begun := time.Now()
		n, more := p.stop(newStrike(r), in, vars...)
		kills := p.killed(begun, time.Now())
		if !more {
			if last+kills < iterations {
				t.Fatalf("the loop ended behind iteration %d of %d\n%s", last, iterations, p.trail())
			}
			break
		}
		if n <= last || n > last+1+kills {
			t.Errorf("iteration %d came behind %d, with %d kills between", n, last, kills)
		}
		extra, last = extra+n-last-1, n
	}
	if last == iterations {
		if n, more := p.stop(newStrike(r), in, vars...); more {
			t.Errorf("iteration %d of %d", n, iterations)
		}
	}
	if _, more := p.stop(nil, in, vars...); more {
		t.Error("the loop is over and goes on")
	}
	p.drain()
	p.checkLoop(iterations)
	t.Logf("%d kills, %d iterations counted twice", len(p.kills), extra)
}

// TestKillLoopStart kills the coordinator while a person starts a loop, a little later each
// time. Each loop starts once, however often its hook has to ask.
func TestKillLoopStart(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	const sessions = 24
	p := newPhone(t)
	for n := range sessions {
		in := p.session(fmt.Sprintf("loop-%02d", n), fmt.Sprintf("prompt-%02d", n))
		p.call(wire.OpStatus, nil, &wire.StatusReply{}) // starts a coordinator
		out := p.struck(&strike{after: time.Duration(4+n%12) * time.Millisecond}, "UserPromptExpansion",
			in.with(payload{
				"command_name": "afar:loop", "command_args": "--max 20 make it so", "command_source": "plugin",
			}), "CLAUDE_CODE_SESSION_ATTENDED=1")
		if !strings.Contains(out, "[loop 0/20]") {
			t.Errorf("loop %d did not start: %s", n, out)
		}
	}
	var all wire.LoopsReply
	p.call(wire.OpLoops, nil, &all)
	for _, l := range all.Loops {
		if len(l.Stack) != 1 {
			t.Errorf("one prompt started %d loops, one inside the other: %+v", len(l.Stack), l)
		}
	}
	if started := count(p.journal(), "loop.started"); len(all.Loops) != sessions || started != sessions {
		t.Errorf("%d sessions have loops, %d were started, want %d", len(all.Loops), started, sessions)
	}
	t.Logf("%d kills", len(p.kills))
}

// struck runs a hook to its end and kills the coordinator meanwhile.
func (p *phone) struck(s *strike, event string, in payload, vars ...string) string {
	p.t.Helper()
	var hook *hookRun
	p.during(s, func() { hook = p.start(event, in, vars...) })
	out, err := hook.wait()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", event, err, p.trail())
	}
	return out
}

var loopCount = regexp.MustCompile(`\[loop (\d+)/20\]`)

// stop runs a Stop hook and returns the number of the next iteration.
func (p *phone) stop(s *strike, in payload, vars ...string) (n int, more bool) {
	p.t.Helper()
	out := p.struck(s, "Stop", in.with(payload{
		"stop_hook_active": true, "last_assistant_message": "not yet", "background_tasks": []string{},
		"session_crons": []string{},
	}), vars...)
	if out == "" {
		return 0, false
	}
	var reply struct{ Decision, Reason string }
	found := loopCount.FindStringSubmatch(out)
	if err := json.Unmarshal([]byte(out), &reply); err != nil || reply.Decision != "block" || found == nil {
		p.t.Fatalf("Stop printed %q", out)
	}
	n, _ = strconv.Atoi(found[1])
	return n, true
}

// checkLoop checks that one loop of one frame ended once, and that Ann was told once.
func (p *phone) checkLoop(iterations int) {
	p.t.Helper()
	var all wire.LoopsReply
	p.call(wire.OpLoops, nil, &all)
	if len(all.Loops) != 1 || all.Loops[0].Active || all.Loops[0].Verdict != "capped" ||
		len(all.Loops[0].Stack) != 1 || all.Loops[0].Stack[0].N != iterations {
		p.t.Errorf("loops: %+v", all.Loops)
	}
	told := p.showing("capped")
	for i, m := range told[1:] {
		if p.killed(told[i].Sent.Add(-200*time.Millisecond), m.Sent) == 0 {
			p.t.Errorf("the verdict was told twice, and no kill explains it: %q", m.Text)
		}
	}
	journal := p.journal()
	if count(journal, "loop.started") != 1 || count(journal, "loop.ended") != 1 || len(told) == 0 {
		p.t.Errorf("%d starts, %d ends, %d messages", count(journal, "loop.started"), count(journal, "loop.ended"),
			len(told))
	}
	p.checkWhole(journal)
}

// TestShutdown: SIGTERM ends the coordinator while a hook waits, a card is being sent and a
// request waits. It ends cleanly and soon, and the hooks continue with the next coordinator.
// It finishes a sending that Telegram answers soon. In any case there is one card.
func TestShutdown(t *testing.T) {
	t.Parallel()
	t.Run("answered", func(t *testing.T) { shutdown(t, true) })
	t.Run("not answered", func(t *testing.T) { shutdown(t, false) })
}

func shutdown(t *testing.T, answered bool) {
	p := newPhone(t)
	p.fire(p.aim())
	first := p.serve()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	p.answers(0, first.Process.Pid)
	shown := p.asking("shown-end")
	p.current("shown-end")
	release := p.bot.Hang("sendMessage")
	t.Cleanup(release)
	due := p.asking("due-end")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.bot.AwaitFaults(ctx); err != nil {
		t.Fatal(err)
	}
	inHand, begun := p.follow(), time.Now()
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if reply, err := io.ReadAll(inHand); err != nil || !strings.HasPrefix(string(reply), `{"v":1,`) ||
		!strings.HasSuffix(string(reply), "}\n") {
		t.Errorf("the request in hand got %q, %v", reply, err)
	}
	if answered {
		release()
	}
	if err := first.Wait(); err != nil || time.Since(begun) > 30*time.Second {
		t.Errorf("after SIGTERM: %v in %v\n%s", err, time.Since(begun), p.trail())
	}
	p.goesOn(shown, "shown-end", "Allow")
	p.goesOn(due, "due-end", "Deny")
	if journal := p.journal(); count(journal, "coordinator.stopped") != 1 {
		t.Errorf("the journal tells of %d ends", count(journal, "coordinator.stopped"))
	}
	p.afar("audit", "verify")
}

// TestKillSending: kill -9 after Telegram has sent a card and before its answer arrives. The next
// coordinator sends it again, and all copies are settled by one answer.
func TestKillSending(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	p := newPhone(t)
	first, done := p.aim(), p.bot.Withhold("sendMessage")
	hook := p.asking("sent-end")
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("no card was sent")
	}
	p.fire(first)
	p.eventually("a second copy", func() bool { return len(p.showing("sent-end")) == 2 })
	card := p.showing("sent-end")[1]
	p.await("its buttons", func(m botapi.Message) bool { return m.ID == card.ID && len(m.Keyboard) > 0 })
	if _, err := p.ann.Tap(card.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	if out, err := hook.wait(); err != nil || !strings.Contains(out, `"behavior":"allow"`) {
		t.Errorf("the hook printed %q, %v\n%s", out, err, p.trail())
	}
	p.eventually("both copies are settled", func() bool {
		for _, m := range p.showing("sent-end") {
			if len(m.Keyboard) > 0 || !strings.Contains(m.Text, "llowed by Ann") {
				return false
			}
		}
		return true
	})
	p.drain()
	if n := len(p.showing("sent-end")); n != 2 {
		t.Errorf("%d cards were sent", n)
	}
}

// TestKillRefused: kill -9 while Ann has blocked the bot, so that it cannot send a card. The card is sent
// once she unblocks it, and is answered once.
func TestKillRefused(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	p := newPhone(t)
	p.ann.Block()
	hook := p.asking("refused-end")
	p.eventually("the refusal in the journal", func() bool { return count(p.journal(), "telegram.failing") == 1 })
	p.fire(p.aim())
	p.call(wire.OpStatus, nil, &wire.StatusReply{})
	p.ann.Unblock()
	p.goesOn(hook, "refused-end", "Allow")
}

// eventually waits until something is so.
func (p *phone) eventually(what string, so func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("not yet: %s\n%s", what, p.trail())
		}
	}
}

// asking starts the hook of a question in a session at a terminal.
func (p *phone) asking(mark string) *hookRun {
	in := p.session("session", mark).with(payload{"tool_name": "Bash",
		"tool_input": payload{"command": "touch " + mark}})
	return p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1",
		"CLAUDE_PID="+strconv.Itoa(bystander(p.t)))
}

// follow makes a request that waits for the next entry of the journal, like `afar log -f`.
// It returns when the coordinator has accepted the connection.
func (p *phone) follow() net.Conn {
	p.t.Helper()
	all := p.journal()
	body, err := json.Marshal(wire.LogRequest{After: all[len(all)-1].Seq, Limit: 10, WaitMS: 20_000})
	if err != nil {
		p.t.Fatal(err)
	}
	conn, err := net.Dial("unix", p.dirs.Socket())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(wire.Request{V: wire.Version, Op: string(wire.OpLog), Body: body}.Line()); err != nil {
		p.t.Fatal(err)
	}
	if p.aim() == nil { // connections are accepted in order
		p.t.Fatal("nobody answers")
	}
	return conn
}

// goesOn answers the only card of an ask and checks that the hook prints the answer.
func (p *phone) goesOn(hook *hookRun, mark, word string) {
	p.t.Helper()
	card := p.current(mark)[0]
	if _, err := p.ann.Tap(card.ID, word); err != nil {
		p.t.Fatal(err)
	}
	out, err := hook.wait()
	if err != nil || !strings.Contains(out, `"behavior":"`+strings.ToLower(word)+`"`) {
		p.t.Errorf("%s: the hook printed %q, %v\n%s", mark, out, err, p.trail())
	}
	if cards := p.showing(mark); len(cards) != 1 {
		p.t.Errorf("%s has %d cards", mark, len(cards))
	}
}
