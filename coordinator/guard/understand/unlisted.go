package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
)

// Programs that no table lists are judged by the words of their commands. A script of
// the project is not judged by its words.

// hostedOptions say where something hosted is, as hostedPlaces do.
const (
	hostedOptions = "--stage --region --org --organization --cluster --account --tenant --subscription --production " +
		"--prod --site --team"
	hostedPlaces = "prod production live staging"
)

// localVerbs are programs whose verbs concern code or a cache on this machine: generators,
// runners of tasks and of tests, clients of version control, managers of tools.
const localVerbs = "ava avdmanager bats behave bzr chezmoi code conda cordova ctest cucumber cypress darcs dbus-send" +
	" dconf direnv doit ember forever fossil fvm ghq gsettings hanami hatch hg inv invoke ionic jest jj jupyter" +
	" karma lms mage mamba meteor mocha msbuild nb nest ng nox ollama p4 pdm phpunit playwright pm2 pod poe pytest" +
	" ros2 rostopic rspec rustup simctl sl svn tap task timew tox vitest wsl xcrun zellij"

// reportByWord reports a possible destruction or publication, if the first operands of a program say so.
func reportByWord(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case rows.IsOwnScript(full), lex.OneOf(c.Name, localVerbs), lex.ContainsAny(c.Args, dryOptions):
		return
	}
	words := leadingWords(c.Args)
	text := c.Name + " " + strings.Join(words, " ")
	switch {
	case wipesStore(rows.Lowered(words)) && !database.ForTests(sh, c.Args):
		sh.Effect(effect.DropData, effect.Reset, text)
	case endsHosted(words, c.Args):
		sh.Possible(effect.DestroyRemote, effect.Part, text)
	case lex.ContainsAny(words[:min(2, len(words))], "publish"),
		lex.ContainsAny(words, "deploy") && (lex.ContainsAny(words, hostedPlaces) || lex.ContainsAny(c.Args, "--prod")):
		sh.Possible(effect.PublishOut, effect.Named(c.Name), text)
	}
}

// dryOptions are arguments with which a command changes nothing that is hosted.
const dryOptions = "--dry-run --dryrun --help -h --simulate --what-if --list --local test"

// leadingWords returns the operands of a command that are plain words, up to the third. A word
// behind an option may be its value and does not count.
func leadingWords(args []string) []string {
	var words []string
	before := ""
	for _, a := range args {
		switch {
		case a == "", strings.HasPrefix(a, "-"), strings.HasPrefix(before, "-"):
		default:
			words = append(words, a)
		}
		before = a
	}
	return words[:min(3, len(words))]
}

// endsHosted reports whether one of the words ends something hosted.
func endsHosted(words, args []string) bool {
	if lex.ContainsAny(words, "cache caches") {
		return false
	}
	placed := lex.ContainsAny(args, hostedOptions) || lex.ContainsAny(words, hostedPlaces)
	for i, w := range words {
		operation := hosted.OperationWords(w)
		if len(operation) == 0 || verbs.Of(operation[0]) == verbs.Reads {
			return false
		}
		about := append(operation[1:], words[max(0, i-1):min(i+2, len(words))]...)
		switch verb := operation[0]; {
		case verb == "revoke", len(operation) > 1 && endsOperation(operation):
			return true // such as bucket-delete
		case verbs.IsHosted(verb):
			return placed || len(about) > 1
		case lex.OneOf(verb, "delete drop") && (i > 0 || len(operation) > 1): // behind the name of a kind of thing
			return true
		case lex.OneOf(verb, "del delete drop remove rm"): // if that kind is hosted
			return placed || verbs.NamesHosted(about)
		}
	}
	return false
}

// endsOperation reports whether the last word of an operation ends something hosted.
func endsOperation(words []string) bool {
	last := words[len(words)-1]
	return last == "delete" || verbs.IsHosted(last)
}

// wipesStore reports whether the operands of a program that no table lists wipe a database.
func wipesStore(pos []string) bool {
	for i, p := range pos {
		if strings.ContainsAny(p, " /=") {
			return false
		}
		switch {
		case strings.ContainsAny(p, ":.-") && verbs.WipesData(p):
			return true
		case i > 0 && verbs.Wipes(p, pos[i-1]):
			return true
		}
	}
	return false
}
