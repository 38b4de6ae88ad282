package shell

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// maxRecorded bounds the steps of the tree. Further steps are not recorded, and
// Lost is set.
const maxRecorded = 10000

// recorder keeps the tree of commands, if it is needed. The zero value keeps
// nothing.
type recorder struct {
	Root, at *effect.Step
	left     int
	Lost     bool
}

func newRecorder(site Site) recorder {
	if !site.Record && !site.ReadOnly {
		return recorder{}
	}
	root := &effect.Step{}
	return recorder{Root: root, at: root, left: maxRecorded}
}

// begin records a command that is about to be evaluated. It returns the command
// that runs it, which must be passed to end.
func (r *recorder) begin(sh *Shell, argv []string) *effect.Step {
	before := r.at
	if before == nil {
		return nil
	}
	if r.left--; r.left < 0 {
		r.Lost = true
		return before
	}
	r.at = &effect.Step{
		Program: lex.ProgramName(argv[0]),
		Words:   append([]string{}, argv...),
		Dir:     sh.Place.Cwd,
		Away:    sh.Place.Away,
		Part:    sh.here(),
	}
	before.Steps = append(before.Steps, r.at)
	return before
}

func (r *recorder) end(before *effect.Step) {
	if before != nil {
		r.at = before
	}
}

// mark returns the number of commands and of effects of the running command.
func (r *recorder) mark() (n [2]int) {
	if r.at != nil {
		n = [2]int{len(r.at.Steps), len(r.at.Effects)}
	}
	return n
}

// rewind takes back what the running command did since the mark.
func (r *recorder) rewind(mark [2]int) {
	if r.at != nil {
		r.at.Steps, r.at.Effects = r.at.Steps[:mark[0]], r.at.Effects[:mark[1]]
	}
}

// caused adds the index of an effect to the running command.
func (r *recorder) caused(index int) {
	if r.at != nil {
		r.at.Effects = append(r.at.Effects, index)
	}
}

func (r *recorder) set(name string) {
	if r.at != nil {
		r.at.Sets = append(r.at.Sets, name)
	}
}
