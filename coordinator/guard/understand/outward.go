package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// outwardPrograms reach other machines or other people with any arguments.
const outwardPrograms = "curl wget wget2 http https xh httpie aria2c ssh scp sftp rsync mosh nc ncat netcat socat telnet " +
	"ftp lftp mail mailx mutt sendmail msmtp swaks gh glab hub aws az gcloud gsutil kubectl helm heroku vercel netlify " +
	"flyctl fly wrangler firebase ngrok cloudflared twine signal-cli telegram-send slack irm iwr"

// outwardVerbs are the arguments with which other programs do so.
var outwardVerbs = [...]struct{ programs, verbs string }{
	{"git", "push send-email request-pull"},
	{"docker podman", "push login"},
	{"npm pnpm yarn bun cargo gradle poetry uv", "publish"},
	{"gem", "push"},
	{"mvn", "deploy"},
	{"terraform", "apply destroy"},
}

// reading are words in the name of a tool that only looks.
const reading = "get list read search find fetch show describe view query lookup browse status info"

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
	if lex.OneOf(s.Program, outwardPrograms) {
		return true
	}
	for i := range outwardVerbs {
		if row := &outwardVerbs[i]; lex.OneOf(s.Program, row.programs) {
			return lex.ContainsAny(s.Words[1:], row.verbs)
		}
	}
	return false
}
