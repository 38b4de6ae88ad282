package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A field of a tool's input is understood by the words of its name, such as cli_command and
// targetFile, and by the form of its value.

// The words that tell what a field holds.
const (
	commandWords   = "command commands cmd cmds shell bash commandline cmdline run script"
	argumentWords  = "args argv arguments command cmd"
	programWords   = "command cmd program executable binary"
	statementWords = "sql query queries statement statements q"
	codeWords      = "code python javascript js source function expression snippet"
	addressWords   = "url urls uri href link endpoint address"
	pathWords      = "path paths file files filepath filename directory dir folder destination dest target targets " +
		"source uri location document attachment attachments"
	actionWords = "action operation op command subcommand verb"
	methodWords = "method verb"
	toldWords   = "message messages issue comment gist pull merge review discussion email mail tweet reply ticket post send"
	proseWords  = "body content text title description message prompt comment summary note subject"
)

// fieldName returns the name of a field. The items of a list have the name of the list.
func fieldName(a effect.Arg) string {
	path := a.Path
	for {
		i := strings.LastIndexByte(path, '.')
		if name := path[i+1:]; i < 0 || !lex.IsNumber(name) {
			return name
		}
		path = path[:i]
	}
}

// fieldWords returns the words of the name of a field.
func fieldWords(a effect.Arg) []string { return lex.VerbWords(fieldName(a)) }

// isItem reports whether a value is an item of a list.
func isItem(a effect.Arg) bool { return lex.IsNumber(a.Path[strings.LastIndexByte(a.Path, '.')+1:]) }

// action returns the words of the verb that a field gives, as in {"action": "delete_file"}.
func (t serverTool) action() []string {
	for _, a := range t.call.Args {
		switch {
		case isItem(a), !lex.OneOf(strings.ToLower(fieldName(a)), actionWords):
		case len(a.Value) > maxAction, strings.ContainsAny(a.Value, " \n/."), isMethod(a.Value):
		default:
			return lex.VerbWords(a.Value)
		}
	}
	return nil
}

// maxAction bounds the length of a verb that a field gives.
const maxAction = 40

func isMethod(value string) bool { return lex.OneOf(value, requestMethods) }

// request reports the effects of an HTTP request, if the fields give a method and an address.
func (t serverTool) request(sh *shell.Shell) bool {
	var r web.Sent
	for _, a := range t.call.Args {
		words := fieldWords(a)
		switch {
		case lex.ContainsAny(words, methodWords) && isMethod(strings.ToUpper(a.Value)):
			r.Method = a.Value
		case r.URL == "" && (lex.ContainsAny(words, addressWords) || isURL(a.Value)):
			r.URL = a.Value
		case lex.ContainsAny(words, "body data payload json query"):
			r.Body += " " + a.Value
		}
	}
	if r.Method == "" || r.URL == "" {
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
	for _, a := range t.call.Args {
		name, text := strings.ToLower(fieldName(a)), partial.Scrub(a.Value)
		switch {
		case !isItem(a):
			argv = append(argv, argumentText(name, text)...)
		case lex.OneOf(name, lists):
			argv = append(argv, text)
		}
	}
	if len(argv) == 0 {
		return
	}
	if program == "" && !slices.Contains(t.words, argv[0]) {
		program = t.program()
	}
	if lex.OneOf(program, argv[0]) {
		program = ""
	}
	if t.execs(program) {
		argv = append(execWords(program), argv...)
	}
	argv = slices.DeleteFunc(append([]string{program}, argv...), func(s string) bool { return s == "" })
	sh.Part = lex.Clip(strings.Join(argv, " "), 300)
	sh.Exec(argv, nil)
}

// execs reports whether a tool of a client of containers runs its arguments in the container
// that a field names.
func (t serverTool) execs(program string) bool {
	if !lex.OneOf(program, "docker podman kubectl") || !lex.ContainsAny(t.words, "exec execute") {
		return false
	}
	return slices.ContainsFunc(t.call.Args, func(a effect.Arg) bool {
		return lex.ContainsAny(fieldWords(a), "container pod service")
	})
}

// execWords returns the words with which a client of containers begins such a command.
func execWords(program string) []string {
	if program == "kubectl" {
		return []string{"exec", "container", "--"}
	}
	return []string{"exec", "container"}
}

// argumentText returns the arguments in a field that holds all of them as one text.
func argumentText(name, text string) []string {
	if !lex.OneOf(name, "args arguments argv") || strings.Contains(text, "\n") {
		return nil
	}
	return shell.QuotedFields(text)
}

// programField returns the program that a field names, or "".
func (t serverTool) programField() string {
	for _, a := range t.call.Args {
		switch {
		case isItem(a), strings.Contains(a.Value, " "):
		case lex.OneOf(strings.ToLower(fieldName(a)), programWords):
			return partial.Scrub(a.Value)
		}
	}
	return ""
}

// wrapped are programs whose tools take the arguments of the program.
const wrapped = "git kubectl terraform tofu terragrunt pulumi docker podman helm gh glab aws gcloud gsutil az npm " +
	"pnpm yarn heroku fly vercel supabase wrangler firebase doctl argocd flux vault redis-cli psql rsync"

// program returns the program that the name of a tool names, or "".
func (t serverTool) program() string {
	for _, w := range slices.Concat(t.words, t.server) {
		switch {
		case lex.OneOf(w, "kubernetes k8s"):
			return "kubectl"
		case lex.OneOf(w, wrapped):
			return w
		}
	}
	return ""
}

// field reports the effects of one field.
func (t serverTool) field(sh *shell.Shell, a effect.Arg) {
	words, text := fieldWords(a), partial.Scrub(a.Value)
	name := strings.ToLower(fieldName(a))
	switch {
	case t.runsPage(words):
		fetchedByCode(sh, text)
	case name == "script" && lex.ContainsAny(t.server, "applescript osascript macos automation"):
		script.AppleScript(sh, text)
	case t.isCommand(name, words, a):
		sub := sh.Sub()
		sub.Src = nil
		sub.Run(text, nil)
	case t.isStatement(words):
		statement(sh, text)
	case lex.ContainsAny(words, codeWords) && !isPath(text):
		fieldCode(sh, name, text)
	default:
		t.place(sh, name, words, text)
	}
}

// runsPage reports whether a field holds code for a page in a browser.
func (t serverTool) runsPage(words []string) bool {
	return t.browses() && lex.ContainsAny(words, codeWords+" script")
}

// isCommand reports whether a field holds a command for a shell.
func (t serverTool) isCommand(name string, words []string, a effect.Arg) bool {
	switch {
	case isItem(a) && !lex.OneOf(name, "commands cmds steps"), lex.ContainsAny(words, "sql path file dir id name type"):
		return false
	case lex.ContainsAny(words, commandWords):
		return true
	case lex.OneOf(name, "input text"):
		return lex.ContainsAny(slices.Concat(t.server, t.words), "shell terminal bash ssh exec")
	}
	return false
}

// isStatement reports whether a field holds a statement for a database. A text that is
// searched for is none.
func (t serverTool) isStatement(words []string) bool {
	if t.searches() {
		return lex.ContainsAny(words, "sql")
	}
	return lex.ContainsAny(words, statementWords)
}

// statement reads SQL, or a GraphQL mutation.
func statement(sh *shell.Shell, text string) {
	if strings.HasPrefix(strings.TrimSpace(text), "mutation") && web.Mutation(text) {
		sh.Effect(effect.DestroyRemote, effect.Part, "graphql")
		return
	}
	sql.Read(sh, text)
}

// fieldCode runs code of another language. A line of a notebook may be for a shell.
func fieldCode(sh *shell.Shell, name, text string) {
	sh.Src = &shell.Source{Whole: sh.Part}
	for _, line := range shell.SplitLines(text) {
		if magic, ok := strings.CutPrefix(line, "!"); ok {
			sh.RunText(magic)
		}
	}
	lang := "python"
	if lex.OneOf(name, "javascript js function expression") {
		lang = "js"
	}
	script.Run(sh, text, lang)
}

// fetchedByCode reports the addresses and the requests in code that a browser runs.
func fetchedByCode(sh *shell.Shell, text string) {
	for _, t := range script.Tokenize(text, "js") {
		if t.Kind == 's' && isURL(t.Text) {
			reportFetched(sh, []string{t.Text})
		}
	}
	script.Requests(sh, text)
}

// place reports the effects of a field that holds an address or a path. A value of another field
// that has the form of a path is only read.
func (t serverTool) place(sh *shell.Shell, name string, words []string, text string) {
	file, local := strings.CutPrefix(text, "file://")
	switch {
	case lex.ContainsAny(words, proseWords) && !lex.ContainsAny(words, pathWords):
		if lex.ContainsAny(t.words, toldWords) {
			keysLeave(sh, []string{text}, t.call.Tool)
		}
	case isURL(text) && !local, lex.ContainsAny(words, addressWords) && !isPath(file):
		reportFetched(sh, []string{text})
		keysLeave(sh, []string{text}, text)
		ownSocket(sh, shell.Command{Args: []string{text}})
	case lex.ContainsAny(words, pathWords), local, t.copies(name):
		t.path(sh, file, name)
	case lex.BeginsWith(text, "/ ~/") && isPath(text) && lex.ContainsAny(t.words, readingWords+" "+sendingWords):
		t.path(sh, text, name)
	}
}

// copies reports whether a tool copies or moves what a field with this name names.
func (t serverTool) copies(name string) bool {
	return lex.OneOf(name, "from src "+targetNames) && lex.ContainsAny(t.words, copyingWords)
}

// targetNames are the names of fields for the place where something comes to.
const targetNames = "destination dest dst to"

// isURL reports whether a text has the form of a URL.
func isURL(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	switch {
	case rest == "", len(scheme) > maxScheme, strings.ContainsAny(text, " \n"):
		return false
	}
	return true
}

// maxScheme bounds the length of the scheme of a URL.
const maxScheme = 11

// isPath reports whether a text has the form of a path.
func isPath(text string) bool {
	if strings.HasPrefix(text, "!") || strings.ContainsAny(text, "\n(") {
		return false
	}
	return strings.ContainsAny(text, "/\\~")
}

// What the words of a tool's name say about the paths that it gets.
const (
	deletingWords = "delete remove rm unlink rmdir trash"
	writingWords  = "write edit create update append save put patch replace insert modify set overwrite truncate touch mkdir " +
		"download export " + copyingWords
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
		if holdsSecret(sh, text) {
			sh.Effect(effect.SendOut, effect.Secret, t.call.Tool)
		}
	case t.hosted && !lex.BeginsWith(text, "/ ~") && lex.ContainsAny(t.words, deletingWords+" move rename"):
		// the verb of the tool says what happens there
	case lex.ContainsAny(t.words, deletingWords):
		sh.Effect(effect.DeleteTree, "", p)
	case lex.ContainsAny(t.words, "move rename") && !lex.OneOf(name, targetNames):
		sh.Effect(effect.MoveAway, "", p)
	case lex.ContainsAny(t.words, writingWords), lex.ContainsAny(t.words, unpackWords) && lex.OneOf(name, targetNames):
		sh.Effect(effect.WriteFile, t.writing(), p)
	case lex.ContainsAny(t.words, readingWords):
		sh.Effect(effect.ReadFile, "", p)
	}
}

// isHosted reports whether the paths of a tool are those of a repository or a store of a service.
func (t serverTool) isHosted() bool {
	const services = "github gitlab gitea forgejo bitbucket azure gdrive drive dropbox onedrive sharepoint"
	return lex.ContainsAny(t.server, services) ||
		slices.ContainsFunc(t.call.Args, func(a effect.Arg) bool { return lex.OneOf(fieldName(a), hostedFields) })
}

// hostedFields are the names of fields for a repository or a store of a service.
const hostedFields = "owner repo repo_slug project_id repository_id bucket bucket_name branch"

// writing returns how a tool writes. What it writes on a service is versioned there.
func (t serverTool) writing() effect.Op {
	if t.hosted {
		return effect.Edit
	}
	return ""
}
