package web

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// keyOwners are the services whose keys have well-known names: how the names of variables
// begin, and the domains of the service.
var keyOwners = []struct{ names, domains string }{
	{"GITHUB GH", "github.com githubusercontent.com ghcr.io githubcopilot.com github.ai"},
	{"AWS", "amazonaws.com aws.amazon.com"},
	{"OPENAI", "openai.com openai.azure.com"},
	{"ANTHROPIC CLAUDE", "anthropic.com claude.ai claude.com"},
	{"GEMINI GOOGLE GCP GCLOUD", "googleapis.com google.com"},
	{"AZURE ARM", "azure.com microsoftonline.com windows.net"},
	{"NPM", "npmjs.org npmjs.com npm.pkg.github.com"},
	{"PYPI TWINE", "pypi.org"},
	{"CARGO", "crates.io"},
	{"DOCKER DOCKERHUB", "docker.com docker.io"},
	{"STRIPE", "stripe.com"},
	{"SLACK", "slack.com"},
	{"DISCORD", "discord.com discordapp.com"},
	{"TELEGRAM", "telegram.org"},
	{"CLOUDFLARE", "cloudflare.com workers.dev"},
	{"VERCEL", "vercel.com"},
	{"NETLIFY", "netlify.com"},
	{"HEROKU", "heroku.com"},
	{"FLY", "fly.io machines.dev"},
	{"DIGITALOCEAN", "digitalocean.com"},
	{"RAILWAY", "railway.app railway.com"},
	{"SUPABASE", "supabase.co supabase.com"},
	{"HF HUGGINGFACE", "huggingface.co"},
	{"LINEAR", "linear.app"},
	{"NOTION", "notion.com"},
	{"TWILIO", "twilio.com"},
	{"SENDGRID", "sendgrid.com"},
	{"FIGMA", "figma.com"},
	{"AIRTABLE", "airtable.com"},
	{"MISTRAL", "mistral.ai"},
	{"GROQ", "groq.com"},
	{"OPENROUTER", "openrouter.ai"},
	{"DEEPSEEK", "deepseek.com"},
	{"REPLICATE", "replicate.com"},
}

// keyPrinters are commands that print a key, with the name of a variable that holds such a key.
var keyPrinters = []struct{ command, name string }{
	{"gh auth token", "GH_TOKEN"},
	{"gcloud auth print-", "GCLOUD_TOKEN"},
	{"az account get-access-token", "AZURE_TOKEN"},
	{"fly auth token", "FLY_TOKEN"},
	{"heroku auth:token", "HEROKU_TOKEN"},
}

// Ownership says whose the keys are that a text names.
type Ownership int

// A key is of no known service, of the service that runs a host, or of another one.
const (
	OfNobody Ownership = iota
	OfHost
	OfOther
)

// KeysFor returns whose the keys are that a text names, seen from the host of a URL. If one
// of them is of another service, the answer is OfOther.
func KeysFor(text, url string) Ownership {
	host, found := HostOf(url), OfNobody
	for _, p := range keyPrinters {
		if strings.Contains(text, p.command) {
			text += " " + p.name
		}
	}
	for text != "" {
		var name string
		if name, text = nextName(text); !protected.SecretName(name) {
			continue
		}
		switch owner := ownerOf(name); {
		case owner == "":
		case belongs(host, owner):
			found = OfHost
		default:
			return OfOther
		}
	}
	return found
}

// nextName cuts the first word of capitals, digits and underscores from a text.
func nextName(text string) (name, rest string) {
	from := strings.IndexFunc(text, inConstant)
	if from < 0 {
		return "", ""
	}
	text = text[from:]
	end := strings.IndexFunc(text, func(r rune) bool { return !inConstant(r) })
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

func inConstant(r rune) bool { return r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' }

// ownerOf returns the domains of the service to which a variable of that name belongs, or "".
func ownerOf(name string) string {
	service, _, _ := strings.Cut(name, "_")
	for i := range keyOwners {
		if lex.OneOf(service, keyOwners[i].names) {
			return keyOwners[i].domains
		}
	}
	return ""
}

// belongs reports whether a host is in one of the domains.
func belongs(host, domains string) bool {
	for more := true; more; {
		var domain string
		domain, domains, more = strings.Cut(domains, " ")
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
