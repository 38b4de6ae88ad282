package turn

import "time"

// A Need lists what the caller must look up before it calls Decide.
type Need struct {
	Loop    bool   // the page of the loop
	Spent   bool   // what the session spent since Read
	Read    int64  // how far its transcript was read, in bytes
	Tree    string // directory whose work tree the loop compares; empty: none
	Later   string // directory whose work tree is to be noted when the hook has its answer
	Work    string // directory whose state the review gate compares; empty: none
	CheckIn bool   // the check-in itself
}

// Needs returns what Decide needs in addition to f. It returns the zero Need if the rule
// that decides needs nothing from outside.
func Needs(f Facts, now time.Time) (n Need) {
	d := begin(f, now)
	for _, r := range order {
		if r.rule == Loop {
			break
		}
		if r.applies(d) {
			return n
		}
	}
	n.CheckIn = d.awayFromTerminal()
	if f.Session.Review.On {
		n.Work = f.Session.Cwd
	}
	if f.Loop.Active() {
		n.ofLoop(f)
	}
	return n
}

// ofLoop adds what the loop needs. A stop that brings the result of a check, or that only
// waits for an errand, needs no digest of the work tree.
func (n *Need) ofLoop(f Facts) {
	n.Loop, n.Read = true, f.Loop.Read
	if f.Stopping.Check != nil {
		return
	}
	n.Spent = true
	dir := f.Loop.WorksIn(f.Session.Cwd)
	switch {
	case f.Loop.Waits():
	case f.Session.Tools == 0:
		n.Tree = dir
	default: // a tool call shows that the iteration moved: the next one needs the tree
		n.Later = dir
	}
}
