package agents

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/powershell"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// Bounds on the search for a file of the host.
const (
	maxHostFiles = 400
	maxHostDepth = 4 // of folders below one for commands or agents
)

// A hostFile is a file in which the host keeps a skill, a command or an agent.
type hostFile struct {
	path, text string
	head, body string // the frontmatter, and what follows it
}

// LoadedFiles returns the paths of the files that a call makes the host load.
func LoadedFiles(sh *shell.Shell, call effect.Call) (paths []string) {
	name, _, kinds := hostName(call)
	if name == "" {
		return nil
	}
	for _, f := range hostFiles(sh, name, kinds) {
		paths = append(paths, f.path)
	}
	return paths
}

// hostName returns what a call makes the host load: its name, the arguments, and the folders
// in which it may lie. A person who typed the command names it as typed: the rules for what a
// session may load do not bind them.
func hostName(call effect.Call) (name, args, kinds string) {
	switch {
	case lex.OneOf(call.Tool, "Agent Task"):
		return call.Value("subagent_type"), "", "agents"
	case call.Tool == "Skill":
		return cmp.Or(call.Value("skill"), call.Value("typed")), call.Value("args"), "skills commands"
	case call.Tool == "SlashCommand":
		name, args, _ = strings.Cut(strings.TrimSpace(call.Value("command")), " ")
		return name, args, "skills commands"
	}
	return "", "", ""
}

// ReportLoaded runs what the host itself runs when it loads a skill, a command or an agent: the
// commands in its text, and the hooks of its frontmatter. The host puts neither to a hook; the
// newest clients do so with the former.
func ReportLoaded(sh *shell.Shell, call effect.Call) {
	name, args, kinds := hostName(call)
	for _, f := range hostFiles(sh, name, kinds) {
		f.run(sh, args, kinds != "agents")
		for _, skill := range f.preloads() {
			for _, loaded := range hostFiles(sh, skill, "skills commands") {
				loaded.run(sh, "", true)
			}
		}
	}
}

// hostFiles returns the files that a name may mean. Which of several files the host takes depends
// on its version, so all count.
func hostFiles(sh *shell.Shell, name, kinds string) (found []hostFile) {
	name = lastName(name)
	if name == "" || sh.Eval.Site.FileText == nil {
		return nil
	}
	left := maxHostFiles
	for _, dir := range hostFolders(sh) {
		for _, kind := range strings.Fields(kinds) {
			found = append(found, filesIn(sh, dir+"/"+kind, name, maxHostDepth, &left)...)
		}
	}
	return found
}

// lastName returns the last part of a name: "b" of "/a:b" and of "a/b".
func lastName(name string) string {
	name = strings.TrimSpace(name)
	return name[strings.LastIndexAny(name, ":/")+1:]
}

// hostFolders returns the folders in which the host looks for skills, commands and agents: its own
// in each folder above the session, its own at home, and those of plugins.
func hostFolders(sh *shell.Shell) (dirs []string) {
	site := sh.Eval.Site
	for _, from := range []string{site.Cwd, site.Project} {
		for dir := fspath.Slashed(from); dir != ""; dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)] {
			dirs = append(dirs, dir+"/.claude")
		}
	}
	config := fspath.Slashed(site.Home) + "/.claude"
	if dir := site.Env["CLAUDE_CONFIG_DIR"]; dir != "" {
		config = fspath.Slashed(dir)
	}
	dirs = append(append(dirs, config), pluginFolders(sh, config+"/plugins/")...)
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// pluginFolders returns the folders of the installed plugins, and those in them in which their
// manifests say that commands lie.
func pluginFolders(sh *shell.Shell, dir string) (dirs []string) {
	installed := readJSON(sh, dir+"installed_plugins.json")
	for _, places := range installed.Get("plugins").Members() {
		for _, place := range places.Items() {
			dirs = append(dirs, fspath.Slashed(place.Get("installPath").Str()))
		}
	}
	for _, market := range readJSON(sh, dir+"known_marketplaces.json").Members() {
		root := fspath.Slashed(market.Get("installLocation").Str())
		for _, plugin := range readJSON(sh, root+"/.claude-plugin/marketplace.json").Get("plugins").Items() {
			if source := plugin.Get("source").Str(); source != "" {
				dirs = append(dirs, strings.TrimSuffix(root+"/"+strings.TrimPrefix(source, "./"), "/"))
			}
		}
	}
	for _, root := range slices.Clone(dirs) {
		dirs = append(dirs, root+"/plugin") // where a plugin that is also a program has its parts
	}
	return dirs
}

func readJSON(sh *shell.Shell, path string) hostjson.Value {
	text, _ := sh.Eval.Site.FileText(path)
	v, _ := hostjson.Parse(text, hostjson.MaxDepth) // of a file that is no JSON nothing is known
	return v
}

// filesIn returns the files of a name in a folder and below. left bounds the files that are read.
func filesIn(sh *shell.Shell, dir, name string, depth int, left *int) (found []hostFile) {
	names, _ := sh.Eval.Site.FileText(dir + "/")
	for _, entry := range strings.Split(names, "\n") {
		below, isDir := strings.CutSuffix(entry, "/")
		switch {
		case isDir && depth > 0:
			found = append(found, filesIn(sh, dir+"/"+below, name, depth-1, left)...)
		case !strings.HasSuffix(entry, ".md"):
		case *left == 0:
			sh.Unreadable(effect.Named("too many files of the host"), dir)
			*left--
		case *left > 0:
			*left--
			if f, ok := readHostFile(sh, dir, entry, name); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

// readHostFile returns a file in a folder if the name may mean it. Of one that cannot be read only
// the name of the file or of its folder counts.
func readHostFile(sh *shell.Shell, dir, entry, name string) (f hostFile, ok bool) {
	f.path = dir + "/" + entry
	text, readable := sh.Eval.Site.FileText(f.path)
	f.text = partial.Scrub(text)
	f.head, f.body = frontmatter(f.text)
	named := lex.OneOf(name, strings.TrimSuffix(entry, ".md")) || name == fspath.Base(dir)
	if !named && !slices.ContainsFunc(recipes.ReadYAML(f.head), func(y recipes.YAMLText) bool {
		return slices.Equal(y.Keys, []string{"name"}) && lastName(y.Text) == name
	}) {
		return f, false
	}
	if !readable {
		sh.Unreadable(effect.Named("file of the host"), f.path)
	}
	return f, readable
}

// frontmatter splits the text of a file of the host.
func frontmatter(text string) (head, body string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "\ufeff"), "---")
	line, rest, _ := strings.Cut(rest, "\n")
	if !ok || strings.TrimSpace(line) != "" {
		return "", text
	}
	head, body, ok = strings.Cut("\n"+rest, "\n---")
	if !ok {
		return "", text
	}
	return strings.TrimPrefix(head, "\n"), body
}

// preloads returns the names of the skills that an agent loads when it starts.
func (f hostFile) preloads() (names []string) {
	for _, y := range recipes.ReadYAML(f.head) {
		if y.Keys != nil && y.Keys[0] == "skills" {
			names = append(names, strings.FieldsFunc(y.Text, func(r rune) bool { return r == ',' })...)
		}
	}
	return names
}

// commandsIn returns the commands in the text of a skill or command, as the host finds them: !`…`
// behind a blank, and blocks that begin with ```!.
func commandsIn(body string) (commands []string) {
	for at := 0; ; {
		i := strings.Index(body[at:], "!`")
		if i < 0 {
			break
		}
		from := at + i + 2
		end := strings.IndexByte(body[from:], '`')
		if end > 0 && (at+i == 0 || strings.IndexByte(blanks, body[at+i-1]) >= 0) {
			commands = append(commands, body[from:from+end])
			from += end + 1
		}
		at = from
	}
	for rest := body; ; {
		_, block, found := strings.Cut(rest, "```!")
		text, behind, ends := strings.Cut(block, "```")
		if !found || !ends {
			return commands
		}
		commands, rest = append(commands, text), behind
	}
}

const blanks = " \t\n\r\f\v"

// run runs what the host runs when it loads the file.
func (f hostFile) run(sh *shell.Shell, args string, hasShell bool) {
	if hasShell && !(sh.Eval.Site.Skills != nil && sh.Eval.Site.Skills()) {
		for _, src := range commandsIn(f.body) {
			f.command(sh, fillArguments(src, args))
		}
	}
	commands, sure := hookCommands(f.head)
	if !sure {
		sh.Part = lex.Clip("hooks: in "+f.path, 300)
		sh.Unreadable(effect.Named("hooks"), f.head)
	}
	for _, c := range commands {
		f.command(sh, c)
	}
}

// command runs one command. The host fills in the names of folders.
func (f hostFile) command(sh *shell.Shell, src string) {
	dir, project := fspath.Dir(f.path), sh.Eval.Site.Project
	src = strings.NewReplacer("${CLAUDE_SKILL_DIR}", dir, "$CLAUDE_SKILL_DIR", dir,
		"${CLAUDE_PROJECT_DIR}", project, "$CLAUDE_PROJECT_DIR", project).Replace(strings.TrimSpace(src))
	child := sh.Sub()
	child.Src, child.Part = nil, lex.Clip(src, 300)
	child.Eval.Budget.Bytes += len(src)
	switch {
	case len(src) > expand.MaxSource:
		child.Unreadable(effect.Named("too long"), src)
	case strings.Contains(f.head, "shell: powershell"):
		powershell.Run(child, src)
	default:
		child.Run(src, nil)
	}
}

// fillArguments puts arguments into a command as the host does, for $ARGUMENTS, $ARGUMENTS[0] and $0:
// the first one is number 0.
func fillArguments(src, args string) string {
	words := quotedWords(args)
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(src, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		whole, named := strings.CutPrefix(rest, "ARGUMENTS")
		number := digits(rest)
		src = rest[len(number):]
		if named {
			src, number = whole, ""
			inside, behind, _ := strings.Cut(whole, "]")
			if index, ok := strings.CutPrefix(inside, "["); ok && lex.IsNumber(index) {
				src, number = behind, index
			}
		}
		at, err := strconv.Atoi(number)
		switch {
		case named && err != nil:
			b.WriteString(args)
		case err != nil, !named && len(words) == 0:
			b.WriteString("$" + number)
		case at < len(words):
			b.WriteString(words[at])
		}
	}
}

// digits returns the digits at the start of a text.
func digits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// quotedWords returns the words of a text, without their quotes.
func quotedWords(text string) (words []string) {
	for text = strings.TrimLeft(text, blanks); text != ""; text = strings.TrimLeft(text, blanks) {
		end := strings.IndexAny(text, blanks)
		if quote := text[0]; quote == '"' || quote == '\'' {
			if close := strings.IndexByte(text[1:], quote); close >= 0 {
				end = close + 2
			}
		}
		if end < 0 {
			end = len(text)
		}
		words, text = append(words, strings.Trim(text[:end], `"'`)), text[end:]
	}
	return words
}

// hookCommands returns the commands of the hooks in a frontmatter. sure is false if it may have
// others. The keys of a frontmatter stand in the column of its first one.
func hookCommands(head string) (commands []string, sure bool) {
	hooks, sure := hooksBlock(head)
	texts := recipes.ReadYAML(hooks)
	for i, y := range texts {
		if len(y.Keys) == 0 || y.Keys[len(y.Keys)-1] != "command" {
			continue
		}
		words := []string{y.Text}
		for _, arg := range texts[i+1:] {
			if n := len(arg.Keys) - 2; n >= 0 && arg.Keys[n] == "args" && slices.Equal(arg.Keys[:n], y.Keys[:n]) {
				words = append(words, "'"+strings.ReplaceAll(arg.Text, "'", `'\''`)+"'")
			}
		}
		commands = append(commands, strings.Join(words, " "))
	}
	return commands, sure
}

// hooksBlock returns the lines of the key hooks in a frontmatter. sure is false if a reader of YAML
// may find other hooks.
func hooksBlock(head string) (block string, sure bool) {
	lines, column, inside, text := strings.Split(head, "\n"), -1, false, -1
	sure = true
	for _, line := range lines {
		code := strings.TrimLeft(line, " ")
		at := len(line) - len(code)
		if code == "" || code[0] == '#' {
			continue
		}
		if column < 0 {
			column = at
		}
		if at <= column && !(inside && strings.HasPrefix(code, "- ")) {
			key, value, pair := recipes.YAMLPair(code)
			inside, text = pair && key == "hooks", -1
			odd := lex.BeginsWith(code, "\" ' { ? ! & * [ \t") || inside && value != ""
			sure = sure && !odd
			if inside {
				block += line + "\n"
			}
			continue
		}
		if inside {
			block += line + "\n"
			sure = sure && plainYAML(code, at, &text)
		}
	}
	return block, sure
}

// plainYAML reports whether ReadYAML reads a line as every reader of YAML does. text is the column
// of the key whose text in several lines goes on, -1 for none.
func plainYAML(code string, at int, text *int) bool {
	if *text >= 0 && at > *text {
		return true
	}
	*text = -1
	for strings.HasPrefix(code, "- ") {
		item := strings.TrimLeft(code[1:], " ")
		at += len(code) - len(item)
		code = item
	}
	key, value, pair := recipes.YAMLPair(code)
	if !pair {
		key, value = "", code
	}
	switch {
	case strings.ContainsAny(key, `\"'`), lex.BeginsWith(code, "? ! & * < \t"):
		return false
	case value == "":
		return pair
	case lex.BeginsWith(value, "| >"):
		*text = at
		return true
	case value[0] == '"':
		inner := strings.NewReplacer(`\\`, "", `\"`, "").Replace(value[1:])
		return strings.IndexByte(inner, '"') == len(inner)-1 && !strings.Contains(inner, `\`)
	case value[0] == '\'':
		inner := strings.ReplaceAll(value[1:], "''", "")
		return strings.IndexByte(inner, '\'') == len(inner)-1
	}
	if list, ok := strings.CutSuffix(value, "]"); ok && value[0] == '[' {
		return !strings.ContainsAny(list[1:], `[{\&*!`)
	}
	return pair && !lex.BeginsWith(value, "! & * { [ @ ` %")
}

// HasSandbox reports whether a settings file of the host switches its sandbox on. Without one a
// call leaves nothing.
func HasSandbox(sh *shell.Shell) bool {
	if sh.Eval.Site.FileText == nil {
		return false
	}
	for _, dir := range hostFolders(sh) {
		for _, name := range []string{"/settings.json", "/settings.local.json"} {
			if readJSON(sh, dir+name).Get("sandbox.enabled").Bool() {
				return true
			}
		}
	}
	return false
}
