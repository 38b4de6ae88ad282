package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/agents"
	"github.com/afar-sh/afar/coordinator/guard/understand/powershell"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/interpreter"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// Read returns the effects and the steps of one tool call.
func Read(call effect.Call, site shell.Site) effect.Understood {
	sh := NewShell(call, site)
	u := sh.Eval
	pageTool(sh, call)
	switch {
	case lex.OneOf(call.Tool, "Write Edit MultiEdit NotebookEdit"):
		fileTool(sh, call, effect.WriteFile)
	case lex.OneOf(call.Tool, "Read NotebookRead Grep"):
		fileTool(sh, call, effect.ReadFile)
	case lex.OneOf(call.Tool, "Skill SlashCommand"):
		agents.ReportSkill(sh, call)
		agents.ReportLoaded(sh, call)
	case lex.OneOf(call.Tool, "Agent Task"):
		commandTool(sh, call)
		agents.ReportLoaded(sh, call)
	case call.Tool == "WebFetch":
		sh.Via, sh.Part = call.Tool, lex.Clip(call.Value("url"), 300)
		secret.ReportFetched(sh, []string{call.Value("url")})
		secret.ReportKeys(sh, []string{call.Value("url")}, call.Value("url"))
	case call.Tool == "WebSearch":
		sh.Via, sh.Part = call.Tool, lex.Clip(call.Value("query"), 300)
		secret.ReportKeys(sh, []string{call.Value("query")}, call.Tool)
	case strings.HasPrefix(call.Tool, "mcp__"):
		agents.ReportMCP(sh, call)
	default:
		commandTool(sh, call)
	}
	u.RunTraps(0)
	if site.ReadOnly {
		readOnly(u, call)
	}
	if site.Confirm {
		u.Effects = append(u.Effects, Outward(call, u.Root)...)
	}
	return effect.Understood{Effects: u.Effects, Root: u.Root}
}

// openers are words in the names of tools that may open addresses.
const openers = agents.Browsers + " devtools devtool cdp webdriver fetch http https request web navigate url crawl scrape " +
	"computer page tab"

// pageTool reports an argument of a tool that is the address of Afar's page. The arguments of
// the tools for files and of the shell are read elsewhere. Where a tool may open addresses
// that stand in a text, any mention of the page counts.
func pageTool(sh *shell.Shell, call effect.Call) {
	if lex.OneOf(call.Tool, "Agent Bash Edit Glob Grep Monitor MultiEdit NotebookEdit NotebookRead PowerShell Read"+
		" Task TodoWrite Write") {
		return
	}
	opens := call.Tool != "WebFetch" && lex.ContainsAny(lex.VerbWords(call.Tool), openers)
	page := sh.Eval.Site.Page
	for _, a := range call.Args {
		if page.URL(a.Value) || opens && page.Code(a.Value) {
			sh.Via, sh.Part = call.Tool, lex.Clip(a.Value, 300)
			sh.Effect(effect.SteerAfar, effect.WebPage, sh.Part)
			return
		}
	}
}

// NewShell returns a shell for one call, which can run every program of the tables of this package.
func NewShell(call effect.Call, site shell.Site) *shell.Shell {
	u := shell.NewEvaluation(call, site, new(dispatcher).run)
	u.RunsInput = interpreter.RunsInput
	u.IsListed = isListed
	sh := shell.New(u)
	sh.Src = &shell.Source{}
	return sh
}

// Leaves returns the leaves of a tool's input, as agents.Leaves does.
func Leaves(input hostjson.Value) []effect.Arg { return agents.Leaves(input) }

// HostFiles returns the paths of the files that a call makes the host load.
func HostFiles(call effect.Call, site shell.Site) []string {
	return agents.LoadedFiles(NewShell(call, site), call)
}

// commandTool runs every argument named "command", also that of tools other than Bash and Monitor.
func commandTool(sh *shell.Shell, call effect.Call) {
	if call.Value("dangerouslyDisableSandbox") == "true" && agents.HasSandbox(sh) {
		sh.Part = lex.Clip(call.Value("command"), 300)
		sh.Effect(effect.RunElevated, effect.Unboxed, "")
	}
	for _, a := range call.Args {
		if a.Name() != "command" {
			continue
		}
		sh.Part = lex.Clip(a.Value, 300)
		if len(a.Value) > expand.MaxSource {
			sh.Unreadable(effect.Named("too long"), a.Value)
			continue
		}
		src := partial.Scrub(a.Value)
		sh.Src = nil
		sh.Eval.Budget.Bytes += len(src)
		if call.Tool == "PowerShell" {
			powershell.Run(sh, src)
		} else {
			sh.Run(src, nil)
		}
	}
}

func fileTool(sh *shell.Shell, call effect.Call, kind effect.Kind) {
	sh.Via = call.Tool
	for _, a := range call.Args {
		if lex.OneOf(a.Path, "file_path notebook_path path") && a.Value != "" {
			sh.Part = lex.Clip(a.Value, 300)
			p := sh.Path(partial.Scrub(a.Value))
			op := agents.SettingsEdit(sh, call, p)
			if op == "" && kind == effect.WriteFile {
				op = effect.Edit // the host can undo it
			}
			sh.Effect(kind, op, p)
			agents.ReportLater(sh, call, p)
		}
	}
}

// outwardPrograms reach other machines or other people: with any arguments, or with one of the verbs.
var outwardPrograms = [...]struct{ programs, verbs string }{
	{"curl wget wget2 http https xh httpie aria2c ssh scp sftp rsync mosh nc ncat netcat socat telnet " +
		"ftp lftp mail mailx mutt sendmail msmtp swaks gh glab hub aws az gcloud gsutil kubectl helm heroku vercel " +
		"netlify flyctl fly wrangler firebase ngrok cloudflared twine signal-cli telegram-send slack irm iwr", ""},
	{"git", "push send-email request-pull"},
	{"docker podman", "push login"},
	{"npm pnpm yarn bun cargo gradle poetry uv", "publish"},
	{"gem", "push"},
	{"mvn", "deploy"},
	{"terraform", "apply destroy"},
}

// reading are words in the name of a tool that only looks.
const reading = "browse describe fetch find get info list lookup query read search show status view"

// Outward returns an effect for each act of a call that reaches other machines or people, as far
// as its commands and the name of its tool show.
func Outward(call effect.Call, root *effect.Step) (out []effect.Effect) {
	if strings.HasPrefix(call.Tool, "mcp__") && writesOut(call.Tool) {
		out = append(out, outwardBy(call.Tool, call.Tool))
	}
	return append(out, outwardSteps(root)...)
}

func outwardBy(program, part string) effect.Effect {
	return effect.Effect{Kind: effect.Outward, Target: program, Sure: effect.Known, Via: program, Part: part}
}

// writesOut reports whether a tool of a server may do more than look, as far as its name shows.
func writesOut(tool string) bool {
	parts := strings.SplitN(tool, "__", 3)
	if len(parts) < 3 || lex.ContainsAny(lex.VerbWords(parts[1]), "afar") {
		return false
	}
	words := lex.VerbWords(parts[2])
	return len(words) == 0 || !lex.OneOf(words[0], reading)
}

func outwardSteps(s *effect.Step) (out []effect.Effect) {
	if s == nil {
		return nil
	}
	for _, next := range s.Steps {
		if len(next.Words) > 0 && reachesOut(next) {
			out = append(out, outwardBy(next.Program, next.Part))
		}
		out = append(out, outwardSteps(next)...)
	}
	return out
}

func reachesOut(s *effect.Step) bool {
	for _, row := range &outwardPrograms {
		if lex.OneOf(s.Program, row.programs) {
			return row.verbs == "" || lex.ContainsAny(s.Words[1:], row.verbs)
		}
	}
	return false
}
