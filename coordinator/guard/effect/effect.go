// Package effect has the words in which the halves of the guard speak: a call, the effects that it would
// have, and the steps from which they follow. A kind of effect that is added here needs a rule.
package effect

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// Kind says what an effect does, independent of the program that does it.
type Kind string

// The kinds of effect that the understanding half can report.
const (
	DeleteTree    Kind = "delete tree"              // Target: path, recursively
	DeleteFile    Kind = "delete file"              // Target: path
	WriteFile     Kind = "write file"               // Target: path, created or overwritten
	MoveAway      Kind = "move away"                // Target: path that vanishes from its place
	ChangeMode    Kind = "change mode"              // Target: path; Op: how
	ReadFile      Kind = "read file"                // Target: path whose content becomes visible
	WriteDisk     Kind = "write disk"               // Target: device or volume
	Discard       Kind = "discard uncommitted work" // Op: the way; Target: pathspec
	KeepWork      Kind = "keep uncommitted work"    // Op: the way; Target: path, "" = all
	RewriteRefs   Kind = "rewrite history"          // Op: the way; Target: ref
	MoveHead      Kind = "move HEAD"                // Op: its branch, "" = none; Target: commit, "HEAD" = the same
	PushForce     Kind = "rewrite remote branch"    // Target: branch, "" = current
	PushDelete    Kind = "delete remote branch"     // Target: branch
	GitSettings   Kind = "change git settings"      // Target: key
	RunUnknown    Kind = "run unknown code"         // Op: where the code comes from
	RunElevated   Kind = "run with more rights"     // Op: the way
	ReverseShell  Kind = "open a shell to others"   // Target: host
	ForkBomb      Kind = "exhaust the machine"      // Op: the way
	DropData      Kind = "drop data"                // Op: what; Target: its name
	DestroyRemote Kind = "destroy remote resource"  // Op: noun; Target: name
	ChangeRemote  Kind = "change remote resource"   // Op: verb; Target: noun
	PublishOut    Kind = "publish"                  // Target: registry or place
	SendOut       Kind = "send data out"            // Target: host; Op: what
	RevealSecret  Kind = "reveal secret"            // Op: which
	StopService   Kind = "stop service"             // Target: service
	KillProcess   Kind = "kill process"             // Target: process
	Power         Kind = "change power state"       // Op: how
	Persist       Kind = "install a hook for later" // Op: where
	RemovePackage Kind = "remove packages"          // Op: the tool
	ChangeSystem  Kind = "change system settings"   // Op: what
	DeleteCopies  Kind = "delete in a synced copy"  // Target: destination
	PruneLocal    Kind = "prune local images or volumes"
	SteerAfar     Kind = "decide for Afar"      // Op: the verb
	DisableAfar   Kind = "disable Afar"         // Op: the way
	LoadMod       Kind = "load a mod"           // Op: the way; Target: skill, command or path
	TypeInto      Kind = "type into a terminal" // Target: program
	BeyondReading Kind = "do more than read"    // Op: what; only in an agent that may only read
	Outward       Kind = "act outside"          // Target: program or tool; only where each such act is asked about
	Unreadable    Kind = "cannot be understood" // Op: why
)

// Certainty says whether an effect surely happens when the call runs.
type Certainty string

// An effect is Known if the call shows every part that matters, and Possible if
// it depends on an unknown value.
const (
	Known    Certainty = "known"
	Possible Certainty = "possible"
)

// InRunning is the place of a command that runs in a container that exists already. Its
// volumes outlive it.
const InRunning = "running container"

// OnEmulator is the place of a service that is emulated on this machine.
const OnEmulator = "emulator"

// Effect is one thing that a call would do.
type Effect struct {
	Kind   Kind
	Op     Op        // finer than Kind: ResetHard, Database, Network
	Target string    // path (absolute where known), ref, host, name; "" = not known
	Sure   Certainty // never empty
	Via    string    // the program that does it
	Dir    string    // directory it works in, for effects on a repository
	Away   string    // "" here, or where else: "remote", "container", InRunning or OnEmulator
	From   string    // of a copy of a tree: the files of Target with the same names as those below From
	Part   string    // exact text of the call that causes it
	Code   Spot      // the line of a file that the call runs; the zero Spot if the call itself causes it
}

// A Spot is a line of a file on disk that a call runs.
type Spot struct {
	File string // absolute
	Line int    // from 1; 0 = not known
	// Given reports whether the effect depends on what the call hands to the file,
	// such as an argument.
	Given bool
}

// CertaintyOf returns Possible for a text with a hole, and Known otherwise.
func CertaintyOf(s string) Certainty {
	if partial.HasHole(s) {
		return Possible
	}
	return Known
}

// NeedsTarget reports whether the verdict on a kind depends on the exact target.
func NeedsTarget(k Kind) bool {
	switch k {
	case DeleteTree, DeleteFile, MoveAway, ChangeMode, WriteFile, Discard, KillProcess,
		PushForce, PushDelete, RewriteRefs:
		return true
	}
	return false
}

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
	return slices.ContainsFunc(s.Steps, func(next *Step) bool {
		return next.Program == program && len(next.Words) > 1 && next.Words[1] == verb || next.Calls(program, verb)
	})
}

// Arg is one leaf of the tool's input, by its path ("command", "file_path",
// "edits.0.new_string"): a string, a number, "true" for a switch that is on, or "{}" for an
// object without members.
type Arg struct{ Path, Value string }

// Name returns the last name of the path.
func (a Arg) Name() string { return a.Path[strings.LastIndexByte(a.Path, '.')+1:] }

// Call is one tool call as the host sent it.
type Call struct {
	Tool string
	Args []Arg
}

// Value returns the argument of that name, "" if there is none.
func (c Call) Value(name string) string {
	for _, a := range c.Args {
		if a.Path == name {
			return a.Value
		}
	}
	return ""
}

// Has reports whether the argument of that name is one of the blank-separated
// words. An empty name stands for any argument.
func (c Call) Has(name, words string) bool {
	return slices.ContainsFunc(c.Args, func(a Arg) bool {
		return (name == "" || a.Path == name) && lex.OneOf(strings.ToLower(a.Value), words)
	})
}
