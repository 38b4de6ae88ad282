package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// requestOf returns the request that an HTTP client sends, as far as the command shows it.
func requestOf(sh *shell.Shell, c shell.Command, o shell.Options) web.Sent {
	r := web.Sent{Method: methodOption(c, o), Headers: o.All("H", "header")}
	urls := append(o.All("url"), o.Pos...)
	if !lex.OneOf(c.Name, "curl wget") && len(o.Pos) > 0 && lex.OneOf(strings.ToUpper(o.Pos[0]), requestMethods) {
		r.Method, urls = o.Pos[0], o.Pos[1:]
	}
	for i, u := range urls {
		if lex.Mentions(u, ". ://") || lex.BeginsWith(u, "localhost :") || partial.HasHole(u) {
			r.URL = urls[i]
			break
		}
	}
	if !o.Exact("G", "get") {
		r.Body = strings.Join(requestBodies(sh, c, o), " ")
	}
	return r
}

const requestMethods = "GET HEAD OPTIONS POST PUT PATCH DELETE"

// methodOption returns the method that an option gives, of several the last one.
func methodOption(c shell.Command, o shell.Options) string {
	given := o.All("X", "request", "method")
	if c.Name == "lwp-request" {
		given = o.All("m")
	}
	if len(given) == 0 {
		return ""
	}
	return given[len(given)-1]
}

// requestBodies returns the parts of a body, with the content of files as far as it is known.
func requestBodies(sh *shell.Shell, c shell.Command, o shell.Options) []string {
	var bodies []string
	for _, value := range o.All(bodyOptions...) {
		bodies = append(bodies, value, bodyText(sh, c, o, value))
	}
	bodies = append(bodies, formItems(c, o)...)
	if !lex.OneOf(c.Name, "curl wget") {
		bodies = append(bodies, stdin(c)...)
	}
	return bodies
}
