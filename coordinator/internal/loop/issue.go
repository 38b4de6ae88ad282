package loop

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Issues works through a project's issues, one after the other, each in a git
// worktree of its own, until none is ready.
const Issues Mode = "issue"

// A Phase is how far an issue frame is with the issue in hand. All but Working
// and Checking are errands: something outside is at work, and the session waits.
type Phase string

// The phases, in their order. A landing that finds the base moved goes back by
// way of Rebasing and Checking to Reviewing.
const (
	Picking   Phase = "picking"   // looks for the next issue that is ready
	Preparing Phase = "preparing" // makes its worktree
	Working   Phase = "working"   // the session is at it
	Sealing   Phase = "sealing"   // looks at what was committed; closes an issue that is a file of the tree
	Reviewing Phase = "reviewing" // has the exact commit reviewed
	Landing   Phase = "landing"   // takes the reviewed commit into the base
	Rebasing  Phase = "rebasing"  // onto the base as it is now
	Checking  Phase = "checking"  // the Stop hook runs the check again
	Closing   Phase = "closing"   // closes the issue in its tracker
	Cleaning  Phase = "cleaning"  // removes the worktree
)

var phases = []Phase{Picking, Preparing, Working, Sealing, Reviewing, Landing, Rebasing, Checking, Closing, Cleaning}

// needsTask reports whether a frame works on the issue in this phase.
func (is *Issue) needsTask() bool {
	return slices.Contains([]Phase{Working, Sealing, Reviewing, Landing, Rebasing, Checking}, is.Phase)
}

// Releasing is the errand for an issue that the loop lets go of. No frame is ever
// in this phase: it goes on behind the loop's back, also when that has ended.
const Releasing Phase = "releasing"

const (
	issueBytes  = 16 << 10 // kept of an issue's text
	mostRejects = 3        // reviews that say no, after which an issue is left
	mostRefused = 3        // landings that the repository does not allow in a row
	mostRebases = 10       // of one issue; the base then moves faster than we do
)

// ErrStale says that a result belongs to an errand that nobody waits for any more:
// its loop has ended or gone on.
var ErrStale = errors.New("advance issue: this errand is over")

// An Issue is what an issue frame has in hand. The JSON is part of a Frame's.
type Issue struct {
	Repo  string `json:"repo"` // top of the main checkout
	Phase Phase  `json:"phase"`
	// Step counts the phases of the frame. It names an errand: one of another step
	// is over.
	Step  int    `json:"step"`
	ID    string `json:"id,omitempty"` // "" between two issues
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"` // up to 16 kB
	Task  string `json:"task,omitempty"` // id of the frame that works on it

	Place  Place  `json:"place,omitzero"`
	Commit string `json:"commit,omitempty"` // full hash of what is to be reviewed and landed

	// Held is true while a landing that was refused waits for the session's next
	// stop.
	Held     bool   `json:"held,omitempty"`
	Refused  int    `json:"refused,omitempty"` // landings in a row
	Rejected int    `json:"rejected,omitempty"`
	Rebased  int    `json:"rebased,omitempty"`
	Verdict  string `json:"verdict,omitempty"` // of the last review, in words
	By       string `json:"by,omitempty"`      // who reviewed last; empty: the review is switched off

	Taken    []string `json:"taken,omitempty"`    // ids that this loop had in hand before
	Landed   int      `json:"landed,omitempty"`   // issues
	Reviewed int      `json:"reviewed,omitempty"` // issues that landed with a review
	Left     int      `json:"left,omitempty"`     // issues that were paused
}

// A Place is where an issue is worked on.
type Place struct {
	Path       string `json:"path"` // of the worktree, absolute
	Branch     string `json:"branch"`
	Base       string `json:"base"`        // short name of the branch to land on
	BaseCommit string `json:"base_commit"` // where the branch began
	// InTree is true where the issue is a file of the tree: closing it is a commit.
	InTree bool `json:"in_tree,omitempty"`
}

// An Errand is something to do outside for an issue, after the commit of the step
// that asks for it. Doing it twice must come to the same. Its result goes to
// Advance, but for Releasing, which has none.
type Errand struct {
	Frame string `json:"frame"`
	Step  int    `json:"step"`
	Phase Phase  `json:"phase"`
	Issue Issue  `json:"issue"` // as it stands
	// Note, of Releasing, says why the issue is let go of; Findings are what a
	// reviewer wants mended, for an issue of its own.
	Note     string `json:"note,omitempty"`
	Findings string `json:"findings,omitempty"`
	// Ended, of Releasing, says that the loop itself ended with the issue in hand. An
	// issue without any work stays open then.
	Ended bool `json:"ended,omitempty"`
}

// A Found is an issue that is ready.
type Found struct{ ID, Title, Body string }

// A Result is how an errand went. Broken says that it could not be done; else the
// fields of its phase count.
type Result struct {
	Broken string // a tool is absent, hangs or fails; one line for people

	Ready []Found  // Picking: best first
	Held  []string // Picking: ids that other loops of the repository have in hand

	Place Place // Preparing
	Over  bool  // Preparing: the base says that the issue is closed already

	Commit string   // Sealing, Rebasing, Landing: the full hash
	Loose  []string // Sealing: files that are not committed
	Empty  bool     // Sealing: nothing was committed at all

	Approved bool   // Reviewing
	By       string // Reviewing: who reviewed
	Digest   string // Reviewing: of all that the reviewer said
	Findings string // Reviewing: what is to be mended
	Nobody   bool   // Reviewing: no reviewer is there; Broken says more

	Refused Refusal // Landing, Rebasing
	Why     string  // of Refused, for the person and the session
}

// A Refusal is why a landing or a rebase did not happen. Nothing has changed then.
type Refusal string

// The refusals.
const (
	Diverged Refusal = "diverged" // the base has moved
	Changed  Refusal = "changed"  // the branch is not at the reviewed commit any more
	Conflict Refusal = "conflict" // the rebase needs somebody to decide
	Blocked  Refusal = "blocked"  // by the state of the base's checkout, or its remote
)

// A Said is a word about an issue, for its topic and the journal.
type Said struct{ Issue, Action, Text string }

// runs reports whether an errand is under way.
func (is *Issue) runs() bool {
	return is.Phase != Working && is.Phase != Checking && !is.Held
}

// inHand reports whether there is an issue to release. An issue that has landed is
// released by closing it.
func (is *Issue) inHand() bool { return is != nil && is.ID != "" }

// owner returns the index of the issue frame that the top frame belongs to, -1 if none.
func (s Stack) owner() int {
	i := len(s.Frames) - 1
	if s.Frames[i].Issue != nil {
		return i
	}
	if i > 0 && s.Frames[i-1].Issue != nil && s.Frames[i-1].Issue.Task == s.Frames[i].ID {
		return i - 1
	}
	return -1
}

// Waits reports whether the session's frame at work waits for an errand.
func (s Stack) Waits() bool {
	if !s.Active() {
		return false
	}
	i := s.owner()
	return i >= 0 && s.Frames[i].Issue.runs()
}

// WorksIn returns the directory that the frame at work changes: the worktree of
// its issue, else the session's own.
func (s Stack) WorksIn(cwd string) string {
	if f, ok := s.Top(); ok && f.Worktree != "" {
		return f.Worktree
	}
	return cwd
}

// HasInHand returns the issues of a repository that a loop has in hand.
func (s Stack) HasInHand(repo string) (ids []string) {
	if !s.Active() {
		return nil
	}
	for _, f := range s.Frames {
		if f.Issue.inHand() && f.Issue.Repo == repo {
			ids = append(ids, f.Issue.ID)
		}
	}
	return ids
}

// Wanted reports whether the result of an errand is still waited for. A release
// always is.
func (s Stack) Wanted(e Errand) bool {
	if e.Phase == Releasing {
		return true
	}
	i := s.index(e.Frame)
	return i >= 0 && s.Frames[i].Issue != nil && s.Frames[i].Issue.Step == e.Step && s.Frames[i].Issue.runs()
}

// index returns the index of a frame in a running loop, -1 if there is none.
func (s Stack) index(frame string) int {
	if !s.Active() {
		return -1
	}
	return slices.IndexFunc(s.Frames, func(f Frame) bool { return f.ID == frame })
}

// taskAt returns the index of the frame that works on an issue, -1 if there is none.
func (s Stack) taskAt(task string) int {
	return slices.IndexFunc(s.Frames, func(f Frame) bool { return f.ID == task && f.Issue == nil })
}

// Introduce returns what the session must hear first. In the returned stack this counts as
// told, so that the next stop does not repeat it.
func Introduce(s Stack) (Stack, string) {
	text := Intro(s)
	if f, ok := s.Top(); ok && (f.Tell != "" || s.Unheard) {
		s = s.clone()
		s.top().Tell, s.Unheard = "", false
	}
	return s, text
}

// A work is one step of an issue frame, the one at place at.
type work struct {
	Outcome
	s   Stack
	at  int
	now time.Time
}

func (w *work) frame() *Frame { return &w.s.Frames[w.at] }
func (w *work) issue() *Issue { return w.frame().Issue }

// task is the frame that works on the issue; nil where there is none.
func (w *work) task() *Frame {
	if next := w.at + 1; w.issue().Task != "" && next < len(w.s.Frames) && w.s.Frames[next].ID == w.issue().Task {
		return &w.s.Frames[next]
	}
	return nil
}

// enter makes p the phase and asks for its errand.
func (w *work) enter(p Phase) {
	is := w.issue()
	is.Phase, is.Held = p, false
	is.Step++
	if is.runs() {
		w.Errands = append(w.Errands, Errand{Frame: w.frame().ID, Step: is.Step, Phase: p, Issue: *is})
	}
}

// back has the session work on, and hear why at its next stop.
func (w *work) back(tell string) {
	w.enter(Working)
	w.task().Tell = both(w.frame().Tell, tell)
	w.frame().Tell = ""
}

func (w *work) say(action, text string) {
	w.Said = append(w.Said, Said{w.issue().ID, action, text})
}

// Advance takes in the result of the errand of a frame's step. ErrStale says that
// nobody waits for it; nothing has changed then.
func Advance(s Stack, frame string, step int, r Result, now time.Time) (Outcome, error) {
	i := s.index(frame)
	if i < 0 || s.Frames[i].Issue == nil || s.Frames[i].Issue.Step != step || !s.Frames[i].Issue.runs() {
		return Outcome{}, ErrStale
	}
	w := &work{s: s.clone(), at: i, now: stored(now)}
	switch w.issue().Phase {
	case Picking:
		w.picked(r)
	case Preparing:
		w.prepared(r)
	case Sealing:
		w.sealed(r)
	case Reviewing:
		w.reviewed(r)
	case Landing:
		w.landed(r)
	case Rebasing:
		w.rebased(r)
	case Closing:
		w.closed(r)
	case Cleaning:
		w.cleaned(r)
	default:
		return Outcome{}, fmt.Errorf("advance issue: no errand belongs to the phase %q", w.issue().Phase)
	}
	w.Stack = w.s
	return w.Outcome, nil
}

func (w *work) picked(r Result) {
	is := w.issue()
	if r.Broken != "" {
		w.end(ending{verdict: Failed, note: "no issue can be picked: " + r.Broken})
		return
	}
	free := func(f Found) bool {
		return f.ID != "" && !slices.Contains(is.Taken, f.ID) && !slices.Contains(r.Held, f.ID)
	}
	at := slices.IndexFunc(r.Ready, free)
	if at < 0 {
		w.end(w.finished())
		return
	}
	found := r.Ready[at]
	is.ID, is.Title, is.Body = found.ID, line(found.Title, goalRunes), head(found.Body, issueBytes)
	w.frame().N++
	w.enter(Preparing)
}

// finished is how the loop ends when no issue is left to pick. It is done if an
// issue landed, and proven if a check passed for each one that did.
func (w *work) finished() ending {
	if w.issue().Landed == 0 {
		return ending{verdict: Stuck, note: w.none()}
	}
	return ending{verdict: Done, proven: w.frame().Check != "", note: w.none() + "; " + w.frame().landedBy()}
}

// none says that there is nothing to pick.
func (w *work) none() string {
	if w.frame().N == 0 {
		return "no issue is ready"
	}
	return "no other issue is ready"
}

func (w *work) prepared(r Result) {
	if r.Broken != "" {
		w.fail("it could not be prepared: " + r.Broken)
		return
	}
	is := w.issue()
	is.Place = r.Place
	if r.Over {
		w.enter(Cleaning)
		return
	}
	is.Task = fmt.Sprintf("%s.%d", w.frame().ID, is.Step)
	w.s.Frames = slices.Insert(w.s.Frames, w.at+1, w.s.taskOf(*w.frame(), w.now))
	w.say("PICKED", fmt.Sprintf("%s, on %s", is.Title, is.Place.Branch))
	w.back(issueNews(*is))
}

// taskOf makes the frame that works on the issue of f.
func (s Stack) taskOf(f Frame, now time.Time) Frame {
	is := f.Issue
	o := Options{
		Task: is.Title + "\n\n" + is.Body, Max: f.Max,
		Check: f.Check, CheckTimeout: f.CheckTimeout, Greens: f.Greens, Dir: is.Place.Path,
	}
	t := Stack{}.frame(is.Task, o, now)
	t.Deadline = f.Deadline
	t.IssueID, t.Worktree, t.Branch, t.Base = is.ID, is.Place.Path, is.Place.Branch, is.Place.Base
	return t
}

func (w *work) sealed(r Result) {
	switch {
	case r.Broken != "":
		w.back(brokenNews(r.Broken)) // most likely the session left it so
	case len(r.Loose) > 0:
		w.back(looseNews(r.Loose))
	case r.Empty:
		w.back(emptyNews)
	default:
		w.issue().Commit = r.Commit
		w.enter(Reviewing)
	}
}

func (w *work) reviewed(r Result) {
	is := w.issue()
	if r.Refused == "" {
		is.Verdict, is.By = verdictWords(r, is.Commit), r.By
	}
	switch {
	case r.Refused == Changed:
		w.verify()
	case r.Nobody:
		w.giveUp("nobody can review it: "+r.Broken, "")
		w.end(ending{verdict: Stuck, note: "nobody can review: " + r.Broken})
	case r.Broken != "":
		w.leave("its review failed: "+r.Broken, "")
	case r.Approved:
		w.say("APPROVED", is.Verdict)
		w.enter(Landing)
	case is.Rejected+1 >= mostRejects:
		is.Rejected++
		w.say("REJECTED", is.Verdict)
		w.leave(fmt.Sprintf("%d reviews rejected it", is.Rejected), r.Findings)
	default:
		is.Rejected++
		w.say("REJECTED", is.Verdict)
		w.back(rejectedNews(*is, r))
	}
}

// verify looks at a branch that is not what it was: the check passed for another
// commit and has to pass again.
func (w *work) verify() {
	if w.task().Check != "" {
		w.enter(Checking)
		return
	}
	w.enter(Sealing)
}

func (w *work) landed(r Result) {
	is := w.issue()
	switch {
	case r.Refused == Diverged && is.Rebased < mostRebases:
		is.Rebased++
		w.enter(Rebasing)
	case r.Refused == Changed:
		w.verify()
	case r.Refused != "":
		w.refused(r.Why)
	case r.Broken != "":
		w.refused(r.Broken)
	default:
		w.arrived(r)
	}
}

// refused keeps a landing for the session's next stop; after the third in a row
// the loop ends, for what is in the way stays there.
func (w *work) refused(why string) {
	is := w.issue()
	is.Refused++
	w.say("BLOCKED", why)
	if is.Refused >= mostRefused {
		w.giveUp("it was approved as "+short(is.Commit)+" and cannot land: "+why, "")
		w.end(ending{verdict: Stuck, note: "an approved issue cannot land: " + why})
		return
	}
	if is.Refused == 1 {
		w.tell(
			fmt.Sprintf(
				"Issue %s is approved and cannot land: %s. It is tried again when the session next stops.",
				is.called(),
				trimDot(why),
			),
		)
	}
	is.Held = true
	w.task().Tell = refusedNews(why)
}

func (w *work) arrived(r Result) {
	is := w.issue()
	is.Landed++
	if is.By != "" {
		is.Reviewed++
	}
	text := fmt.Sprintf("%s, %s on %s", is.Title, short(r.Commit), is.Place.Base)
	w.say("LANDED", text)
	w.tell(
		fmt.Sprintf("LANDED: issue %s\n%s on %s. Review: %s", is.called(), short(r.Commit), is.Place.Base, is.Verdict),
	)
	is.Commit = r.Commit
	w.drop()
	if is.Place.InTree {
		w.enter(Cleaning)
		return
	}
	w.enter(Closing)
}

func (w *work) rebased(r Result) {
	is := w.issue()
	switch {
	case r.Refused == Conflict:
		w.say("BLOCKED", "rebase needed: "+r.Why)
		w.back(conflictNews(*is, r.Why))
	case r.Refused == Changed:
		w.verify()
	case r.Broken != "" || r.Refused != "":
		w.leave("it cannot be rebased: "+or(r.Broken, r.Why), "")
	case w.task().Check != "":
		is.Commit = r.Commit
		w.enter(Checking)
	default:
		is.Commit = r.Commit
		w.enter(Reviewing)
	}
}

func (w *work) closed(r Result) {
	if r.Broken != "" {
		w.tell(fmt.Sprintf("Issue %s has landed and could not be closed: %s.", w.issue().called(), trimDot(r.Broken)))
	}
	w.enter(Cleaning)
}

func (w *work) cleaned(r Result) {
	if r.Broken != "" {
		w.tell(fmt.Sprintf("The worktree of issue %s stays: %s.", w.issue().called(), trimDot(r.Broken)))
	} else if path := w.issue().Place.Path; path != "" {
		w.frame().Tell = goneNews(path)
	}
	w.had()
	w.next()
}

// leave gives the issue up, and the loop goes on with the next one.
func (w *work) leave(why, findings string) {
	w.giveUp(why, findings)
	w.next()
}

// giveUp lets go of the issue: it is paused with a comment, its branch and its
// worktree stay.
func (w *work) giveUp(why, findings string) {
	w.release(why, findings)
	w.drop()
	w.had()
}

// release has the issue in hand let go of, and says so.
func (w *work) release(why, findings string) {
	is := w.issue()
	w.Errands = append(
		w.Errands,
		Errand{Frame: w.frame().ID, Step: is.Step, Phase: Releasing, Issue: *is, Note: why, Findings: findings},
	)
	if is.Phase == Closing || is.Phase == Cleaning {
		return // it has landed, and is only tidied up after
	}
	is.Left++
	w.say("PAUSED", why)
	w.tell(fmt.Sprintf("PAUSED: issue %s\nWhy: %s.%s", is.called(), trimDot(why), is.kept()))
}

// fail gives up the issue and with it the loop: the next one would fare no better.
func (w *work) fail(why string) {
	w.giveUp(why, "")
	w.end(ending{verdict: Failed, note: why})
}

// drop takes the frame that works on the issue off the stack.
func (w *work) drop() {
	if w.task() != nil {
		w.s.Frames = slices.Delete(w.s.Frames, w.at+1, w.at+2)
	}
	w.issue().Task = ""
}

// had notes the issue in hand as one that this loop had.
func (w *work) had() {
	is := w.issue()
	w.frame().Issue = &Issue{
		Repo: is.Repo, Phase: is.Phase, Step: is.Step,
		Landed: is.Landed, Reviewed: is.Reviewed, Left: is.Left,
		Taken: slices.Concat(is.Taken, []string{is.ID}),
	}
}

// next looks for another issue, unless the loop has used up what it may.
func (w *work) next() {
	end := w.frame().limits(w.now)
	if end.verdict == "" {
		w.enter(Picking)
		return
	}
	w.end(end)
}

// end takes the issue frame itself off, which has nothing in hand any more. The frame
// below hears of it at the session's next stop; one that the person put on top goes on.
func (w *work) end(end ending) {
	f := *w.frame()
	if len(w.s.Frames) == 1 {
		w.Outcome = w.and(endAll(w.s, end, w.now))
		w.s = w.Stack
		return
	}
	w.s.Frames = slices.Delete(w.s.Frames, w.at, w.at+1)
	w.Verdict = end.verdict
	w.tell("Inner loop " + verdictLine(f, end, w.now))
	if w.at > 0 {
		below := &w.s.Frames[w.at-1]
		below.Idle, below.Tell = 0, both(below.Tell, both(f.Tell, innerNews(f, end)))
	}
}

// letGo has what the frames from place at on have in hand let go of. It owns s.
func (o *Outcome) letGo(s Stack, at int, end ending, now time.Time) {
	for i := at; i < len(s.Frames); i++ {
		if !s.Frames[i].Issue.inHand() {
			continue
		}
		w := &work{Outcome: *o, s: s, at: i, now: now}
		w.release(released(end), "")
		w.Errands[len(w.Errands)-1].Ended = true
		*o = w.Outcome
	}
}
