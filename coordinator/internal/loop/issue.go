package loop

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Issues works through a project's issues, one after the other, each in a git
// worktree of its own, until none is ready.
const Issues Mode = "issue"

// A Phase is the progress of an issue frame with its current issue. All phases except
// Working and Checking are errands: work outside the session, for which it waits.
type Phase string

// The phases, in their order. If the base has moved when the issue is to land, the issue
// goes through Rebasing and Checking back to Reviewing.
const (
	Picking   Phase = "picking"   // looks for the next issue that is ready
	Preparing Phase = "preparing" // makes its worktree
	Working   Phase = "working"   // the session works on the issue
	Sealing   Phase = "sealing"   // looks at what was committed; closes an issue that is a file of the tree
	Reviewing Phase = "reviewing" // has the exact commit reviewed
	Landing   Phase = "landing"   // merges the reviewed commit into the base
	Rebasing  Phase = "rebasing"  // rebases the branch onto the current base
	Checking  Phase = "checking"  // the Stop hook runs the check again
	Closing   Phase = "closing"   // closes the issue in its tracker
	Cleaning  Phase = "cleaning"  // removes the worktree
)

var phases = []Phase{Picking, Preparing, Working, Sealing, Reviewing, Landing, Rebasing, Checking, Closing, Cleaning}

// needsTask reports whether the issue has a task frame in its phase.
func (is *Issue) needsTask() bool {
	return slices.Contains([]Phase{Working, Sealing, Reviewing, Landing, Rebasing, Checking}, is.Phase)
}

// Releasing is the errand that gives up an issue. No frame is ever in this phase: the
// loop does not wait for the errand, which may run after the loop has ended.
const Releasing Phase = "releasing"

const (
	issueBytes  = 16 << 10 // the part of an issue's text that is kept
	mostRejects = 3        // an issue is given up after this number of rejecting reviews
	mostRefused = 3        // the loop ends after this number of refused landings in a row
	mostRebases = 10       // of one issue, if the base moves faster than the issue lands
)

// ErrStale is returned for the result of an errand that the loop no longer waits for,
// because it has ended or advanced.
var ErrStale = errors.New("advance issue: this errand is over")

// An Issue is the state of an issue frame: its current issue and its counters. The JSON is
// part of a Frame's.
type Issue struct {
	Repo   string `json:"repo"` // the top of the main checkout
	Target Target `json:"target,omitzero"`
	Phase  Phase  `json:"phase"`
	// Step counts the phases of the frame and so identifies an errand. An errand of
	// another step is over.
	Step  int    `json:"step"`
	ID    string `json:"id,omitempty"` // "" between two issues
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"` // up to 16 kB
	Task  string `json:"task,omitempty"` // the id of the task frame, which works on it

	Place  Place  `json:"place,omitzero"`
	Commit string `json:"commit,omitempty"` // the full hash of the commit to review and land

	// Held is true while a refused landing waits for the session's next stop.
	Held     bool   `json:"held,omitempty"`
	Refused  int    `json:"refused,omitempty"` // refused landings in a row
	Rejected int    `json:"rejected,omitempty"`
	Rebased  int    `json:"rebased,omitempty"`
	Verdict  string `json:"verdict,omitempty"` // of the last review, in words
	By       string `json:"by,omitempty"`      // the last reviewer; empty if the review is switched off

	Taken    []string `json:"taken,omitempty"`    // the ids of the issues that this loop took before
	Landed   int      `json:"landed,omitempty"`   // issues
	Reviewed int      `json:"reviewed,omitempty"` // issues that landed with a review
	Left     int      `json:"left,omitempty"`     // issues that were paused
}

// A Target is where the issues of a loop land, as it was when the loop began.
type Target struct {
	Base string `json:"base"` // the short name of the branch
	Goes string `json:"goes"` // see git.Repo.Destination
}

// A Place is the worktree of an issue.
type Place struct {
	Path       string `json:"path"` // absolute
	Branch     string `json:"branch"`
	Base       string `json:"base"`        // the short name of the branch to land on
	BaseCommit string `json:"base_commit"` // the commit where the branch, and what is reviewed, begins
	// InTree is true if the issue is a file of the tree. Closing it is then a commit.
	InTree bool `json:"in_tree,omitempty"`
}

// An Errand is work for an issue outside the session, done after the commit of the step
// that asks for it. Doing it twice must have the same effect as doing it once. Its result
// goes to Advance. Releasing has no result.
type Errand struct {
	Frame string `json:"frame"`
	Step  int    `json:"step"`
	Phase Phase  `json:"phase"`
	Issue Issue  `json:"issue"` // its state when the errand was made
	// Note, of Releasing, says why the issue is given up. Findings are the changes that
	// a reviewer requested; they become an issue of their own.
	Note     string `json:"note,omitempty"`
	Findings string `json:"findings,omitempty"`
	// Ended, of Releasing, is true if the loop itself ended while it worked on the issue.
	// An issue without any work then stays open.
	Ended bool `json:"ended,omitempty"`
}

// A Found is an issue that is ready.
type Found struct{ ID, Title, Body string }

// A Result is the result of an errand. If Broken is set, the errand could not be done.
// Otherwise the fields of its phase apply.
type Result struct {
	Broken string // a tool is missing, hangs or fails; one line for people

	Target Target   // Picking, the first one of a loop
	Ready  []Found  // Picking: best first
	Held   []string // Picking: the ids of issues that other loops of the repository work on

	Place Place // Preparing
	Over  bool  // Preparing: the base says that the issue is closed already

	Commit string   // Sealing, Rebasing, Landing: the full hash
	Loose  []string // Sealing: files that are not committed
	Empty  bool     // Sealing: nothing was committed at all

	From string // Reviewing, Rebasing: the commit where what is reviewed begins; "" if unknown

	Approved bool   // Reviewing
	By       string // Reviewing: who reviewed
	Digest   string // Reviewing: of all that the reviewer said
	Findings string // Reviewing: the requested changes
	Nobody   bool   // Reviewing: no reviewer is available; Broken says why

	Refused Refusal // Landing, Rebasing
	Why     string  // of Refused, for the person and the session
}

// A Refusal says why a landing or a rebase was not done. Nothing was changed.
type Refusal string

// The refusals.
const (
	Diverged Refusal = "diverged" // the base has moved
	Changed  Refusal = "changed"  // the branch is no longer at the reviewed commit
	Conflict Refusal = "conflict" // the rebase has conflicts that somebody must resolve
	Blocked  Refusal = "blocked"  // by the state of the base's checkout, or its remote
)

// An IssueLine is a line about an issue, for its topic and the journal.
type IssueLine struct{ Issue, Action, Text string }

// runs reports whether an errand for is is being done.
func (is *Issue) runs() bool {
	switch {
	case is == nil, is.Held, is.Phase == Working, is.Phase == Checking:
		return false
	}
	return true
}

// current reports whether is has a current issue, which would have to be released. An
// issue that has landed is released by closing it.
func (is *Issue) current() bool { return is != nil && is.ID != "" }

// ownsTask reports whether a frame is the task frame of is.
func (is *Issue) ownsTask(frame string) bool { return is != nil && is.Task == frame }

// owner returns the index of the issue frame that the top frame belongs to, or -1.
func (s Stack) owner() int {
	i := len(s.Frames) - 1
	if s.Frames[i].Issue != nil {
		return i
	}
	if i > 0 && s.Frames[i-1].Issue.ownsTask(s.Frames[i].ID) {
		return i - 1
	}
	return -1
}

// issue returns the issue that the top frame of a running loop belongs to, or nil.
func (s Stack) issue() *Issue {
	if !s.Active() {
		return nil
	}
	if i := s.owner(); i >= 0 {
		return s.Frames[i].Issue
	}
	return nil
}

// Waits reports whether the session's top frame waits for an errand.
func (s Stack) Waits() bool { return s.issue().runs() }

// WorksIn returns the directory that the top frame changes: the worktree of its issue, or
// the session's own directory.
func (s Stack) WorksIn(cwd string) string {
	f, _ := s.Top()
	return cmp.Or(f.Worktree, cwd)
}

// HasInHand returns the current issues of a loop in a repository.
func (s Stack) HasInHand(repo string) (ids []string) {
	if !s.Active() {
		return nil
	}
	for _, f := range s.Frames {
		if f.Issue.current() && f.Issue.Repo == repo {
			ids = append(ids, f.Issue.ID)
		}
	}
	return ids
}

// Wanted reports whether the loop still waits for the result of an errand. It always
// reports true for a release.
func (s Stack) Wanted(e Errand) bool { return e.Phase == Releasing || s.waiter(e.Frame, e.Step) >= 0 }

// waiter returns the index of the frame if it waits for the errand of this step, or -1.
func (s Stack) waiter(frame string, step int) int {
	i := s.index(frame)
	if i < 0 || !s.Frames[i].Issue.runs() || s.Frames[i].Issue.Step != step {
		return -1
	}
	return i
}

// index returns the index of a frame in a running loop, or -1.
func (s Stack) index(frame string) int {
	if !s.Active() {
		return -1
	}
	return slices.IndexFunc(s.Frames, func(f Frame) bool { return f.ID == frame })
}

// taskAt returns the index of a task frame, or -1.
func (s Stack) taskAt(task string) int {
	return slices.IndexFunc(s.Frames, func(f Frame) bool { return f.ID == task && f.Issue == nil })
}

// Introduce returns the text that the session must get first. The returned stack records
// that the session knows it, so that the next stop does not repeat it.
func Introduce(s Stack) (Stack, string) {
	text := Intro(s)
	if f, ok := s.Top(); ok && (f.Tell != "" || s.Unheard) {
		s = s.clone()
		s.top().Tell, s.Unheard = "", false
	}
	return s, text
}

// A work is one step of the issue frame with index at.
type work struct {
	Outcome
	s   Stack
	at  int
	now time.Time
}

func (w *work) frame() *Frame { return &w.s.Frames[w.at] }
func (w *work) issue() *Issue { return w.frame().Issue }

// task returns the task frame of the issue, or nil.
func (w *work) task() *Frame {
	if inner := w.s.Frames[w.at+1:]; len(inner) > 0 && w.issue().ownsTask(inner[0].ID) {
		return &inner[0]
	}
	return nil
}

// enter starts phase p and asks for its errand.
func (w *work) enter(p Phase) {
	is := w.issue()
	is.Phase, is.Held = p, false
	is.Step++
	if is.runs() {
		w.Errands = append(w.Errands, Errand{Frame: w.frame().ID, Step: is.Step, Phase: p, Issue: *is})
	}
}

// sendBack lets the session go on with its work. The session gets news at its next stop.
func (w *work) sendBack(news string) {
	w.enter(Working)
	w.task().Tell = joinLines(w.frame().Tell, news)
	w.frame().Tell = ""
}

func (w *work) say(action, text string) {
	w.IssueLines = append(w.IssueLines, IssueLine{w.issue().ID, action, text})
}

// Advance applies the result of the errand of a frame's step. It returns ErrStale, and
// changes nothing, if the loop does not wait for the errand.
func Advance(s Stack, frame string, step int, r Result, now time.Time) (Outcome, error) {
	i := s.waiter(frame, step)
	if i < 0 {
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
		return Outcome{}, fmt.Errorf("advance issue: the phase %q has no errand", w.issue().Phase)
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
	if is.Target == (Target{}) {
		is.Target = r.Target
	}
	taken := slices.Concat(is.Taken, r.Held)
	at := slices.IndexFunc(r.Ready, func(f Found) bool { return f.ID != "" && !slices.Contains(taken, f.ID) })
	if at < 0 {
		w.end(w.finished(len(r.Held)))
		return
	}
	found := r.Ready[at]
	is.ID, is.Title, is.Body = found.ID, line(found.Title, goalRunes), head(found.Body, issueBytes)
	w.frame().N++
	w.enter(Preparing)
}

// finished returns the ending for a loop that has no issue left to pick. It is done if an
// issue landed, and proven if a check passed for each issue that landed. Other loops have
// held issues in hand.
func (w *work) finished(held int) ending {
	none := w.noneReady()
	if held > 0 {
		none += fmt.Sprintf(", and other loops have %d in hand", held)
	}
	if w.issue().Landed == 0 {
		return ending{verdict: Stuck, note: none}
	}
	return ending{verdict: Done, proven: w.frame().Check != "", note: none + "; " + w.frame().landedBy()}
}

// noneReady says that no issue can be picked.
func (w *work) noneReady() string {
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
	w.sendBack(issueNews(*is))
}

// taskOf returns a new task frame for the issue of f.
func (s Stack) taskOf(f Frame, now time.Time) Frame {
	is := f.Issue
	o := Options{
		Task:         is.Title + "\n\n" + is.Body,
		Max:          f.Max,
		Check:        f.Check,
		CheckTimeout: f.CheckTimeout,
		Greens:       f.Greens,
		Dir:          is.Place.Path,
	}
	t := Stack{}.frame(is.Task, o, now)
	t.Deadline = f.Deadline
	t.IssueID, t.Worktree, t.Branch, t.Base = is.ID, is.Place.Path, is.Place.Branch, is.Place.Base
	return t
}

func (w *work) sealed(r Result) {
	switch {
	case r.Broken != "":
		w.sendBack(brokenNews(r.Broken)) // the session most likely caused it
	case len(r.Loose) > 0:
		w.sendBack(looseNews(r.Loose))
	case r.Empty:
		w.sendBack(emptyNews)
	default:
		w.issue().Commit = r.Commit
		w.enter(Reviewing)
	}
}

func (w *work) reviewed(r Result) {
	is := w.issue()
	is.Place.BaseCommit = cmp.Or(r.From, is.Place.BaseCommit)
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
		w.sendBack(rejectedNews(*is, r))
	}
}

// verify starts again with a branch that has changed. The check passed for another
// commit, so it must pass again.
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
		w.recordLanding(r)
	}
}

// refused postpones a landing to the session's next stop. After the third refusal in a
// row the loop ends.
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
		w.tell(fmt.Sprintf("Issue %s is approved and cannot land: %s. It is tried again when the session next stops.",
			is.called(), trimDot(why)))
	}
	is.Held = true
	w.task().Tell = refusedNews(why)
}

func (w *work) recordLanding(r Result) {
	is := w.issue()
	is.Landed++
	if is.By != "" {
		is.Reviewed++
	}
	text := fmt.Sprintf("%s, %s on %s", is.Title, short(r.Commit), is.Place.Base)
	w.say("LANDED", text)
	w.tell(fmt.Sprintf("LANDED: issue %s\n%s on %s. Review: %s",
		is.called(), short(r.Commit), is.Place.Base, is.Verdict))
	is.Commit = r.Commit
	w.dropTask()
	if is.Place.InTree {
		w.enter(Cleaning)
		return
	}
	w.enter(Closing)
}

func (w *work) rebased(r Result) {
	is := w.issue()
	is.Place.BaseCommit = cmp.Or(r.From, is.Place.BaseCommit)
	switch {
	case r.Refused == Conflict:
		w.say("BLOCKED", "rebase needed: "+r.Why)
		w.sendBack(conflictNews(*is, r.Why))
	case r.Refused == Changed:
		w.verify()
	case r.Broken != "", r.Refused != "":
		w.leave("it cannot be rebased: "+cmp.Or(r.Broken, r.Why), "")
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
	w.clear()
	w.next()
}

// leave gives the issue up and goes on with the next one.
func (w *work) leave(why, findings string) {
	w.giveUp(why, findings)
	w.next()
}

// giveUp pauses the issue with a comment. Its branch and its worktree stay.
func (w *work) giveUp(why, findings string) {
	w.release(why, findings)
	w.dropTask()
	w.clear()
}

// release asks for the errand that releases the current issue, and reports it.
func (w *work) release(why, findings string) {
	is := w.issue()
	w.Errands = append(w.Errands, Errand{
		Frame:    w.frame().ID,
		Step:     is.Step,
		Phase:    Releasing,
		Issue:    *is,
		Note:     why,
		Findings: findings,
	})
	switch is.Phase {
	case Closing, Cleaning:
		return // it has landed; only the clean-up is missing
	}
	is.Left++
	w.say("PAUSED", why)
	w.tell(fmt.Sprintf("PAUSED: issue %s\nWhy: %s.%s", is.called(), trimDot(why), is.kept()))
}

// fail gives up the issue and ends the loop, because the next issue would fail as well.
func (w *work) fail(why string) {
	w.giveUp(why, "")
	w.end(ending{verdict: Failed, note: why})
}

// dropTask removes the task frame of the issue from the stack.
func (w *work) dropTask() {
	if w.task() != nil {
		w.s.Frames = slices.Delete(w.s.Frames, w.at+1, w.at+2)
	}
	w.issue().Task = ""
}

// clear forgets the current issue and adds it to those that this loop has taken.
func (w *work) clear() {
	is := w.issue()
	w.frame().Issue = &Issue{
		Repo:     is.Repo,
		Target:   is.Target,
		Phase:    is.Phase,
		Step:     is.Step,
		Landed:   is.Landed,
		Reviewed: is.Reviewed,
		Left:     is.Left,
		Taken:    slices.Concat(is.Taken, []string{is.ID}),
	}
}

// next looks for another issue, unless the loop has reached one of its limits.
func (w *work) next() {
	end := w.frame().limits(w.now)
	if end.verdict == "" {
		w.enter(Picking)
		return
	}
	w.end(end)
}

// end removes the issue frame, which has no current issue any more. The outer frame gets
// the news at the session's next stop. An inner frame that the person started goes on.
func (w *work) end(end ending) {
	f := *w.frame()
	if len(w.s.Frames) == 1 {
		w.Outcome = w.followedBy(endAll(w.s, end, w.now))
		w.s = w.Stack
		return
	}
	w.s.Frames = slices.Delete(w.s.Frames, w.at, w.at+1)
	w.Verdict = end.verdict
	w.tell("Inner loop " + verdictLine(f, end, w.now))
	if w.at > 0 {
		outer := &w.s.Frames[w.at-1]
		outer.Idle, outer.Tell = 0, joinLines(outer.Tell, f.Tell, innerNews(f, end))
	}
}

// releaseFrom releases the current issues of the frames from index at on. It owns s.
func (o *Outcome) releaseFrom(s Stack, at int, end ending, now time.Time) {
	for i := at; i < len(s.Frames); i++ {
		if !s.Frames[i].Issue.current() {
			continue
		}
		w := &work{Outcome: *o, s: s, at: i, now: now}
		w.release(released(end), "")
		w.Errands[len(w.Errands)-1].Ended = true
		*o = w.Outcome
	}
}
