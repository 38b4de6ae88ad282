package agents

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/machine"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/network"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// No table can list the tools of all MCP servers. A tool is judged by the words of its
// name, by its action, by its fields, and by the keys of documents in them.

// A serverTool is a tool of an MCP server: the words of the server's name, and those of the
// tool's name and of the action that a field names.
type serverTool struct {
	server, words []string
	call          effect.Call
	fields        []field
	hosted        bool // its paths are those of a repository or a store of a service
}

// A field of a tool's input is understood by the words of its name, such as cli_command and
// targetFile, and by the form of its value.
type field struct {
	written string   // its name; an item of a list has the name of the list
	name    string   // the same in lower case
	words   []string // of the name
	text    string   // the value
	item    bool     // it is an item of a list
}

// ReportMCP reports the effects of a call of an MCP server's tool.
func ReportMCP(sh *shell.Shell, call effect.Call) {
	parts := strings.SplitN(call.Tool, "__", 3)
	if len(parts) < 3 {
		return
	}
	sh.Via = call.Tool
	t := serverTool{server: lex.VerbWords(parts[1]), words: lex.VerbWords(parts[2]), call: call}
	for _, a := range call.Args {
		t.fields = append(t.fields, readField(a))
	}
	t.words = append(t.words, t.action()...)
	t.hosted = t.isHosted()
	before := len(sh.Eval.Effects)
	requested := t.request(sh)
	t.commandLine(sh)
	t.documents(sh)
	for _, f := range t.fields {
		sh.Part = lex.Clip(f.text, 300)
		t.field(sh, f)
	}
	sh.Part = call.Tool
	switch {
	case requested, t.browses(), lex.ContainsAny(t.server, "afar memory thinking"): // they change nothing of others
	case t.types():
		sh.Effect(effect.TypeInto, "", call.Tool)
	case slices.ContainsFunc(sh.Eval.Effects[before:], takesFile): // its paths gave its effects
	default:
		t.verb(sh)
	}
}

// Browsers are words in the names of servers that drive a browser.
const Browsers = "playwright puppeteer browser chrome chromium firefox selenium"

// browses reports whether a server drives a browser.
func (t serverTool) browses() bool { return lex.ContainsAny(t.server, Browsers) }

// types reports whether a tool types into a terminal or into another program.
func (t serverTool) types() bool {
	if lex.ContainsAny(t.words, "file directory process") {
		return false
	}
	return lex.ContainsAny(t.server, "terminal iterm iterm2 tmux screen kitty wezterm computer desktop") &&
		lex.ContainsAny(t.words, "keys key type keystroke computer input send write paste")
}

// takesFile reports whether an effect takes a file away.
func takesFile(e effect.Effect) bool { return e.Kind == effect.DeleteTree || e.Kind == effect.MoveAway }

// serverRows say what a tool does whose name has a verb. The verb is the program of a row, the words
// behind it are the operands, all words of the name are the arguments, and the fields are the
// options; an option without a name is a value of any field. "$0" is the tool.
var serverRows = []rows.Row{
	{Of: verbs.Destroying, Also: destroysNoun},
	{Of: "publish", As: &tellsOthers},
	{Of: "release", Args: "create|make", As: &tellsOthers},
	{Of: "deploy", Among: "prod production", As: &tellsOthers},
	{Of: "deploy", Given: "=prod =production prod=true", As: &tellsOthers},
	{
		Of: "send post reply tweet add", Among: "message messages email mail dm tweet sms",
		Does: effect.SendOut, Op: effect.Message, To: rows.Operand(0),
	},
	{Of: "tweet", Does: effect.SendOut, Op: effect.Message, To: rows.Operand(0)},
	{Of: "merge close accept complete abandon", Args: requestWords, As: &changesHosted},
	{Of: "update edit", Args: requestWords, Given: "=closed =close =abandoned =completed", As: &changesHosted},
	{Of: "run trigger dispatch", Among: "workflow", As: &changesHosted},
	{Of: "refund pause scale apply " + verbs.Changing, As: &changesHosted},
	{Of: verbs.GivingRights, Among: verbs.Rights, As: &changesRights},
	{Of: verbs.GivingRights, Args: "collaborator", As: &changesRights},
	{Of: verbs.GivingRights, Given: "visibility=public", As: &changesRights},
	{Of: "share", As: &changesRights},
	{
		Of: "run create start", Args: "container|containers", Given: "privileged=true",
		Does: effect.RunElevated, Op: effect.HostRights, To: rows.Operand(0),
	},
	{Of: "create", Args: "refund|refunds", Does: effect.ChangeRemote, Op: "refund", To: rows.Operand(0)},
}

var (
	tellsOthers   = rows.Act{Kind: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("to others")}
	changesHosted = rows.Act{Kind: effect.ChangeRemote, OpOf: rows.ProgramName, To: rows.Operand(0)}
	changesRights = rows.Act{Kind: effect.ChangeRemote, Op: effect.Rights, To: rows.Operand(0)}
)

const requestWords = "pull|pr|mr|request" // to merge

// destroysNoun reports that a tool destroys what the words of its name say beside the verb.
func destroysNoun(sh *shell.Shell, c shell.Command, o argv.Options) {
	noun := slices.DeleteFunc(slices.Clone(c.Args), func(word string) bool { return word == c.Name })
	sh.Effect(effect.DestroyRemote, effect.Named(strings.Join(noun, "-")), o.At(0))
}

// verb reports the effects that the name of a tool suggests.
func (t serverTool) verb(sh *shell.Shell) {
	if t.revealsSecret() {
		sh.Effect(effect.RevealSecret, effect.Named("vault"), t.call.Tool)
		return
	}
	if mcpGit(sh, t.words, t.call) {
		return
	}
	var fields []string
	for _, a := range t.call.Args {
		value := strings.ToLower(a.Value)
		fields = append(fields, "--"+a.Path+"="+value, "--="+value)
	}
	o := argv.ParseOptions(fields, "")
	o.Pos = []string{t.call.Tool}
	for i, verb := range t.words {
		c := shell.Command{Name: verb, Args: t.words}
		if rows.Run(sh, serverRows, t.words[i+1:], c, o) || verbs.Of(verb) == verbs.Reads {
			return
		}
	}
}

// revealsSecret reports whether a tool shows a secret: its name says so, it is one of a vault, or it
// gets a resource of a cluster that is one.
func (t serverTool) revealsSecret() bool {
	const secrets = "secret secrets password credential credentials"
	names := func(a effect.Arg) bool { return lex.OneOf(a.Path, "name path item id") }
	switch {
	case !lex.ContainsAny(t.words, "get read reveal show fetch access"):
		return false
	case lex.ContainsAny(t.words, secrets):
		return true
	case !slices.ContainsFunc(t.call.Args, names):
		return false
	case lex.ContainsAny(t.server, "1password onepassword bitwarden lastpass vault doppler infisical"):
		return true
	}
	return t.call.Has("kind", secrets) || t.call.Has("resourceType", secrets)
}

// mcpGit runs the git command that a tool wraps.
func mcpGit(sh *shell.Shell, words []string, call effect.Call) bool {
	switch {
	case call.Has("hard", "true"), slices.Contains(words, "reset") && call.Has("mode", "hard"):
		sh.Effect(effect.Discard, effect.ResetHard, "")
	case !call.Has("force", "true"):
		return false
	case lex.ContainsAny(words, "push ref refs"):
		branch := cmp.Or(call.Value("branch"), call.Value("ref"))
		sh.Effect(effect.PushForce, effect.Force, rows.BranchOf(branch))
	case slices.Contains(words, "clean"):
		sh.Effect(effect.Discard, effect.Clean, "")
	default:
		return false
	}
	return true
}

// The words that tell what a field holds.
const (
	commandWords   = "command commands cmd cmds shell bash commandline cmdline run script"
	argumentWords  = "args argv arguments command cmd"
	programWords   = "binary cmd command executable program"
	statementWords = "sql query queries statement statements q mutation cypher cql aql"
	codeWords      = "code python javascript js source function expression snippet"
	addressWords   = "url urls uri href link endpoint address"
	pathWords      = "path paths file files filepath filename directory dir folder destination dest target targets " +
		"source uri location document attachment attachments"
	actionWords = "action command op operation operation_id operationid subcommand verb"
	methodWords = "method verb"
	toldWords   = "message messages issue comment gist pull merge review discussion email mail tweet reply ticket " +
		"post send"
	proseWords = "body content text title description message prompt comment summary note subject"
)

// readField reads an argument. An item of a list has the name of the list.
func readField(a effect.Arg) field {
	f := field{text: partial.Scrub(a.Value)}
	for path, number := a.Path, true; number; {
		i := strings.LastIndexByte(path, '.')
		f.written = path[i+1:]
		if number = i >= 0 && lex.IsNumber(f.written); number {
			path, f.item = path[:i], true
		}
	}
	f.name, f.words = strings.ToLower(f.written), lex.VerbWords(f.written)
	return f
}

// action returns the words of the verb that a field gives, as in {"action": "delete_file"}.
func (t serverTool) action() []string {
	for _, f := range t.fields {
		switch {
		case f.item, lex.IsNumber(f.text), !lex.OneOf(f.name, actionWords):
		case len(f.text) > maxAction, strings.ContainsAny(f.text, " \n/."), lex.OneOf(f.text, network.RequestMethods):
		default:
			return lex.VerbWords(f.text)
		}
	}
	return nil
}

// maxAction bounds the length of a verb that a field gives.
const maxAction = 40

// request reports the effects of an HTTP request, if the fields give a method and an address.
func (t serverTool) request(sh *shell.Shell) bool {
	var r web.Sent
	path := "" // on a host that the server knows
	for _, f := range t.fields {
		switch {
		case lex.ContainsAny(f.words, methodWords) && lex.OneOf(strings.ToUpper(f.text), network.RequestMethods):
			r.Method = f.text
		case r.URL == "" && (lex.ContainsAny(f.words, addressWords) || isURL(f.text)):
			r.URL = f.text
		case path == "" && lex.ContainsAny(f.words, "path route") && strings.HasPrefix(f.text, "/"):
			path = f.text
		case lex.ContainsAny(f.words, "body data payload json query"):
			r.Body += " " + f.text
		}
	}
	if r.URL = cmp.Or(r.URL, path); r.Method == "" || r.URL == "" {
		return false
	}
	sh.Part = lex.Clip(r.URL, 300)
	web.Request(sh, r)
	return true
}

// commandLine runs a command whose words are the items of a list, or whose program and
// arguments are fields of their own.
func (t serverTool) commandLine(sh *shell.Shell) {
	program, lists := t.programField(), argumentWords
	if program != "" {
		lists += " params parameters"
	}
	var argv []string
	for _, f := range t.fields {
		switch {
		case f.item && lex.OneOf(f.name, lists):
			argv = append(argv, f.text)
		case f.item, !lex.OneOf(f.name, "args arguments argv"), strings.Contains(f.text, "\n"), f.text == emptyDocument:
		default: // all of them as one text
			argv = append(argv, expand.QuotedFields(f.text)...)
		}
	}
	if len(argv) == 0 {
		return
	}
	t.subcommand(sh, program, argv)
	if program == "" && !slices.Contains(t.words, argv[0]) {
		program = t.program()
	}
	if lex.OneOf(program, argv[0]) {
		program = ""
	}
	lead := []string{program}
	switch {
	case !t.execs(program):
	case program == "kubectl":
		lead = append(lead, "exec", "container", "--")
	default:
		lead = append(lead, "exec", "container")
	}
	runWords(sh, append(lead, argv...))
}

// runWords runs a command that fields give. Empty words do not count.
func runWords(sh *shell.Shell, argv []string) {
	argv = slices.DeleteFunc(argv, func(word string) bool { return word == "" })
	sh.Part = lex.Clip(strings.Join(argv, " "), 300)
	sh.Exec(argv, nil)
}

// subcommand runs the program that the tool is named after, if fields name its commands. first is the
// first of them, "" for none.
func (t serverTool) subcommand(sh *shell.Shell, first string, args []string) {
	program, named := t.program(), first
	argv := []string{program, first}
	for _, f := range t.fields {
		if !f.item && lex.OneOf(f.name, "subcommand verb action operation") {
			argv, named = append(argv, f.text), named+f.text
		}
	}
	if program == "" || first == program || named == "" || t.execs(program) {
		return
	}
	runWords(sh.Sub(), append(argv, args...))
}

// execs reports whether a tool of a client of containers runs its arguments in the container
// that a field names.
func (t serverTool) execs(program string) bool {
	const places = "container pod service"
	switch {
	case !lex.OneOf(program, "docker podman kubectl"), !lex.ContainsAny(t.words, "exec execute"):
		return false
	case lex.ContainsAny(t.words, places):
		return true
	}
	return slices.ContainsFunc(t.fields, func(f field) bool { return lex.ContainsAny(f.words, places) })
}

// programField returns the program that a field names, or "".
func (t serverTool) programField() string {
	for _, f := range t.fields {
		switch {
		case f.item, strings.ContainsAny(f.text, " {"), lex.IsNumber(f.text):
		case lex.OneOf(f.name, programWords):
			return f.text
		}
	}
	return ""
}

// wrapped are programs whose tools take the arguments of the program.
const wrapped = "argocd aws az docker doctl firebase flux fly gcloud gh git glab gsutil helm heroku kubectl npm pnpm" +
	" podman psql pulumi redis-cli rsync supabase terraform terragrunt tofu vault vercel wrangler yarn"

// program returns the program that the name of a tool names, or "".
func (t serverTool) program() string {
	for _, w := range slices.Concat(t.words, t.server) {
		switch {
		case lex.OneOf(w, "kubernetes k8s"):
			return "kubectl"
		case lex.OneOf(w, "redis valkey"):
			return "redis-cli"
		case w == "azure":
			return "az"
		case lex.OneOf(w, wrapped):
			return w
		}
	}
	return ""
}

// field reports the effects of one field.
func (t serverTool) field(sh *shell.Shell, f field) {
	switch {
	case t.browses() && lex.ContainsAny(f.words, codeWords+" script"): // for a page
		fetchedByCode(sh, f.text)
	case f.name == "script" && lex.ContainsAny(t.server, "applescript osascript macos automation"):
		script.AppleScript(sh, f.text)
	case strings.HasPrefix(f.text, "db.") && strings.Contains(f.text, "("):
		database.ReportMongo(sh, f.text)
	case t.isCommand(f):
		sub := t.machine(sh).Sub()
		sub.Src = nil
		sub.Run(t.wholeCommand(sub, f.text), nil)
	case t.isStatement(f):
		t.statement(sh, f.text)
	case lex.ContainsAny(f.words, codeWords) && !rows.IsPath(f.text):
		fieldCode(sh, f)
	default:
		t.place(sh, f)
	}
}

// wholeCommand returns a command with the program that its tool wraps, if it begins with a word of
// that program.
func (t serverTool) wholeCommand(sh *shell.Shell, text string) string {
	first, _, several := strings.Cut(strings.TrimSpace(text), " ")
	program := t.program()
	switch {
	case program == "", !several, sh.Eval.IsListed(lex.ProgramName(first)), lex.OneOf(first, wrapped), t.execs(program):
		return text
	}
	return program + " " + text
}

// machine returns the shell of the machine on which a tool runs commands.
func (t serverTool) machine(sh *shell.Shell) *shell.Shell {
	remote := func(f field) bool {
		return lex.OneOf(f.written, "host hostname server connection") && f.text != "" && !web.IsLocalHost(f.text)
	}
	if lex.ContainsAny(t.server, "ssh remote") && slices.ContainsFunc(t.fields, remote) {
		return sh.Elsewhere()
	}
	return sh
}

// isCommand reports whether a field holds a command for a shell.
func (t serverTool) isCommand(f field) bool {
	switch {
	case f.item && !lex.OneOf(f.name, "commands cmds steps"):
		return false
	case lex.ContainsAny(f.words, "sql path file dir id name type"):
		return false
	case lex.ContainsAny(f.words, commandWords):
		return true
	case lex.OneOf(f.name, "input text"):
		return lex.ContainsAny(slices.Concat(t.server, t.words), "shell terminal bash ssh exec")
	}
	return false
}

// isStatement reports whether a field holds a statement for a database, not a text to search for.
func (t serverTool) isStatement(f field) bool {
	const looking = "search find lookup docs doc ask question grep suggest translate"
	const engines = "brave exa tavily perplexity context7 duckduckgo serper kagi deepwiki search docs"
	words := statementWords
	switch {
	case lex.First(t.words) == "list", lex.ContainsAny(t.words, looking), lex.ContainsAny(t.server, engines):
		words = "sql"
	}
	return lex.ContainsAny(f.words, words)
}

// statement reads a statement in one of the languages of databases, or a GraphQL mutation.
func (t serverTool) statement(sh *shell.Shell, text string) {
	switch begin := strings.TrimSpace(text); {
	case strings.HasPrefix(begin, "mutation") && web.Mutation(text):
		sh.Effect(effect.DestroyRemote, effect.Part, "graphql")
	case strings.HasPrefix(begin, "db."):
		database.ReportMongo(sh, text)
	case lex.ContainsAny(slices.Concat(t.server, t.words), "neo4j cypher memgraph falkordb"),
		strings.HasPrefix(strings.ToUpper(begin), "MATCH "):
		database.ReportGraph(sh, text)
	default:
		sql.Read(sh, text)
	}
}

// fieldCode runs code of another language, as a cell of a notebook.
func fieldCode(sh *shell.Shell, f field) {
	sh.Src = &shell.Source{Whole: sh.Part}
	language := "python"
	if lex.OneOf(f.name, "javascript js function expression") {
		language = "node"
	}
	runCell(sh, f.text, language)
}

// runCell runs a cell of a notebook. Its first line can say that all of it is for a shell, and any
// other line can be for a shell, too.
func runCell(sh *shell.Shell, code, language string) {
	first, rest, _ := strings.Cut(code, "\n")
	if magic, ok := strings.CutPrefix(first, "%%"); ok && lex.ContainsAny(strings.Fields(magic), "bash sh zsh") {
		sh.RunText(rest)
		return
	}
	if lex.IsShellName(language) {
		sh.RunText(code)
		return
	}
	for _, line := range shell.SplitLines(code) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			sh.RunText(command)
		}
	}
	script.Run(sh, code, cmp.Or(source.LanguageOf(language), "python"))
}

// fetchedByCode reports the addresses and the requests in code that a browser runs.
func fetchedByCode(sh *shell.Shell, text string) {
	for _, t := range script.Tokenize(text, "js") {
		if t.Kind == 's' && isURL(t.Text) {
			secret.ReportFetched(sh, []string{t.Text})
		}
	}
	script.Requests(sh, text)
	stored := lex.Mentions(text, "document.cookie localStorage sessionStorage")
	if stored && lex.Mentions(text, "fetch( sendBeacon( XMLHttpRequest") {
		sh.Effect(effect.SendOut, effect.Named("what a page has stored"), "")
	}
}

// place reports the effects of a field that holds an address or a path. A value of another field
// that has the form of a path is only read.
func (t serverTool) place(sh *shell.Shell, f field) {
	file, local := strings.CutPrefix(f.text, "file://")
	named := lex.ContainsAny(f.words, pathWords)
	switch {
	case !named && lex.ContainsAny(f.words, proseWords):
		if lex.ContainsAny(t.words, toldWords) || t.hosted && lex.ContainsAny(t.words, "push create update commit") {
			secret.ReportKeys(sh, []string{f.text}, t.call.Tool) // others read it
		}
	case lex.ContainsAny(f.words, "volume volumes bind binds mount mounts") && strings.Contains(f.text, ":/"):
		machine.Mount(sh, sh.Sub(), f.text)
	case isURL(f.text) && !local, lex.ContainsAny(f.words, addressWords) && !rows.IsPath(file):
		secret.ReportFetched(sh, []string{f.text})
		secret.ReportKeys(sh, []string{f.text}, f.text)
		ownSocket(sh, shell.Command{Args: []string{f.text}})
	case named, local, lex.OneOf(f.name, "from src "+targetNames) && lex.ContainsAny(t.words, copyingWords):
		t.path(sh, file, f.name)
	case lex.BeginsWith(f.text, "/ ~/") && rows.IsPath(f.text) && lex.ContainsAny(t.words, readingWords+" "+sendingWords):
		t.path(sh, f.text, f.name)
	}
}

// targetNames are the names of fields for the place where something comes to.
const targetNames = "destination dest dst to"

// isURL reports whether a text has the form of a URL.
func isURL(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	return rest != "" && len(scheme) <= maxScheme && !strings.ContainsAny(text, " \n")
}

// maxScheme bounds the length of the scheme of a URL.
const maxScheme = 11

// What the words of a tool's name say about the paths that it gets.
const (
	deletingWords = "delete remove rm unlink rmdir trash"
	writingWords  = "write edit create update append save put patch replace insert modify set overwrite truncate " +
		"touch mkdir download export " + copyingWords
	copyingWords = "move rename copy link symlink"
	unpackWords  = "extract unzip decompress unpack"
	readingWords = "read get open view cat load fetch navigate goto new"
	sendingWords = "upload send attach share"
)

// maxPath bounds the length of a path. A longer text is something else.
const maxPath = 4096

// path reports what a tool does to a path.
func (t serverTool) path(sh *shell.Shell, text, name string) {
	p := sh.Path(text)
	switch {
	case !strings.ContainsAny(text, "/\\.~"), strings.Contains(text, "://"), len(text) > maxPath:
	case lex.ContainsAny(t.words, sendingWords):
		if secret.HoldsSecret(sh, text) {
			sh.Effect(effect.SendOut, effect.Secret, t.call.Tool)
		}
	case t.hosted && !lex.BeginsWith(text, "/ ~") && lex.ContainsAny(t.words, deletingWords+" move rename"):
		// the verb of the tool says what happens there
	case lex.ContainsAny(t.words, deletingWords):
		sh.Effect(effect.DeleteTree, "", p)
	case lex.ContainsAny(t.words, "move rename") && !lex.OneOf(name, targetNames):
		sh.Effect(effect.MoveAway, "", p)
	case lex.ContainsAny(t.words, writingWords), lex.ContainsAny(t.words, unpackWords) && lex.OneOf(name, targetNames):
		op := effect.Op("")
		if t.hosted {
			op = effect.Edit // the service keeps the version before
		}
		sh.Effect(effect.WriteFile, op, p)
	case lex.ContainsAny(t.words, readingWords):
		sh.Effect(effect.ReadFile, "", p)
	}
}

// isHosted reports whether the paths of a tool are those of a repository or a store of a service.
func (t serverTool) isHosted() bool {
	const services = "github gitlab gitea forgejo bitbucket azure gdrive drive dropbox onedrive sharepoint " +
		"firestore firebase supabase s3 gcs cloudflare dynamodb"
	if lex.ContainsAny(t.server, services) {
		return true
	}
	return slices.ContainsFunc(t.fields, func(f field) bool { return lex.OneOf(f.written, hostedFields) })
}

// hostedFields are the names of fields for a repository or a store of a service.
const hostedFields = "branch bucket bucket_name owner project_id repo repo_slug repository_id"
