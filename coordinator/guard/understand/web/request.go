package web

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
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

// endingPaths are words in the path of a request that ends something or gives money back.
const endingPaths = "delete destroy purge terminate truncate wipe revoke disable deactivate suspend refund refunds"

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
		sh.Effect(effect.ChangeRemote, effect.Cache, r.URL)
	case lex.OneOf(fspath.Base(place), "shutdown quit quitquitquit restart"):
		sh.Effect(effect.StopService, effect.HTTP, r.URL)
	case lex.ContainsAny(lex.VerbWords(bare), endingPaths):
		sh.Effect(effect.ChangeRemote, effect.HTTP, r.URL)
	case Mutation(r.Body), endAction(r.Body):
		sh.Effect(effect.DestroyRemote, effect.Part, r.URL)
	}
}

// storeRequest reports the effects of a request to a port on which a data store listens.
func storeRequest(sh *shell.Shell, r Sent, host, path string) {
	method := r.verb()
	parts := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '?' })
	switch {
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
		sh.Effect(effect.ChangeRemote, effect.ClusterSettings, r.URL)
	case method == "POST" && lex.ContainsAny(lex.VerbWords(path), "delete destroy purge terminate truncate wipe revoke"):
		sh.Effect(effect.ChangeRemote, effect.HTTP, r.URL)
	case Mutation(r.Body):
		sh.Effect(effect.DestroyRemote, effect.Part, r.URL)
	}
}

// hasStorePort reports whether a host ends in a port on which a data store listens.
func hasStorePort(host string) bool {
	i := strings.LastIndexByte(host, ':')
	return i >= 0 && lex.OneOf(host[i:], ":9200 :9201 :7700 :8108 :5984 :8983 :6333 :8529 :2379 :8500 :8200 "+
		":8001 :8444 :9090 :15672 :4222 :8222")
}

// hostedWhole reports whether a URL of a provider's API names a whole resource,
// such as a repository, a project or a database.
func hostedWhole(host, path string) bool {
	if !lex.BeginsWith(host, "api. gitlab. management.azure.") && !strings.HasSuffix(host, ".googleapis.com") {
		return false
	}
	path, _, _ = strings.Cut(strings.Trim(path, "/"), "?")
	seg := strings.Split(path, "/")
	if n := len(seg); n > 1 && lex.OneOf(seg[n-2], WholeNouns) {
		return true
	}
	return len(seg) == 3 && seg[0] == "repos"
}
