package wrapper

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/powershell"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/build"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/coreutils"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// Wrappers are the programs that run their operands.
var Wrappers = []rows.Table{
	{
		Programs: "nohup setsid chronic unbuffer noglob nocorrect torsocks torify eatmydata catchsegv firejail " +
			"busybox toybox builtin shx -",
		Leads: true,
		Do:    rows.RunOperands,
	},
	{
		Programs: "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 " +
			"ld-musl-aarch64.so.1",
		Options: "- library-path preload argv0 audit inhibit-rpath glibc-hwcaps-prepend", Leads: true,
		Do: rows.RunOperands,
	},
	{Programs: "command", Leads: true, Rows: []rows.Row{
		{Given: "v V", Without: "p", Also: coreutils.PrintLocation},
		{Also: rows.RunOperands},
	}},
	{Programs: "exec", Options: "a", Leads: true, Do: rows.RunOperands},
	{Programs: "caffeinate", Options: "t w", Leads: true, Do: rows.RunOperands},
	{Programs: "rlwrap", Options: "f H C s", Leads: true, Do: rows.RunOperands},
	{Programs: "fakeroot", Options: "l s i b", Leads: true, Do: rows.RunOperands},
	{Programs: "time gtime", Options: "o f output format", Leads: true, Do: rows.RunOperands},
	{Programs: "timeout gtimeout", Options: "s k signal kill-after", Leads: true, Skip: 1, Do: rows.RunOperands},
	{
		Programs: "nice gnice ionice choom cpulimit",
		Options:  "n adjustment c class classdata p adjust pid l e",
		Leads:    true,
		Do:       rows.RunOperands,
	},
	{Programs: "chrt taskset", Options: "p T P D", Leads: true, Skip: 1, Do: rows.RunOperands},
	{Programs: "stdbuf", Options: "i o e input output error", Leads: true, Do: rows.RunOperands},
	{Programs: "perf", Options: "e o p s u E", Leads: true, Skip: 1, Do: rows.RunOperands},
	{Programs: "proxychains proxychains4", Options: "f", Leads: true, Do: rows.RunOperands},
	{Programs: "arch setarch linux32 linux64", Options: "e d", Leads: true, Do: rows.RunOperands},
	{Programs: "pkexec", Options: "user", Leads: true, Rows: elevating},
	{Programs: "doas", Options: "u C a", Leads: true, Rows: elevating},
	{Programs: "runuser", Options: "u g G c user group command", Leads: true, Rows: elevating},
	{Programs: "setpriv", Options: "u g G user group reuid regid", Leads: true, Do: rows.RunOperands},
	{Programs: "sg", Options: "c command", Leads: true, Skip: 1, Do: startText},
	{
		Programs: "unshare nsenter",
		Options:  "t target S setuid G setgid R root wd map-user map-group propagation setgroups",
		Leads:    true,
		Do:       rows.RunOperands,
	},
	{
		Programs: "bwrap",
		Options: "args argv0 userns userns2 pidns uid gid hostname chdir unsetenv lock-file sync-fd remount-ro exec-label " +
			"file-label proc dev tmpfs mqueue dir overlay-src ro-overlay tmp-overlay seccomp add-seccomp-fd block-fd " +
			"userns-block-fd info-fd json-status-fd cap-add cap-drop perms size setenv+ bind+ bind-try+ dev-bind+ " +
			"dev-bind-try+ ro-bind+ ro-bind-try+ bind-fd+ ro-bind-fd+ file+ bind-data+ ro-bind-data+ symlink+ chmod+",
		Leads: true,
		Do:    rows.RunOperands,
	},
	{
		Programs: "systemd-inhibit dbus-run-session xvfb-run",
		Options:  "t target u p unit property S wd setenv E description what who why mode uid gid",
		Leads:    true,
		Do:       rows.RunOperands,
	},
	{Programs: "chroot", Options: "userspec groups", Leads: true, Skip: 1, Do: rows.RunOperands},
	{Programs: "flock", Options: "w E timeout conflict-exit-code", Leads: true, Skip: 1, Do: startText},
	{Programs: "watch", Options: "n interval", Leads: true, Rows: wordsOfCode},
	{
		Programs: "hyperfine",
		Options: "w r m M warmup runs min-runs max-runs p! prepare! C! conclude! s! setup! c! cleanup! export-json " +
			"export-markdown i P L n parameter-scan parameter-list command-name style",
		Leads: true,
		Rows:  wordsOfCode,
	},
}

// Programs are the programs of this file, with what each does.
var Programs = []rows.Table{
	{
		Programs: "sudo sudoedit",
		Options:  "u g h p C c r t T U D R user group host prompt chdir chroot close-from role type other-user",
		Leads:    true,
		Do:       sudo,
	},
	{
		Programs: "cross-env cross-env-shell",
		Rows:     []rows.Row{{Runs: &rows.Start{Program: "env", Words: rows.Arguments}}},
	},
	{Programs: "env genv", Options: "u C P a S. unset chdir argv0 split-string.", Leads: true, Do: environment},
	{Programs: "su", Options: "c s g G command shell group", Dry: "help version", Rows: []rows.Row{
		{Given: "c= command=", As: &switchesUser, Runs: &rows.Start{Text: rows.ValueOf("c command")}},
		{As: &switchesUser, Runs: &rows.Start{Text: rows.Input}},
	}},
	{
		Programs: "xargs gxargs",
		Options: "a d E I J L n P R s S arg-file delimiter eof max-lines max-args max-procs max-chars " +
			"process-slot-var",
		Leads: true,
		Do:    xargs,
	},
	{
		Programs: "parallel rush",
		Options: "j jobs S sshlogin a arg-file results joblog d delimiter C colsep I n N L X timeout retries " +
			"delay tmpdir tempdir",
		Leads: true,
		Dry:   "dry-run dryrun",
		Do:    parallel,
	},
	{Programs: "find gfind bfs", Do: coreutils.Find},
	{Programs: "fd fdfind", Do: coreutils.FD},
	{Programs: "eval", Leads: true, Rows: wordsOfCode},
	{Programs: "source .", Do: sourceFile},
	{Programs: "trap", Do: trap},
	{Programs: "script", Options: "c command I O B T t E", Leads: true, Rows: []rows.Row{
		{Given: "c command", Runs: &rows.Start{Text: rows.ValueOf("c command")}},
		{Runs: &rows.Start{Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "crontab", Options: "u", Rows: []rows.Row{
		{Given: "e", Does: effect.Persist, Op: effect.Crontab},
		{Given: "r", Does: effect.Persist, Op: "crontab removed"},
		{Given: "l", Also: rows.PrintUnknown},
		{Also: crontab},
	}},
	{Programs: "at batch", Options: "f q t", Dry: "l r d c V", Rows: []rows.Row{
		{Does: effect.Persist, OpOf: rows.ProgramName, To: rows.OperandsFrom(0), Runs: &rows.Start{Text: rows.Input}},
	}},
	{Programs: "poetry pipenv uv rye pdm hatch bundle direnv dotenv dotenvx " +
		"aws-vault chamber infisical doppler op envchain mise asdf rbenv pyenv nodenv volta nvm fnm " +
		"devbox teller summon railway", Do: runner, Rows: []rows.Row{
		{Of: "mise asdf rbenv pyenv nodenv volta nvm fnm", Words: "uninstall", As: &rows.Uninstalls},
		{Of: "uv", Words: "tool|python uninstall", As: &rows.Uninstalls},
		{Of: "op", Words: "item|vault|document delete", As: &secret.DeletesStored},
	}},
	{Programs: "sops", Rows: []rows.Row{{Words: "exec-env|exec-file * *", Also: runDecrypted}}},
	{Programs: "nix nix-shell", Do: nix},
	{Programs: "conda mamba micromamba", Options: "n name p prefix c channel f file solver", Rows: []rows.Row{
		{Words: "remove|uninstall", Without: "d dry-run", As: &rows.Uninstalls},
		{Words: "env remove|uninstall", Without: "d dry-run", As: &rows.Uninstalls},
		{Also: runner},
	}},
	{Programs: "capsh", Rows: []rows.Row{{Runs: &rows.Start{Program: "bash", Words: rows.After("--")}}}},
	{Programs: "powershell pwsh cmd", Do: powershell.Program},
	{
		Programs: "watchexec entr nodemon reflex when-changed concurrently chokidar",
		Options:  "w e f i o p x ext exts watch filter ignore exec n names c",
		Leads:    true,
		Do:       watcher,
	},
}

// wordsOfCode are the rows of programs whose operands are the words of shell code.
var wordsOfCode = []rows.Row{{Runs: &rows.Start{Text: rows.OperandsText}}}

// startText runs the shell code of -c, which may come after an operand, or the operands.
func startText(sh *shell.Shell, c shell.Command, o argv.Options) {
	code := o.All("c", "command")
	for _, option := range [...]string{"-c", "--command"} {
		code = append(code, lex.After(o.Pos, option, 1)...)
	}
	if len(code) == 0 {
		rows.RunOperands(sh, c, o)
		return
	}
	sh.RunText(code[0])
}

var switchesUser = rows.Act{Kind: effect.RunElevated, Op: "su"}

// elevating are the rows of programs that run a command with the rights of another user.
var elevating = []rows.Row{
	{Of: "pkexec", Does: effect.RunElevated, Op: effect.Pkexec, To: rows.OperandsFrom(0), Also: startText},
	{Of: "doas", Does: effect.RunElevated, Op: effect.Doas, To: rows.OperandsFrom(0), Also: startText},
	{Of: "runuser", Does: effect.RunElevated, Op: effect.Runuser, To: rows.OperandsFrom(0), Also: startText},
}

// sudo runs a command as another user, and reports that.
func sudo(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest, child := o.Pos, rows.InFolder(sh, o, "D chdir")
	for rows.IsAssignment(lex.First(rest)) {
		name, text, _ := strings.Cut(rest[0], "=")
		child.Assign(name, expand.Value{text})
		rest = rest[1:]
	}
	switch {
	case c.Name == "sudoedit", o.Given("e edit"):
		for _, f := range rest {
			child.Write(f)
		}
	case len(rest) > 0:
		sh.Effect(effect.RunElevated, effect.Sudo, strings.Join(rest, " "))
		child.Exec(rest, c.In)
	case o.Given("l list v validate k K V version reset-timestamp"):
	default:
		sh.Effect(effect.RunElevated, effect.Sudo, "")
		for _, text := range rows.Stdin(c) {
			child.RunText(text)
		}
	}
}

// environment runs the command of env with its variables, or prints the environment. Rows
// cannot say that assignments come before the command.
func environment(sh *shell.Shell, c shell.Command, o argv.Options) {
	child := rows.InFolder(sh, o, "C chdir")
	if text, ok := o.Get("S", "split-string"); ok {
		if !child.Opaque(text) {
			child.Run("env "+unescaped(text)+" "+shell.QuoteAll(o.Pos), c.In)
		}
		return
	}
	rest := o.Pos
	if lex.First(rest) == "-" {
		rest = rest[1:]
	}
	for strings.Contains(lex.First(rest), "=") {
		name, text, _ := strings.Cut(rest[0], "=")
		child.Assign(name, expand.Value{text})
		child.RunVariable(name)
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		sh.Print(partial.UnknownSecret)
	case strings.HasPrefix(rest[0], "-"):
		child.Exec(append([]string{"env"}, rest...), c.In)
	default:
		child.Exec(rest, c.In)
	}
}

// unescaped returns a text for "env -S" without the escapes that a shell would not read.
func unescaped(text string) string {
	for _, space := range [...]string{`\_`, `\t`, `\n`, `\v`, `\f`, `\r`} {
		text = strings.ReplaceAll(text, space, " ")
	}
	return text
}

// xargs runs its command with the items of standard input or a file. How it puts them into
// the command is a grammar of its own.
func xargs(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	if len(rest) == 0 {
		sh.Print(partial.Unknown)
		return
	}
	items := []string{partial.Unknown}
	if f, ok := o.Get("a", "arg-file"); ok {
		text := sh.Read(f)
		c.In = &text
	}
	text := lex.First(rows.Stdin(c))
	if text != "" {
		items = expand.QuotedFields(text)
	}
	marker := replaceMarker(o)
	if takesScript(rest, marker) {
		sh.Effect(effect.RunUnknown, effect.Unseen, "")
	}
	if marker == "" {
		sh.Exec(slices.Concat(rest, items), nil)
		return
	}
	lines := items
	if len(items) > 0 && items[0] != partial.Unknown {
		lines = shell.SplitLines(text)
	}
	found := strings.Contains(strings.Join(rest, " "), marker)
	for _, item := range lines {
		argv := rows.ReplaceAll(rest, marker, item)
		if !found {
			argv = append(argv, item)
		}
		sh.Exec(argv, nil)
	}
}

// takesScript reports whether "sh -c" gets its script from the data itself. Systems
// differ in where one item ends and the next begins, so such a script is unknown.
func takesScript(argv []string, marker string) bool {
	i := slices.IndexFunc(argv, func(a string) bool { return lex.IsShellName(lex.ProgramName(a)) })
	if i < 0 {
		return false
	}
	for _, flag := range argv[i+1:] {
		switch {
		case flag == marker:
			return marker != ""
		case !strings.HasPrefix(flag, "-"):
			return false
		}
	}
	return len(argv) > i+1 && lex.IsClusterWith(argv[len(argv)-1], 'c')
}

// replaceMarker returns the text that xargs replaces with an item, or "".
func replaceMarker(o argv.Options) string {
	marker, given := o.Get("I", "J")
	if !given && o.Given("replace i") {
		marker, _ = o.Get("replace", "i")
		return cmp.Or(marker, "{}")
	}
	return marker
}

// parallel runs its template once for each item.
func parallel(sh *shell.Shell, c shell.Command, o argv.Options) {
	argv, items := parallelItems(sh, c, o)
	child := sh.Sub()
	if _, ok := o.Get("S", "sshlogin"); ok {
		child.Place = shell.RemotePlace()
	}
	if len(argv) == 1 && sh.Opaque(argv[0]) {
		return
	}
	for _, fields := range items {
		if !sh.Spend(len(argv) + len(fields)) {
			return
		}
		parallelOne(child, argv, fields)
	}
}

// parallelItems returns the template, and the fields of each item: the columns of a line, or one value
// of each list. Of several lists not every combination is returned, but every value.
func parallelItems(sh *shell.Shell, c shell.Command, o argv.Options) (argv []string, items [][]string) {
	argv, lists := parallelLists(sh, o.Pos)
	if f, ok := o.Get("a", "arg-file"); ok {
		text := sh.Read(f)
		c.In = &text
	}
	if len(lists) == 0 {
		lists = [][]string{shell.SplitLines(rows.InputOf(c))}
	}
	separator, _ := o.Get("C", "colsep")
	for i := range len(slices.MaxFunc(lists, func(a, b []string) int { return len(a) - len(b) })) {
		var fields []string
		for _, list := range lists {
			if len(list) > 0 {
				fields = append(fields, list[i%len(list)])
			}
		}
		if separator != "" && len(fields) == 1 {
			fields = strings.Split(fields[0], separator)
		}
		items = append(items, fields)
	}
	return argv, items
}

// parallelLists splits operands into the template and the lists, which ":::" or, for files, "::::" begins.
func parallelLists(sh *shell.Shell, operands []string) (argv []string, lists [][]string) {
	files := false
	for _, a := range operands {
		switch last := len(lists) - 1; {
		case strings.HasPrefix(a, ":::"):
			lists, files = append(lists, nil), strings.HasPrefix(a, "::::")
		case files:
			text, _ := sh.FileText(a)
			lists[last] = append(lists[last], shell.SplitLines(text)...)
		case last < 0:
			argv = append(argv, a)
		default:
			lists[last] = append(lists[last], a)
		}
	}
	return argv, lists
}

// parallelOne runs the template for one item. GNU parallel joins the template into
// one text, inserts the quoted item, and passes the text to a shell.
func parallelOne(sh *shell.Shell, argv, fields []string) {
	if len(argv) == 0 {
		sh.RunText(strings.Join(fields, " "))
		return
	}
	if takesScript(argv, "{}") {
		sh.Effect(effect.RunUnknown, effect.Unseen, "")
	}
	argv = slices.Clone(argv)
	for i, w := range argv[1:] {
		if strings.ContainsAny(w, " \t") {
			argv[i+1] = shell.QuoteAll([]string{w})
		}
	}
	joined, quoted := strings.Join(argv, " "), shell.QuoteAll(fields)
	if !strings.Contains(joined, "{") {
		sh.RunText(joined + " " + quoted)
		return
	}
	for i, field := range fields {
		joined = expand.Glue(strings.ReplaceAll(joined, "{"+strconv.Itoa(i+1)+"}", shell.QuoteAll([]string{field})), "")
	}
	for _, m := range [...]string{"{}", "{.}", "{/}", "{//}"} {
		joined = expand.Glue(strings.ReplaceAll(joined, m, quoted), "")
	}
	sh.RunText(joined)
}

// sourceFile runs the code of a sourced file if it is known.
func sourceFile(sh *shell.Shell, c shell.Command, _ argv.Options) {
	name := lex.First(c.Args)
	text, written := sh.Brought(name)
	switch {
	case name == "":
	case shell.IsStdin(name) && c.In != nil:
		sh.RunText(*c.In)
	case written:
		sh.RunText(text)
	default:
		build.EnterEnvironment(sh, name)
		if !sh.SourceFile(name, c.Args[1:]) && !sh.InsideFile() {
			sh.Read(name)
		}
	}
}

// trap runs the code of a trap.
func trap(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if len(c.Args) > 1 && c.Args[0] != "-" {
		sh.AtEnd(c.Args[0])
	}
}

// crontab reports a new table, and runs its commands as far as they are known. Before each
// command come five time fields, or one field that begins with @.
func crontab(sh *shell.Shell, c shell.Command, o argv.Options) {
	texts := rows.Stdin(c)
	if len(o.Pos) > 0 && c.In == nil {
		texts = []string{sh.Files[sh.Path(o.At(0))]}
	}
	for _, text := range texts {
		sh.Effect(effect.Persist, effect.Crontab, "")
		for _, line := range shell.SplitLines(text) {
			n := 5
			if strings.HasPrefix(line, "@") {
				n = 1
			}
			if f := strings.Fields(line); len(f) > n && line[0] != '#' && !partial.HasHole(f[0]) {
				sh.Run(strings.Join(f[n:], " "), nil)
			}
		}
	}
}

// runner runs the command of a tool that takes a verb ("run", "exec") and a command.
func runner(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case !lex.OneOf(c.Name, "hatch nix pdm pipenv poetry rye uv"),
		lex.OneOf(lex.First(c.Args), "source config registry"):
	case lex.ContainsAny(c.Args, "run shell develop"):
		source.ReportTaken(sh, c.Args)
	case lex.ContainsAny(c.Args, "add install"):
		source.ReportInstalled(sh, c.Args)
	}
	verb := slices.IndexFunc(c.Args, func(a string) bool { return lex.OneOf(a, "-- exec r run x") })
	if verb < 0 {
		if lex.ContainsAny(c.Args, "publish") && !lex.ContainsAny(c.Args, "--dry-run") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
		if lex.OneOf(c.Name, "pdm mise") {
			build.RunProjectScript(sh, c.Name, c.Args)
		}
		hosted.Report(sh, c, o)
		return
	}
	args := c.Args[verb+1:]
	if dashes := slices.Index(args, "--"); dashes >= 0 {
		args = args[dashes+1:]
	}
	_, rest := argv.Leading(args, "p package with python group env-file e f file n name prefix "+
		"config c project env extra from using node npm pnpm yarn")
	if code, ok := argv.ParseOptions(args, "command p project c config").Get("command"); ok {
		sh.RunText(code)
	}
	switch first := lex.First(rest); {
	case first == "":
		return
	case c.Name == "direnv", c.Name == "nvm" && strings.ContainsAny(first, "0123456789/"):
		rest = rest[1:]
	case c.Name == "uv":
		rest = uvCommand(c.Args[:verb+2], args, rest)
	}
	build.RunProjectScript(sh, c.Name, rest)
	if lex.OneOf(c.Name, "aws-vault chamber doppler dotenv dotenvx envchain infisical op railway summon teller") {
		secret.ReportVariables(sh, rest)
	}
	sh.Exec(rest, c.In)
}

// uvCommand returns the command that uv runs. Python runs a source, and a module behind "run".
func uvCommand(before, args, command []string) []string {
	first := lex.First(command)
	switch {
	case lex.ContainsAny(before, "run") && lex.OneOf(lex.First(args), "-m --module"):
		return append([]string{"python"}, args...)
	case first == "-", strings.HasSuffix(first, ".py"):
		return append([]string{"python"}, command...)
	}
	return command
}

// runDecrypted runs a command of sops, which gets the secrets as variables or in a file.
func runDecrypted(sh *shell.Shell, c shell.Command, o argv.Options) {
	secret.ReportVariables(sh, strings.Fields(o.At(2)))
	sh.Run(strings.ReplaceAll(o.At(2), "{}", "/run/secrets/sops"), c.In)
}

// nix runs a command in a shell of packages, or a package's program, and reports a removed package.
func nix(sh *shell.Shell, c shell.Command, o argv.Options) {
	for i, a := range c.Args {
		switch {
		case i+1 == len(c.Args):
		case a == "--run":
			sh.RunText(c.Args[i+1])
			return
		case lex.OneOf(a, "--command -c") && lex.OneOf(lex.First(c.Args), "shell develop"):
			sh.Exec(c.Args[i+1:], c.In)
			return
		case i == 0 && a == "profile" && c.Args[1] == "remove":
			sh.Effect(effect.RemovePackage, effect.Named(c.Name), strings.Join(c.Args[2:], " "))
			return
		case a == "--" && lex.First(c.Args) == "run":
			_, program, _ := strings.Cut(c.Args[1], "#")
			sh.Exec(append([]string{program}, c.Args[i+1:]...), c.In)
			return
		}
	}
	runner(sh, c, o)
}

// watcher runs the command that a tool starts when files change.
func watcher(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	if code, ok := o.Get("x", "exec"); ok {
		sh.RunText(strings.TrimSpace(code + " " + shell.QuoteAll(rest)))
		return
	}
	if c.Name == "concurrently" {
		for _, code := range rest {
			if name, isScript := strings.CutPrefix(code, "npm:"); isScript {
				code = "npm run " + name
			}
			sh.RunText(code)
		}
		return
	}
	rows.RunOneOrAll(sh, rest, c.In)
}
