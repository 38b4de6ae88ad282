package web

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// keyForms are how the tokens of services begin, with a name of the service in keyOwners. Several
// services use the forms without a name.
var keyForms = []struct{ begins, service string }{
	{"ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "GITHUB"},
	{"AKIA ASIA", "AWS"},
	{"sk-ant-", "ANTHROPIC"},
	{"sk-proj-", "OPENAI"},
	{"sk-or-", "OPENROUTER"},
	{"gsk_", "GROQ"},
	{"AIza ya29.", "GOOGLE"},
	{"npm_", "NPM"},
	{"pypi-", "PYPI"},
	{"dckr_pat_", "DOCKER"},
	{"sk_live_ rk_live_ sk_test_ rk_test_", "STRIPE"},
	{"xoxb- xoxp- xoxa- xoxe- xoxs- xapp-", "SLACK"},
	{"dop_v1_", "DIGITALOCEAN"},
	{"sbp_", "SUPABASE"},
	{"hf_", "HF"},
	{"lin_api_", "LINEAR"},
	{"figd_", "FIGMA"},
	{"r8_", "REPLICATE"},
	{"SG.", "SENDGRID"},
	{"sk- glpat- gldt- glrt- shpat_ hvs. glsa_ eyJ", ""},
}

// LeaksKey reports whether a text holds a token that is not of the service at the host of a URL.
// In a header only a token of a known service counts: another one belongs there. A private key is
// of no service.
func LeaksKey(text, url string, header bool) bool {
	if HoldsPrivateKey(text) {
		return true
	}
	host := HostOf(url)
	for _, form := range keyForms {
		if !holdsKey(text, form.begins) {
			continue
		}
		owner := ownerOf(form.service + "_KEY")
		takes := belongs(host, owner)
		if owner == "" { // several services
			takes = header || IsAPIHost(url) || lex.BeginsWith(host, "gitlab. vault. grafana.")
		}
		if !takes {
			return true
		}
	}
	return false
}

// HoldsPrivateKey reports whether a text has the first line of a private key and what follows it.
func HoldsPrivateKey(text string) bool {
	if !strings.Contains(text, "KEY-----") { // as nearly always
		return false
	}
	spaced := strings.NewReplacer("%20", " ", "+", " ").Replace(text) // as a URL may write it
	_, key, _ := strings.Cut(spaced, "PRIVATE KEY-----")
	begin, _, _ := strings.Cut(key, "-----END")
	return len(begin) > 20 && !lex.Mentions(begin, "...")
}

// holdsKey reports whether a text has a word that begins so and goes on as a token does.
func holdsKey(text, begins string) bool {
	return lex.AnyWord(text, begins, func(text, begin string) bool {
		for at := 0; ; {
			i := strings.Index(text[at:], begin)
			if i < 0 {
				return false
			}
			i += at
			at = i + len(begin)
			if (i == 0 || !inKey(rune(text[i-1]))) && random(text[at:]) {
				return true
			}
		}
	})
}

func inKey(r rune) bool { return isNameRune(r) || r == '-' }

// random reports whether a text begins with what looks like a random text, and not like words or
// the place of a token in an example.
func random(text string) bool {
	if end := strings.IndexFunc(text, func(r rune) bool { return !inKey(r) }); end >= 0 {
		text = text[:end]
	}
	if lex.Mentions(strings.ToLower(text), "example xxxx") {
		return false
	}
	runs := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("_-", r) })
	return slices.ContainsFunc(runs, mixed)
}

// mixed reports whether a run of letters and digits is long and has many different ones.
func mixed(run string) bool {
	const least, different = 12, 8
	seen := map[rune]bool{}
	for _, r := range run {
		seen[r] = true
	}
	return len(run) >= least && len(seen) >= different && strings.ContainsAny(run, "0123456789")
}
