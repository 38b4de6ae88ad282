package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// readOnly adds a BeyondReading effect for everything that is not known to only
// read.
func readOnly(u *shell.Evaluation, call effect.Call) {
	switch {
	case lex.OneOf(call.Tool, "Read NotebookRead Grep Glob LS TodoWrite BashOutput TaskOutput"):
	case call.Tool == "Bash":
		readingSteps(u, u.Root)
		if u.Lost || u.Budget.Spent {
			addBeyond(u, "too long to follow", call.Tool)
		}
	default:
		addBeyond(u, "tool", call.Tool)
	}
	for _, e := range u.Effects {
		if e.Kind != effect.BeyondReading && !changesNothing(e) {
			addBeyond(u, string(e.Kind), e.Part)
			return
		}
	}
}

// addBeyond adds one effect of the kind BeyondReading.
func addBeyond(u *shell.Evaluation, op, part string) {
	u.Add(
		effect.Effect{
			Kind:   effect.BeyondReading,
			Op:     effect.Named(op),
			Target: lex.Clip(part, 120),
			Sure:   effect.Known,
			Part:   part,
		},
	)
}

// changesNothing reports whether an effect changes nothing.
func changesNothing(e effect.Effect) bool {
	switch e.Kind {
	case effect.ReadFile, effect.RevealSecret:
		return true
	case effect.WriteFile:
		return lex.OneOf(e.Target, "/dev/null /dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2")
	}
	return false
}

// readingSteps adds an effect for the steps that do more than read.
func readingSteps(u *shell.Evaluation, s *effect.Step) {
	for _, name := range s.Sets {
		if !harmlessName(name) {
			addBeyond(u, "sets "+name, s.Part)
			return
		}
	}
	for _, next := range s.Steps {
		if !onlyReads(next.Words) {
			addBeyond(u, "command", strings.Join(next.Words, " "))
			return
		}
		readingSteps(u, next)
	}
}

// harmlessName reports whether no program changes its behavior because of a variable.
func harmlessName(name string) bool {
	return name == strings.ToLower(name) || len(name) == 1 || lex.OneOf(name, "LC_ALL LANG LC_CTYPE LC_COLLATE "+
		"NO_COLOR TERM COLUMNS LINES TZ OPTARG OPTIND REPLY")
}

// onlyReads reports whether a command itself only reads. Commands that it runs are
// judged separately.
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
	switch name {
	case "git":
		return gitReads(args)
	case "go":
		return goReads(args)
	case "uniq":
		return len(shell.ParseOptions(args, "f s w skip-fields skip-chars check-chars").Pos) < 2
	case "xxd":
		return len(shell.ParseOptions(args, "c g l n o s cols groupsize len name seek").Pos) < 2 &&
			!anyOption(args, "-r --revert")
	case "date":
		return dateReads(args)
	case "sed", "gsed":
		return sedReads(args)
	case "awk", "gawk", "mawk", "nawk":
		return awkReads(args)
	case "afar":
		return len(args) > 0 && args[0] == "consult"
	case "bash", "sh", "zsh", "dash":
		return len(args) > 0 && lex.IsClusterWith(args[0], 'c')
	case "env":
		return len(args) == 0 || !strings.HasPrefix(args[0], "-") ||
			lex.OneOf(args[0], "-i -u --ignore-environment --unset")
	}
	if refused, ok := readerOptions(name); ok {
		return !anyOption(args, refused)
	}
	return lex.OneOf(name, readers)
}

// readers are the programs that only read, with any arguments.
const readers = "ls ll exa eza cat tac nl head tail wc stat du df echo pwd true false : test [ basename dirname " +
	"realpath readlink " +
	"cut tr rev paste comm join fold fmt expand unexpand cmp diff md5sum sha1sum sha256sum sha512sum b2sum " +
	"shasum cksum sum strings hexdump od " +
	"grep egrep fgrep zgrep zcat bzcat xzcat jq seq sleep whoami id uname nproc uptime free ps pgrep which type " +
	"whence where whatis " +
	"cd pushd popd shift return exit break continue wait let getconf locale tput numfmt look column tsort " +
	"set unset local declare readonly typeset export read command builtin exec nohup timeout gtimeout nice " +
	"ionice stdbuf xargs eval"

// readerOptions returns the options with which a program does more than read. ok is
// false if the program is not listed.
func readerOptions(name string) (refused string, ok bool) {
	switch name {
	case "find", "gfind":
		return "-delete -fprint -fprint0 -fprintf -fls", true
	case "fd", "fdfind":
		return "-x -X --exec --exec-batch", true
	case "rg":
		return "--pre --hostname-bin", true
	case "ag":
		return "--pager", true
	case "time", "gtime":
		return "-o --output -a --append", true
	case "base64", "base32", "pr":
		return "-o --output", true
	case "sort", "gsort":
		return "-o --output --compress-program -T --temporary-directory", true
	case "tree":
		return "-o -R", true
	case "bat", "batcat":
		return "--pager --generate-config-file", true
	case "file":
		return "-C --compile", true
	case "yq":
		return "-i --inplace --in-place -s --split-exp", true
	case "printf":
		return "-v", true
	}
	return "", false
}

// anyOption reports whether one of the refused options is given: alone, with its
// value attached, or in a cluster of short options. Long options may be abbreviated.
func anyOption(args []string, refused string) bool {
	for _, a := range args {
		if partial.HasHole(a) && (partial.HasHole(a[:1]) || a[0] == '-') {
			return true // it may turn into a refused option
		}
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		for _, r := range strings.Fields(refused) {
			if optionIs(a, r) {
				return true
			}
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
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-C" && len(args) > 1:
			args = args[2:]
		case lex.OneOf(args[0], "--no-pager --no-optional-locks --version --help --literal-pathspecs"):
			args = args[1:]
		default:
			return false
		}
	}
	if len(args) == 0 {
		return true
	}
	verb, rest := args[0], args[1:]
	if anyOption(rest, gitWrites) {
		return false
	}
	if lex.OneOf(verb, "diff log show status blame annotate ls-files ls-tree rev-parse rev-list cat-file "+
		"describe shortlog merge-base name-rev for-each-ref show-ref "+
		"check-ignore check-attr diff-tree diff-index diff-files range-diff cherry count-objects whatchanged "+
		"show-branch version var get-tar-commit-id verify-commit verify-tag") {
		return true
	}
	switch verb {
	case "grep":
		return !anyOption(rest, "-O")
	case "branch":
		return branchReads(rest)
	case "tag":
		return len(rest) == 0 || lex.OneOf(rest[0], "-l --list -n --contains --points-at --merged --no-merged") &&
			!anyOption(rest[1:], "-d --delete -f --force -a --annotate -s --sign -u --local-user -m --message -F "+
				"--file -e --edit --create-reflog")
	case "remote":
		return len(rest) == 0 || len(rest) == 1 && lex.OneOf(rest[0], "-v --verbose") || rest[0] == "get-url"
	case "stash", "worktree", "reflog", "notes", "submodule", "bisect":
		return len(rest) > 0 && lex.OneOf(verb+"."+rest[0], "stash.list stash.show worktree.list reflog.show "+
			"notes.list notes.show submodule.status bisect.log") ||
			verb == "reflog" && len(rest) == 0
	case "config":
		return len(rest) > 0 && lex.OneOf(rest[0], "--get --get-all --get-regexp --list -l get list") &&
			!anyOption(rest,
				"--add --replace-all --unset --unset-all --edit -e --rename-section --remove-section")
	}
	return false
}

// branchReads reports whether "git branch" only lists. A name creates a branch
// unless an option asks for a list.
func branchReads(args []string) bool {
	lists, names := false, 0
	for _, a := range args {
		option, _, _ := strings.Cut(a, "=")
		switch {
		case !strings.HasPrefix(a, "-"):
			names++
		case lex.OneOf(option, "-l --list --contains --no-contains --merged --no-merged --points-at"):
			lists = true
		case !lex.OneOf(option, "-a -r -v -vv --all --remotes --show-current --verbose --sort --format --column "+
			"--no-color"):
			return false
		}
	}
	return lists || names == 0
}

// dateReads reports whether no argument of date can set the time.
func dateReads(args []string) bool {
	for i, a := range args {
		value := i > 0 && lex.OneOf(args[i-1], "-d --date -r --reference -f --file -j -v")
		if !value && a != "" && a[0] != '+' && a[0] != '-' {
			return false
		}
	}
	return !anyOption(args, "-s --set")
}

// goReads reports whether a go command only reads.
func goReads(args []string) bool {
	if len(args) == 0 {
		return true
	}
	switch args[0] {
	case "doc", "version", "help":
		return true
	case "env":
		return !anyOption(args[1:], "-w -u")
	case "list":
		return !anyOption(args[1:], "-export -compiled -toolexec -exec -mod -modfile -overlay -C -u")
	}
	return false
}

// sedReads reports whether all sed scripts only print, delete or replace in the output.
func sedReads(args []string) bool {
	o := shell.ParseOptions(args, "e expression")
	for _, f := range o.Flags {
		if !lex.OneOf(f.Name, "n e E r s u z quiet silent expression regexp-extended") {
			return false
		}
	}
	scripts := o.All("e", "expression")
	if len(scripts) == 0 {
		scripts = o.Pos[:min(1, len(o.Pos))]
	}
	for _, s := range scripts {
		if !sedPrints(s) {
			return false
		}
	}
	return len(scripts) > 0
}

// sedPrints reports whether one sed script only affects the output.
func sedPrints(script string) bool {
	if strings.Trim(script, "0123456789,$+~!;pqd= ") == "" {
		return true
	}
	if len(script) < 4 || strings.ContainsAny(script, "\n;{}") || partial.HasHole(script) {
		return false
	}
	switch parts := sedParts(script); {
	case script[0] == 's':
		return len(parts) == 4 && strings.Trim(parts[3], "gpIi0123456789") == ""
	case script[0] == '/':
		end := strings.LastIndexByte(script, '/')
		return strings.Count(script, "/") == 2 && strings.Trim(script[end+1:], "pqd=I! ") == ""
	}
	return false
}

// awkReads reports whether an awk program starts nothing and writes no file.
func awkReads(args []string) bool {
	o := shell.ParseOptions(args, "F v field-separator assign")
	for _, f := range o.Flags {
		if !lex.OneOf(f.Name, "F v field-separator assign") {
			return false
		}
	}
	return len(o.Pos) > 0 && !partial.HasHole(o.Pos[0]) && !strings.ContainsAny(o.Pos[0], ">|@&") &&
		!lex.Mentions(o.Pos[0], "system getline")
}
