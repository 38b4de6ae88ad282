package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/coreutils"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// readOnly adds a BeyondReading effect for everything that is not known to only read.
func readOnly(u *shell.Evaluation, call effect.Call) {
	switch {
	case lex.OneOf(call.Tool, "BashOutput Glob Grep LS NotebookRead Read TaskOutput TodoWrite"):
	case call.Tool == "Bash":
		readingSteps(u, u.Root)
		if u.Lost || u.Budget.Spent {
			addBeyond(u, effect.Named("too long to follow"), call.Tool)
		}
	default:
		addBeyond(u, effect.Tool, call.Tool)
	}
	for _, e := range u.Effects {
		switch e.Kind {
		case effect.BeyondReading, effect.ReadFile, effect.RevealSecret:
			continue
		}
		addBeyond(u, effect.Named(string(e.Kind)), e.Part)
		return
	}
}

// addBeyond adds one effect of the kind BeyondReading.
func addBeyond(u *shell.Evaluation, op effect.Op, part string) {
	target := lex.Clip(part, 120)
	u.Add(effect.Effect{Kind: effect.BeyondReading, Op: op, Target: target, Sure: effect.Known, Part: part})
}

// readingSteps adds an effect for the steps that do more than read.
func readingSteps(u *shell.Evaluation, s *effect.Step) {
	for _, name := range s.Sets {
		if !harmlessName(name) {
			addBeyond(u, effect.Named("sets "+name), s.Part)
			return
		}
	}
	for _, next := range s.Steps {
		if !onlyReads(next.Words) {
			addBeyond(u, effect.Named("command"), strings.Join(next.Words, " "))
			return
		}
		readingSteps(u, next)
	}
}

// harmlessName reports whether no program changes its behavior because of a variable.
func harmlessName(name string) bool {
	switch {
	case name == strings.ToLower(name), len(name) == 1:
		return true
	}
	return lex.OneOf(name, "COLUMNS LANG LC_ALL LC_COLLATE LC_CTYPE LINES NO_COLOR OPTARG OPTIND REPLY TERM TZ")
}

// onlyReads reports whether a command itself only reads. Commands that it runs are judged separately.
func onlyReads(words []string) bool {
	if len(words) == 0 || partial.HasHole(words[0]) {
		return false
	}
	name, args := words[0], words[1:]
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if !lex.OneOf(name[:i], "/bin /usr/bin /usr/local/bin /opt/homebrew/bin") {
			return false
		}
		name = name[i+1:]
	}
	return anyReads(readers, name, args)
}

// A reader is a program or a subcommand that only reads, with any arguments or with some.
type reader struct {
	names   string
	bare    bool                     // it only reads without arguments, too
	alone   string                   // it only reads with one of these arguments alone
	first   string                   // it only reads if one of these is its first argument; "" if any may be
	refused string                   // options with which it does more
	values  string                   // options with a value, if it writes to its second operand
	reads   func(args []string) bool // instead of these fields
}

// readers are the programs that only read.
var readers = []reader{
	{names: "ls ll exa eza cat tac nl head tail wc stat du df echo pwd true false : test [ basename dirname realpath " +
		"readlink cut tr rev paste comm join fold fmt expand unexpand cmp diff md5sum sha1sum sha256sum sha512sum " +
		"b2sum shasum cksum sum strings hexdump od grep egrep fgrep zgrep zcat bzcat xzcat jq seq sleep whoami id " +
		"uname nproc uptime free ps pgrep which type whence where whatis cd pushd popd shift return exit break " +
		"continue wait let getconf locale tput numfmt look column tsort set unset local declare readonly typeset " +
		"export read command builtin exec nohup timeout gtimeout nice ionice stdbuf xargs eval"},
	{names: "find gfind", refused: "-delete -fprint -fprint0 -fprintf -fls"},
	{names: "fd fdfind", refused: "-x -X --exec --exec-batch"},
	{names: "rg", refused: "--pre --hostname-bin"},
	{names: "ag", refused: "--pager"},
	{names: "time gtime", refused: "-o --output -a --append"},
	{names: "base64 base32 pr", refused: "-o --output"},
	{names: "sort gsort", refused: "-o --output --compress-program -T --temporary-directory"},
	{names: "tree", refused: "-o -R"},
	{names: "bat batcat", refused: "--pager --generate-config-file"},
	{names: "file", refused: "-C --compile"},
	{names: "yq", refused: "-i --inplace --in-place -s --split-exp"},
	{names: "printf", refused: "-v"},
	{names: "uniq", values: "f s w skip-fields skip-chars check-chars"},
	{names: "xxd", refused: "-r --revert", values: "c g l n o s cols groupsize len name seek"},
	{names: "git", reads: gitReads},
	{names: "go", reads: goReads},
	{names: "date", reads: dateReads},
	{names: "sed gsed", reads: sedReads},
	{names: "awk gawk mawk nawk", reads: awkReads},
	{names: "afar", reads: func(args []string) bool { return lex.First(args) == "consult" }},
	{names: "bash sh zsh dash", reads: func(args []string) bool { return lex.IsClusterWith(lex.First(args), 'c') }},
	{names: "env", reads: func(args []string) bool {
		first := lex.First(args)
		return !strings.HasPrefix(first, "-") || lex.OneOf(first, "-i -u --ignore-environment --unset")
	}},
}

// anyReads reports whether one of some readers has a name and only reads with these arguments.
func anyReads(list []reader, name string, args []string) bool {
	i := slices.IndexFunc(list, func(r reader) bool { return lex.OneOf(name, r.names) })
	return i >= 0 && list[i].onlyReads(args)
}

// onlyReads reports whether the program or subcommand only reads with these arguments.
func (r *reader) onlyReads(args []string) bool {
	switch {
	case r.reads != nil:
		return r.reads(args)
	case r.values != "" && len(argv.ParseOptions(args, r.values).Pos) > 1:
		return false
	case r.first+r.refused+r.values == "":
		return true
	case r.first == "":
		return !anyOption(args, r.refused)
	case len(args) == 0:
		return r.bare
	case len(args) == 1 && lex.OneOf(args[0], r.alone):
		return true
	}
	return lex.OneOf(args[0], r.first) && !anyOption(args[1:], r.refused)
}

// anyOption reports whether one of the refused options is given: alone, with its
// value attached, or in a cluster of short options. Long options may be abbreviated.
func anyOption(args []string, refused string) bool {
	for _, a := range args {
		switch {
		case a == "":
			continue
		case partial.HasHole(a[:1]):
			return true // it may turn into a refused option
		case a[0] != '-', a == "-":
			continue
		case partial.HasHole(a):
			return true
		}
		if slices.ContainsFunc(strings.Fields(refused), func(r string) bool { return optionIs(a, r) }) {
			return true
		}
	}
	return false
}

// optionIs reports whether an argument gives an option.
func optionIs(arg, option string) bool {
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case name == option:
		return true
	case strings.HasPrefix(option, "--"):
		return len(name) > 3 && strings.HasPrefix(option, name)
	case len(option) == 2:
		return arg[1] != '-' && strings.IndexByte(arg, option[1]) > 0
	}
	return false
}

// gitWrites are options that make a reading git command write or run something.
const gitWrites = "--output --ext-diff --textconv --open-files-in-pager --exec-path --config-env --upload-pack " +
	"--paginate"

// gitReads reports whether a git command only reads.
func gitReads(args []string) bool {
	o, args := argv.Leading(args, "C")
	switch {
	case !o.Only("C no-pager no-optional-locks version help literal-pathspecs"):
		return false
	case len(args) == 0:
		return true
	}
	return !anyOption(args[1:], gitWrites) && anyReads(gitSubcommands, args[0], args[1:])
}

// gitSubcommands are all that may only read.
var gitSubcommands = []reader{
	{names: git.Readers},
	{names: "branch", reads: branchReads},
	{names: "grep", refused: "-O"},
	{
		names: "tag",
		bare:  true,
		first: "-l --list -n --contains --points-at --merged --no-merged",
		refused: "-d --delete -f --force -a --annotate -s --sign -u --local-user -m --message -F --file -e --edit " +
			"--create-reflog",
	},
	{names: "remote", bare: true, alone: "-v --verbose", first: "get-url"},
	{names: "reflog", bare: true, first: "show"},
	{names: "stash notes", first: "list show"},
	{names: "worktree", first: "list"},
	{names: "submodule", first: "status"},
	{names: "bisect", first: "log"},
	{
		names:   "config",
		first:   "--get --get-all --get-regexp --list -l get list",
		refused: "--add --replace-all --unset --unset-all --edit -e --rename-section --remove-section",
	},
}

// branchReads reports whether "git branch" only lists. A name creates a branch unless an option asks for a list.
func branchReads(args []string) bool {
	const lists = "l list contains no-contains merged no-merged points-at "
	o := argv.ParseOptions(args, "")
	return o.Only(lists+"a r v all remotes show-current verbose sort format column no-color") &&
		(o.Given(lists) || len(o.Pos) == 0)
}

// dateReads reports whether no argument of date can set the time.
func dateReads(args []string) bool {
	o := argv.ParseOptions(args, "d date r reference f file j v")
	return !slices.ContainsFunc(o.Pos, func(a string) bool { return !strings.HasPrefix(a, "+") }) &&
		!anyOption(args, "-s --set")
}

// goSubcommands are the subcommands of go that may only read.
var goSubcommands = []reader{
	{names: "doc version help"},
	{names: "env", refused: "-w -u"},
	{names: "list", refused: "-export -compiled -toolexec -exec -mod -modfile -overlay -C -u"},
}

// goReads reports whether a go command only reads.
func goReads(args []string) bool { return len(args) == 0 || anyReads(goSubcommands, args[0], args[1:]) }

// sedReads reports whether all sed scripts only print, delete or replace in the output.
func sedReads(args []string) bool {
	o := argv.ParseOptions(args, "e expression")
	scripts := o.All("e", "expression")
	if len(scripts) == 0 {
		scripts = o.Pos[:min(1, len(o.Pos))]
	}
	switch {
	case len(scripts) == 0, !o.Only("n e E r s u z quiet silent expression regexp-extended"):
		return false
	}
	return !slices.ContainsFunc(scripts, func(s string) bool { return !sedPrints(s) })
}

// sedPrints reports whether one sed script only affects the output.
func sedPrints(script string) bool {
	switch {
	case strings.Trim(script, "0123456789,$+~!;pqd= ") == "":
		return true
	case len(script) < 4, strings.ContainsAny(script, "\n;{}"), partial.HasHole(script):
		return false
	}
	switch parts := coreutils.SedParts(script); script[0] {
	case 's':
		return len(parts) == 4 && strings.Trim(parts[3], "gpIi0123456789") == ""
	case '/':
		end := strings.LastIndexByte(script, '/')
		return strings.Count(script, "/") == 2 && strings.Trim(script[end+1:], "pqd=I! ") == ""
	}
	return false
}

// awkReads reports whether an awk program starts nothing and writes no file.
func awkReads(args []string) bool {
	o := argv.ParseOptions(args, "F v field-separator assign")
	program := o.At(0)
	switch {
	case !o.Only("F v field-separator assign"), program == "", partial.HasHole(program),
		strings.ContainsAny(program, ">|@&"):
		return false
	}
	return !lex.Mentions(program, "system getline")
}
