package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a call that a standing permission may cover. Whatever is longer is
// for the person to read.
const (
	maxGranted = 16 << 10 // bytes of the command
	maxPlain   = 32       // commands in it, and resolved words
)

// Commands returns the plain argument lists of all that a Bash call would run,
// in order: each word is known to the letter, nothing is substituted, redirected
// to a file, assigned, or run by another program, and no word leads out of the
// project. It returns false for any other call, for one on which the guard has
// an opinion, and where it cannot tell.
func Commands(call Call, ctx Context) ([][]string, bool) {
	text, ok := commandOf(call)
	p := plainly{judging: newJudging(&ctx)}
	if !ok || text != scrub(text) || len(text) > maxGranted || !p.rooted(ctx.Cwd) || tooNested(text) {
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || !p.stmts(file.Stmts) || len(p.commands) == 0 || Judge(call, ctx).Verdict != None {
		return nil, false
	}
	return p.commands, true
}

// Inside returns the file that a file tool's call is about, with its symbolic
// links resolved. It returns false unless the file lies below the project and
// is no setting, hook or credential, and the guard has no opinion.
func Inside(call Call, ctx Context) (string, bool) {
	p := plainly{judging: newJudging(&ctx)}
	found := ""
	for _, a := range call.Args {
		if !oneOf(a.Path, "file_path notebook_path") {
			continue
		}
		if found != "" || a.Value == "" || a.Value != scrub(a.Value) {
			return "", false
		}
		found = a.Value
	}
	if found == "" || found[0] == '~' || !p.rooted(ctx.Cwd) {
		return "", false
	}
	real := p.real(joinPath(ctx.Cwd, found))
	if real == p.root || !p.open(joinPath(ctx.Cwd, found)) || Judge(call, ctx).Verdict != None {
		return "", false
	}
	return real, true
}

func commandOf(call Call) (string, bool) {
	text := ""
	for _, a := range call.Args {
		if a.Path == "command" {
			text = a.Value
		}
	}
	return text, call.Tool == "Bash" && text != ""
}

// plainly reads a command that holds nothing but plain words.
type plainly struct {
	*judging
	root     string   // the project, resolved
	dirs     []string // where a part may run: a cd before it may have failed
	commands [][]string
	words    int
}

// rooted finds the project. A home, or what holds it, is none.
func (p *plainly) rooted(cwd string) bool {
	if !strings.HasPrefix(p.project, "/") || !strings.HasPrefix(cwd, "/") {
		return false
	}
	p.root = p.real(cleanPath(p.project))
	p.dirs = []string{cleanPath(cwd)}
	return p.root != "/" && !p.isHome(p.root) && !oneOf(p.root, systemDirs) && within(p.real(p.dirs[0]), p.root)
}

func (p *plainly) stmts(list []*syntax.Stmt) bool {
	for _, st := range list {
		if !p.stmt(st) {
			return false
		}
	}
	return true
}

func (p *plainly) stmt(st *syntax.Stmt) bool {
	if st.Background || st.Coprocess || st.Negated || len(p.commands) > maxPlain || !p.redirects(st.Redirs) {
		return false
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		return p.call(c)
	case *syntax.BinaryCmd:
		return p.stmt(c.X) && p.stmt(c.Y)
	}
	return false
}

// redirects are plain between descriptors and into nothing.
func (p *plainly) redirects(list []*syntax.Redirect) bool {
	for _, r := range list {
		word, ok := plainWord(r.Word)
		descriptor := r.Op == syntax.DplOut && oneOf(word, "1 2")
		nothing := oneOf(word, "/dev/null") && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrAll || r.Op == syntax.RdrIn)
		if !ok || !descriptor && !nothing {
			return false
		}
	}
	return true
}

// obscure are the programs whose words do not say what is done: they run what
// they are given, or change what a later word means.
const obscure = "sh bash zsh dash ksh fish csh tcsh busybox python python2 python3 ipython node nodejs deno bun ruby irb perl php lua Rscript osascript pwsh powershell " +
	"eval exec source . command builtin env sudo doas su runuser setsid nohup time timeout nice ionice stdbuf xargs parallel watch entr flock script expect chroot unshare nsenter " +
	"ssh scp sftp rsync alias unalias hash enable trap set shopt unset read mapfile readarray printf pushd popd getopts wait coproc at batch crontab systemd-run " +
	"npx pnpx bunx uvx pipx tmux screen gdb lldb strace ltrace awk gawk mawk nawk sed ed ex vi vim nvim emacs find fd socat nc ncat netcat telnet tee dd afar claude"

func (p *plainly) call(c *syntax.CallExpr) bool {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		return false
	}
	var argv []string
	for _, w := range c.Args {
		word, ok := plainWord(w)
		if !ok {
			return false
		}
		argv = append(argv, word)
	}
	if name := programName(argv[0]); strings.Trim(argv[0], ".") == "" || oneOf(name, obscure) || isShellName(name) || strings.HasPrefix(name, "hook-") {
		return false
	}
	if argv[0] == "cd" && !p.cd(argv) {
		return false
	}
	for _, word := range argv[1:] {
		if !p.stays(word) {
			return false
		}
	}
	if strings.Contains(argv[0], "/") && !p.stays(argv[0]) {
		return false
	}
	p.commands = append(p.commands, argv)
	return true
}

// cd may go to one directory of the project, once.
func (p *plainly) cd(argv []string) bool {
	if len(argv) != 2 || len(p.dirs) > 1 || argv[1] == "" || argv[1][0] == '-' {
		return false
	}
	p.dirs = append(p.dirs, joinPath(p.dirs[0], argv[1]))
	return true
}

// stays reports that a word names nothing outside the project and nothing
// protected, whatever part of it is a path: -I/usr, --dir=/etc, host:/path.
func (p *plainly) stays(word string) bool {
	pieces := strings.FieldsFunc(word, func(r rune) bool { return r == '=' || r == ':' || r == ',' || r == '@' })
	for _, piece := range pieces {
		if piece[0] == '-' {
			i := strings.IndexAny(piece, "/~.")
			if i < 0 {
				continue
			}
			piece = piece[i:]
		}
		if p.words++; p.words > maxPlain {
			return false
		}
		for _, dir := range p.dirs {
			if piece[0] == '~' || !p.open(joinPath(dir, piece)) {
				return false
			}
		}
	}
	return true
}

// open reports that a path lies in the project, and that neither it nor what it
// links to is a setting, a hook or a credential.
func (p *plainly) open(path string) bool {
	real := p.real(path)
	return within(real, p.root) && !p.closed(path) && !p.closed(real)
}

// hookDirs hold what runs by itself, or steers what does, wherever they lie.
const hookDirs = ".git .gitmodules .gitattributes .gitconfig .claude claude.md claude.local.md .mcp.json .husky .githooks .hooks .lefthook lefthook.yml .lefthook.yml " +
	".pre-commit-config.yaml .afar .vscode .idea .devcontainer .mise.toml .yarnrc.yml"

func (p *plainly) closed(path string) bool {
	for _, part := range strings.Split(strings.TrimPrefix(path, p.root), "/") {
		if oneOf(strings.ToLower(part), hookDirs) {
			return true
		}
	}
	return hasHole(path) || secretPath(path, p.home) || p.guarded(path, false) != inNowhere
}

// plainWord returns a word that every shell takes to the letter.
func plainWord(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for i, part := range w.Parts {
		text, ok := plainPart(part, i == 0)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func plainPart(part syntax.WordPart, first bool) (string, bool) {
	switch x := part.(type) {
	case *syntax.Lit:
		risky := strings.ContainsAny(x.Value, "\\*?[]{}$`!") || strings.Contains(x.Value, "=~") || strings.Contains(x.Value, ":~")
		return x.Value, !risky && !(first && x.Value != "" && strings.IndexByte("~=", x.Value[0]) >= 0)
	case *syntax.SglQuoted:
		return x.Value, !x.Dollar
	case *syntax.DblQuoted:
		return plainQuoted(x)
	}
	return "", false
}

func plainQuoted(q *syntax.DblQuoted) (string, bool) {
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "\\`$") {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return b.String(), !q.Dollar
}
