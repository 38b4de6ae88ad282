// Package web tells what an HTTP request does from its method, address and body, and whose host an address is.
package web

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/pageaddr"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
)

// A Sent is an HTTP request. An empty method stands for POST if there is a body, and for
// GET otherwise.
type Sent struct {
	Method  string
	URL     string
	Body    string
	Headers []string
}

// Request reports the effects of an HTTP request. A DELETE destroys the resource
// that its URL names. Requests to the developer's own machine are ignored, unless
// they go to a port that a data store uses.
func Request(sh *shell.Shell, r Sent) {
	host, path := splitURL(r.URL)
	switch store := hasStorePort(host); {
	case store:
		storeRequest(sh, r, host, path)
	case !IsLocalHost(r.URL):
		remoteRequest(sh, r, host, path)
	}
}

// splitURL returns the host of a URL, with its port, and the path with its query.
func splitURL(url string) (host, path string) {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	host, path, _ = strings.Cut(url, "/")
	return host, path
}

// verb returns the method of a request, which a header or a field may override.
func (r Sent) verb() string {
	method := strings.ToUpper(r.Method)
	for _, h := range r.Headers {
		name, value, _ := strings.Cut(h, ":")
		if strings.Contains(strings.ToLower(name), "method-override") {
			method = strings.ToUpper(strings.TrimSpace(value))
		}
	}
	if method == "" && strings.TrimSpace(r.Body) != "" {
		return "POST"
	}
	return cmp.Or(method, "GET")
}

// backPaths are words in the path of a request that stops something or gives money back.
const backPaths = "disable deactivate suspend refund refunds cancel void"

// remoteRequest reports the effects of a request to another machine.
func remoteRequest(sh *shell.Shell, r Sent, host, path string) {
	method, place := r.verb(), strings.TrimSuffix(path, "/")
	bare, _, _ := strings.Cut(place, "?")
	switch {
	case method == "DELETE":
		op := effect.Part
		if hostedWhole(host, path) {
			op = effect.Teardown
		}
		sh.Effect(effect.DestroyRemote, op, r.URL)
	case lex.OneOf(method, "GET HEAD OPTIONS"):
	case method == "PURGE":
		sh.Effect(effect.ChangeRemote, effect.Named("cache"), r.URL)
	case lex.OneOf(fspath.Base(place), "quit quitquitquit restart safeExit safeRestart shutdown"):
		sh.Effect(effect.StopService, effect.HTTP, r.URL)
	case method == "PUT" && host == "registry.npmjs.org", host == "upload.pypi.org":
		sh.Effect(effect.PublishOut, effect.HTTP, host)
	case host == "hooks.slack.com", strings.HasPrefix(host, "discord") && strings.HasPrefix(path, "api/webhooks"):
		sh.Effect(effect.SendOut, effect.Message, host)
	case lex.ContainsAny(lex.VerbWords(bare), "dns"):
		sh.Effect(effect.ChangeRemote, effect.HTTP, r.URL)
	case verbs.EndsByPath(bare), lex.ContainsAny(lex.VerbWords(bare), backPaths):
		sh.Effect(effect.ChangeRemote, effect.HTTP, r.URL)
	case Mutation(r.Body), endAction(r.Body):
		sh.Effect(effect.DestroyRemote, effect.Part, r.URL)
	}
}

// storeRequest reports the effects of a request to a port on which a data store listens.
func storeRequest(sh *shell.Shell, r Sent, host, path string) {
	method := r.verb()
	parts := strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune("/?", c) })
	switch {
	case IsLocalHost(r.URL) && lex.ForTests(storeNamed(parts)):
	case method == "DELETE":
		op := effect.Part
		if hostedWhole(host, path) ||
			strings.Count(strings.Trim(path, "/"), "/") == 0 && !strings.Contains(host, ":8001") {
			op = effect.Teardown
		}
		sh.Effect(effect.DestroyRemote, op, r.URL)
	case lex.ContainsAny(parts, "_delete_by_query _close _shrink _freeze delete-batch"):
		if lex.Mentions(path, "delete _close _freeze") {
			sh.Effect(effect.DestroyRemote, effect.Part, r.URL)
		}
	case lex.OneOf(method, "PUT POST") && strings.HasPrefix(path, "_cluster/"):
		sh.Effect(effect.ChangeRemote, effect.Named("cluster settings"), r.URL)
	case method == "POST" && verbs.EndsByPath(path):
		sh.Effect(effect.ChangeRemote, effect.HTTP, r.URL)
	case Mutation(r.Body), endAction(r.Body):
		sh.Effect(effect.DestroyRemote, effect.Part, r.URL)
	}
}

// storeNamed returns the index or the collection that the path of a request names.
func storeNamed(parts []string) string {
	if len(parts) > 1 && lex.OneOf(parts[0], "api collections indexes solr v1") {
		parts = parts[1:]
	}
	return lex.First(parts)
}

// hasStorePort reports whether a host ends in a port on which a data store listens.
func hasStorePort(host string) bool {
	i := strings.LastIndexByte(host, ':')
	return i >= 0 && lex.OneOf(host[i:], ":15672 :2379 :4222 :5984 :6333 :7700 :8001 :8108 :8200 :8222 :8444 :8500"+
		" :8529 :8983 :9090 :9200 :9201")
}

// storeSchemes are how the addresses of databases begin.
const storeSchemes = "postgres:// postgresql:// postgresql+ mysql:// mysql+ mariadb:// mongodb:// mongodb+srv:// " +
	"mssql:// mssql+ cockroachdb:// clickhouse:// sqlserver:// jdbc:"

// StoreAt reports whether a text is the address or the file of a database, and whether its data
// may be lost: those in memory, in a temporary file, or for tests on this machine.
func StoreAt(text string) (store, disposable bool) {
	switch {
	case lex.EndsWith(text, ":memory: :memory:?cache=shared mode=memory"), strings.HasPrefix(text, "/tmp/") &&
		lex.EndsWith(text, ".db .sqlite .sqlite3 .duckdb"):
		return true, true
	case lex.OneOf(text, "sqlite:// sqlite+aiosqlite:// jdbc:h2:mem:test"),
		lex.BeginsWith(text, "sqlite:///tmp/ sqlite:////tmp/"):
		return true, true
	case !lex.BeginsWith(text, storeSchemes):
		return false, false
	}
	_, path := splitURL(text)
	name, _, _ := strings.Cut(path, "?")
	return true, IsLocalHost(text) && lex.ForTests(name)
}

// hostedWhole reports whether a URL of a provider's API names a whole resource,
// such as a repository, a project or a database.
func hostedWhole(host, path string) bool {
	if !lex.BeginsWith(host, "api. gitlab. management.azure.") && !strings.HasSuffix(host, ".googleapis.com") {
		return false
	}
	path, _, _ = strings.Cut(strings.Trim(path, "/"), "?")
	seg := strings.Split(path, "/")
	if n := len(seg); n > 1 && verbs.IsWhole(seg[n-2]) {
		return true
	}
	return len(seg) == 3 && seg[0] == "repos"
}

// Mutation reports whether a text contains a GraphQL mutation that destroys something. The
// text may be the mutation itself or JSON that quotes it. Values in it are data.
func Mutation(text string) bool {
	i := strings.Index(text, "mutation")
	if i < 0 {
		return false
	}
	quote := `"`
	if before := strings.TrimRight(text[:i], " \n"); strings.HasSuffix(before, `"`) {
		quote = `\"`
	}
	for at, part := range strings.Split(text[i+len("mutation"):], quote) {
		if at%2 == 0 && namesEnd(part) {
			return true
		}
	}
	return false
}

// namesEnd reports whether a piece of GraphQL has a field whose name destroys something.
func namesEnd(part string) bool {
	for name := range strings.FieldsFuncSeq(part, func(r rune) bool { return !isNameRune(r) }) {
		if verbs.EndsByName(name) {
			return true
		}
	}
	return false
}

func isNameRune(r rune) bool {
	switch {
	case r == '_', '0' <= r && r <= '9', 'a' <= r|0x20 && r|0x20 <= 'z':
		return true
	}
	return false
}

// actionNames are the names of fields that say what a request does.
const actionNames = "_method action command method op operation type"

// endAction reports whether a field of a body, in JSON or as a form, says that the request
// destroys something.
func endAction(body string) bool {
	if strings.HasPrefix(body, "<delete>") { // of Solr
		return true
	}
	fields := strings.FieldsFunc(body, func(r rune) bool { return !isNameRune(r) && r != '-' })
	for i, f := range fields[:max(0, len(fields)-1)] {
		if !lex.OneOf(strings.ToLower(f), actionNames) {
			continue
		}
		if verbs.EndsAction(fields[i+1]) {
			return true
		}
	}
	return false
}

// HostOf returns the host of a URL in lower case, without its port. It returns "" if
// the host is this machine and only a port is given, as in ":3000/x" of httpie.
func HostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, `/?#\`); i >= 0 {
		url = url[:i]
	}
	if i := strings.LastIndexByte(url, '@'); i >= 0 {
		url = url[i+1:]
	}
	host := strings.ToLower(url)
	if inside, _, ok := strings.Cut(strings.TrimPrefix(host, "["), "]"); ok && host[0] == '[' {
		return inside
	}
	host, _, _ = strings.Cut(host, ":")
	return strings.TrimSuffix(host, ".")
}

// IsAPIHost reports whether the host name of a URL begins with "api.". A request
// to such a service is expected to carry a key, in any of its parts.
func IsAPIHost(url string) bool { return strings.HasPrefix(HostOf(url), "api.") }

// localNames are the hosts that are this machine, and localDomains are the domains
// that are reserved for it and for tests.
const (
	localNames   = "0.0.0.0 ::1 host.containers.internal host.docker.internal localhost localhost.localstack.cloud"
	localDomains = ".localhost .localhost.localstack.cloud .test .localtest.me .lvh.me"
)

// IsLocalHost reports whether a URL points to this machine.
func IsLocalHost(url string) bool {
	host := HostOf(url)
	switch {
	case host == "":
		return strings.HasPrefix(url, ":")
	case lex.OneOf(host, localNames), lex.EndsWith(host, localDomains):
		return true
	}
	return strings.HasPrefix(host, "127.")
}

// metadataHosts give a machine in a cloud its own credentials.
const metadataHosts = "100.100.100.200 169.254.169.254 169.254.170.2 169.254.170.23 192.0.0.192 fd00:ec2::23" +
	" fd00:ec2::254 instance-data instance-data.ec2.internal metadata metadata.goog metadata.google.internal"

// MetadataURL reports whether a URL points to a cloud's metadata service. The address may
// be written as one number, as http://2852039166/ is.
func MetadataURL(u string) bool {
	host := HostOf(u)
	switch {
	case host == "":
		return false
	case host == "metadata":
		return strings.Contains(u, "computeMetadata")
	case lex.IsLetter(host[0]), strings.Contains(host, ":"):
		return lex.OneOf(host, metadataHosts)
	}
	number, ok := pageaddr.IPv4(host)
	return ok && (number == 169<<24|254<<16|169<<8|254 || lex.OneOf(host, metadataHosts))
}

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
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inConstant(r) }) {
		if !protected.SecretName(name) {
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

// inConstant reports whether a rune can be part of a name in capitals.
func inConstant(r rune) bool {
	switch {
	case r == '_', '0' <= r && r <= '9', 'A' <= r && r <= 'Z':
		return true
	}
	return false
}

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
	return lex.AnyWord(host, domains, func(host, domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}
