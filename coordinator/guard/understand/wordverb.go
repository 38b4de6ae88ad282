package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file judges programs that no table lists by the words of their commands. A script of
// the project is not judged by its words.

// endVerbs are verbs that only make sense for something that is hosted.
const endVerbs = "destroy terminate purge wipe nuke decommission deprovision"

// hostedNouns are what such a verb, or a deletion, is about.
const hostedNouns = "cluster clusters project projects namespace database databases bucket buckets stack stacks " +
	"instance instances server servers tenant tenants organization environment deployment service repo repository"

// localVerbs are programs whose verbs concern code or a cache on this machine: generators,
// runners of tasks and of tests.
const localVerbs = "ember hanami nest ng ionic task invoke inv nox tox doit mage xcrun simctl jest vitest mocha ava " +
	"pytest phpunit rspec bats ctest cypress playwright behave cucumber karma tap poe pdm hatch conda mamba"

// destroysByWord reports a possible destruction by a program that no table lists, if its
// first operands say so.
func destroysByWord(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case ownScript(full), lex.OneOf(c.Name, localVerbs), lex.ContainsAny(c.Args, dryOptions):
		return
	}
	words := leadingWords(c.Args)
	switch {
	case wipesStore(words) && !forTests(sh, c.Args):
		sh.Effect(effect.DropData, effect.Reset, c.Name+" "+strings.Join(words, " "))
	case endsHosted(words):
		sh.Possible(effect.DestroyRemote, effect.Part, c.Name+" "+strings.Join(words, " "))
	}
}

// ownScript reports whether a program is called by a path that is not one of the system's.
func ownScript(full string) bool {
	return strings.Contains(full, "/") && !lex.BeginsWith(full, "/usr/ /bin/ /sbin/ /opt/ /nix/ /snap/")
}

const dryOptions = "--dry-run --dryrun --help -h --simulate --what-if --list test"

// leadingWords returns the operands of a command that are plain words, up to the third. A word
// behind an option may be its value and does not count.
func leadingWords(args []string) []string {
	var words []string
	before := ""
	for _, a := range args {
		value := strings.HasPrefix(before, "-")
		before = a
		switch {
		case len(words) == 3:
			return words
		case value, a == "", strings.HasPrefix(a, "-"):
		default:
			words = append(words, strings.ToLower(a))
		}
	}
	return words
}

// endsHosted reports whether one of the words ends something hosted.
func endsHosted(words []string) bool {
	if len(words) < 2 || lex.ContainsAny(words, "cache caches") {
		return false
	}
	for i, w := range words {
		switch {
		case lex.OneOf(w, endVerbs):
			return true
		case lex.OneOf(w, "delete drop"):
			return lex.ContainsAny(words[max(0, i-1):], hostedNouns)
		}
	}
	return false
}
