package guard

// A Step is one command that a call would run, with what it runs in turn.
type Step struct {
	Words   []string // the program and its words, as far as they are known
	Dir     string   // where it runs
	Away    string   // "" here, "remote" or "container" elsewhere
	Part    string   // text of the call that it comes from
	Effects []int    // indexes of what it does itself
	Steps   []*Step
	// Said is what a rule of a policy file says of the command.
	Said Opinion
	name string // of the program, as the tables know it
	// Sets are the variables that it sets.
	Sets []string
}

// maxRecorded bounds the tree; what is beyond it is not recorded, and lost
// says so.
const maxRecorded = 10000

// recorder keeps the tree of what is understood, where somebody needs it. The
// zero value keeps nothing.
type recorder struct {
	root, at *Step
	left     int
	lost     bool
}

func (ctx *Context) recorder() recorder {
	if !ctx.Steps && !ctx.ReadOnly && !ctx.namesCommands() {
		return recorder{}
	}
	root := &Step{}
	return recorder{root: root, at: root, left: maxRecorded}
}

func (ctx *Context) namesCommands() bool {
	for i := range ctx.Amendments {
		for k := range ctx.Amendments[i].Added {
			if len(ctx.Amendments[i].Added[k].Command) > 0 {
				return true
			}
		}
	}
	return false
}

// begin records a command that is about to be evaluated, and returns the one
// that goes on when it has ended.
func (r *recorder) begin(sh *shell, argv []string) *Step {
	before := r.at
	if before == nil {
		return nil
	}
	if r.left--; r.left < 0 {
		r.lost = true
		return before
	}
	r.at = &Step{name: programName(argv[0]), Words: append([]string{}, argv...), Dir: sh.place.cwd, Away: sh.place.away, Part: sh.here()}
	before.Steps = append(before.Steps, r.at)
	return before
}

func (r *recorder) end(before *Step) {
	if before != nil {
		r.at = before
	}
}

// caused notes that the running command has the effect of that index.
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

// Calls reports whether anything that the call would run is that program with
// that first word.
func (s *Step) Calls(program, verb string) bool {
	if s == nil {
		return false
	}
	for _, next := range s.Steps {
		if next.name == program && len(next.Words) > 1 && next.Words[1] == verb || next.Calls(program, verb) {
			return true
		}
	}
	return false
}
