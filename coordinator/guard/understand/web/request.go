package web

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Request reports the effects of an HTTP request. A DELETE destroys the resource
// that its URL names. Requests to the developer's own machine are ignored, unless
// they go to a port that a data store uses.
func Request(sh *shell.Shell, method, url string, o shell.Options) {
	path := url
	if i := strings.Index(path, "://"); i >= 0 {
		path = path[i+3:]
	}
	host, path, _ := strings.Cut(path, "/")
	local := lex.BeginsWith(host, "localhost 127. 0.0.0.0 [::1]")
	store := hasStorePort(host)
	body := strings.Join(o.All("d", "data", "data-raw", "data-binary", "json", "post-data"), " ")
	switch {
	case method == "DELETE" && (!local || store):
		op := effect.Part
		if hostedWhole(host, path) {
			op = effect.Teardown
		}
		if store && strings.Count(strings.Trim(path, "/"), "/") == 0 && !strings.Contains(host, ":8001") {
			op = effect.Teardown
		}
		sh.Effect(effect.DestroyRemote, op, url)
	case store && lex.ContainsAny(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '?' }),
		"_delete_by_query _close _shrink _freeze delete-batch _reindex _settings documents"):
		if lex.Mentions(path, "delete _close _freeze") {
			sh.Effect(effect.DestroyRemote, effect.Part, url)
		}
	case store && lex.OneOf(method, "PUT POST") && strings.HasPrefix(path, "_cluster/"):
		sh.Effect(effect.ChangeRemote, effect.ClusterSettings, url)
	case method == "POST" && !local &&
		lex.OneOf(fspath.Base(strings.TrimSuffix(path, "/")), "shutdown quit quitquitquit restart"):
		sh.Effect(effect.StopService, effect.HTTP, url)
	case method == "POST" && lex.HasWord(lex.VerbWords(path), "delete destroy purge terminate truncate wipe revoke"):
		sh.Effect(effect.ChangeRemote, effect.HTTP, url)
	case strings.Contains(body, "mutation") && lex.HasWord(lex.VerbWords(body), "delete destroy"):
		sh.Effect(effect.DestroyRemote, effect.Part, url)
	}
}

// hasStorePort reports whether a host ends in a port on which a data store listens.
func hasStorePort(host string) bool {
	i := strings.LastIndexByte(host, ':')
	return i >= 0 && lex.OneOf(host[i:], ":9200 :9201 :7700 :8108 :5984 :8983 :6333 :8529 :2379 :8500 :8200 "+
		":8001 :8444 :15672 :4222 :8222")
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
