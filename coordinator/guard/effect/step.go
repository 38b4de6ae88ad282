package effect

// A Step is one command that a call would run, with the commands that it runs.
type Step struct {
	Words   []string // the program and its words, as far as they are known
	Dir     string   // where it runs
	Away    string   // "" here, or where else
	Part    string   // text of the call that it comes from
	Effects []int    // indexes of its own effects
	Steps   []*Step
	Program string // its name, as the tables know it
	// Sets are the variables that it sets.
	Sets []string
}

// Understood is all that a call would do.
type Understood struct {
	Effects []Effect
	Root    *Step // of the tree of commands; nil if it was not requested
}

// Calls reports whether a command below s is that program with that first
// argument.
func (s *Step) Calls(program, verb string) bool {
	if s == nil {
		return false
	}
	for _, next := range s.Steps {
		if next.Program == program && len(next.Words) > 1 && next.Words[1] == verb || next.Calls(program, verb) {
			return true
		}
	}
	return false
}
