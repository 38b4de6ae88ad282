package judge

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// maxResolvedWords bounds the words of a call that are resolved to decide whether
// a standing permission covers it.
const maxResolvedWords = 32

// Obvious reports whether commands run no other programs and name nothing
// outside the project. Every word of them must be known.
func Obvious(commands [][]string, ctx *Context) bool {
	p := enclosure{judging: newJudging(ctx)}
	return p.rooted(ctx.Cwd) &&
		!slices.ContainsFunc(commands, func(argv []string) bool { return !p.command(argv) })
}

// Enclosed returns the path of a file with its symbolic links resolved. It returns
// false unless the file lies below the project and is not a setting, hook or
// credential.
func Enclosed(file string, ctx *Context) (string, bool) {
	p := enclosure{judging: newJudging(ctx)}
	if !p.rooted(ctx.Cwd) {
		return "", false
	}
	path := fspath.Join(ctx.Cwd, file)
	real := p.real(path)
	return real, real != p.root && p.open(path)
}

// An enclosure is the project as a boundary that no word of a call may cross.
type enclosure struct {
	*judging
	root  string   // the project, resolved
	dirs  []string // where a command may run: two after a cd, which may fail
	words int
}

// rooted finds the root of the project and reports whether cwd lies in it. A
// home, a directory that holds homes and a system directory are not valid roots.
func (p *enclosure) rooted(cwd string) bool {
	if !wholePath(p.project) || !wholePath(cwd) {
		return false
	}
	p.root = p.real(fspath.Clean(p.project))
	p.dirs = []string{fspath.Clean(cwd)}
	switch {
	case p.root == "/", p.isHome(p.root), lex.OneOf(p.root, fspath.SystemDirs):
		return false
	}
	return fspath.Within(p.real(p.dirs[0]), p.root)
}

// obscure lists the programs whose arguments do not show what they do: they run
// other code, or change the meaning of a later word.
const obscure = ". Rscript afar alias at awk bash batch builtin bun bunx busybox chroot claude command coproc" +
	" crontab csh dash dd deno doas ed emacs enable entr env eval ex exec expect fd find fish flock gawk gdb getopts" +
	" hash ionice ipython irb ksh lldb ltrace lua mapfile mawk nawk nc ncat netcat nice node nodejs nohup npx" +
	" nsenter nvim osascript parallel perl php pipx pnpx popd powershell printf pushd pwsh python python2 python3" +
	" read readarray rsync ruby runuser scp screen script sed set setsid sftp sh shopt socat source ssh stdbuf" +
	" strace su sudo systemd-run tcsh tee telnet time timeout tmux trap unalias unset unshare uvx vi vim wait watch" +
	" xargs zsh"

// command reports whether one command is obvious and stays in the project.
func (p *enclosure) command(argv []string) bool {
	name, words := lex.ProgramName(argv[0]), argv[1:]
	switch {
	case strings.Trim(argv[0], ".") == "", lex.OneOf(name, obscure), lex.IsShellName(name),
		strings.HasPrefix(name, "hook-"),
		argv[0] == "cd" && !p.cd(argv):
		return false
	case strings.Contains(argv[0], "/"):
		words = argv
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !p.stays(word) })
}

// cd adds the directory that a cd goes to. It returns false for a second cd and
// for anything but one directory.
func (p *enclosure) cd(argv []string) bool {
	switch {
	case len(argv) != 2, len(p.dirs) > 1, argv[1] == "", argv[1][0] == '-':
		return false
	}
	p.dirs = append(p.dirs, fspath.Join(p.dirs[0], argv[1]))
	return true
}

// stays reports whether a word names nothing outside the project and nothing
// protected. A part of the word can be a path: -I/usr, --dir=/etc, host:/path.
func (p *enclosure) stays(word string) bool {
	pieces := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("=:,@", r) })
	for _, piece := range pieces {
		if piece[0] == '-' {
			i := strings.IndexAny(piece, "/~.")
			if i < 0 {
				continue
			}
			piece = piece[i:]
		}
		if p.words++; p.words > maxResolvedWords {
			return false
		}
		for _, dir := range p.dirs {
			if piece[0] == '~' || !p.open(fspath.Join(dir, piece)) {
				return false
			}
		}
	}
	return true
}

// open reports whether a path lies in the project, and neither the path nor the
// file that it links to is a setting, a hook or a credential.
func (p *enclosure) open(path string) bool {
	real := p.real(path)
	return fspath.Within(real, p.root) && !p.closed(path) && !p.closed(real)
}

// hookDirs are names of files and directories, in any place, that run by
// themselves or configure programs that do.
const hookDirs = ".git .gitmodules .gitattributes .gitconfig .claude claude.md claude.local.md .mcp.json .husky " +
	".githooks .hooks .lefthook lefthook.yml .lefthook.yml " +
	".pre-commit-config.yaml .afar .vscode .idea .devcontainer .mise.toml .yarnrc.yml"

// closed reports whether a path is a setting, a hook or a credential, or is not
// fully known.
func (p *enclosure) closed(path string) bool {
	if partial.HasHole(path) || protected.SecretPath(path, p.home) {
		return true
	}
	parts := strings.Split(strings.ToLower(strings.TrimPrefix(path, p.root)), "/")
	return lex.ContainsAny(parts, hookDirs) || p.guarded(path, false) != inNowhere
}
