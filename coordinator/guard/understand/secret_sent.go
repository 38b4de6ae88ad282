package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// This file follows secrets into requests: the content of credential files, and single keys
// and tokens.

// bodyOptions are the options of HTTP clients that give a body, or a file that is sent.
var bodyOptions = []string{
	"d", "data", "data-binary", "data-urlencode", "data-raw", "json",
	"F", "form",
	"T", "upload-file",
	"post-file", "body-file", "post-data", "body-data",
	"K", "config",
}

// outgoing reports secrets that a request carries. Secrets in the body or the URL
// are certain leaks. Secrets in other arguments, such as headers, are possible leaks,
// because a token belongs there.
func outgoing(sh *shell.Shell, c shell.Command, o shell.Options, host string) {
	bodies := append(requestBodies(sh, c, o), host)
	switch {
	case hasMark(bodies, partial.HoleSecret):
		sh.Effect(effect.SendOut, effect.Secret, host)
	case hasMark(c.Args, partial.HoleSecret):
		sh.Possible(effect.SendOut, effect.Secret, host)
	default:
		keysLeave(sh, bodies, host)
		foreignKeysLeave(sh, c.Args, host)
	}
}

// bodyText returns the content of the file or of the standard input that a value of a body
// option names, or "".
func bodyText(sh *shell.Shell, c shell.Command, o shell.Options, value string) string {
	name := value
	if i := strings.IndexAny(value, "@<"); i >= 0 {
		name = value[i+1:]
	}
	name, _, _ = strings.Cut(name, ";")
	switch {
	case name == "-" && c.In != nil:
		return *c.In
	case name != value, o.Exact("T", "upload-file", "post-file", "body-file"):
		return fileText(sh, name)
	}
	return ""
}

// formItems returns the operands of httpie and similar clients that are fields of a form.
func formItems(c shell.Command, o shell.Options) []string {
	if slices.Contains([]string{"curl", "wget"}, c.Name) {
		return nil
	}
	var items []string
	for _, p := range o.Pos {
		if i := strings.IndexAny(p, "=:"); i > 0 && p[i] == '=' {
			items = append(items, p)
		}
	}
	return items
}

// hasMark reports whether a text contains the mark of a secret.
func hasMark(texts []string, mark rune) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, mark) })
}

// fileText returns the content of a file as far as it is known. A credential file
// yields a mark for a secret.
func fileText(sh *shell.Shell, name string) string {
	p := sh.Path(name)
	if text, ok := sh.Files[p]; ok {
		return text
	}
	if protected.HoldsSecret(p, sh.Place.Home) {
		return partial.UnknownSecret
	}
	return partial.Unknown
}

// keysLeave reports a possible leak if the parts sent to a host contain a key or a
// token. A service may get its own key, a local host any key, and an API host one that is
// not of another service.
func keysLeave(sh *shell.Shell, parts []string, host string) {
	if !hasMark(parts, partial.HoleKey) || web.IsLocalHost(host) {
		return
	}
	switch web.KeysFor(sh.Text(), host) {
	case web.OfHost:
		return
	case web.OfNobody:
		if web.IsAPIHost(host) {
			return
		}
	}
	sh.Possible(effect.SendOut, effect.Secret, host)
}

// foreignKeysLeave reports a key of one service that a header brings to another host. Any
// other key belongs in a header.
func foreignKeysLeave(sh *shell.Shell, args []string, host string) {
	if !hasMark(args, partial.HoleKey) || web.IsLocalHost(host) || partial.HasHole(web.HostOf(host)) {
		return
	}
	if web.KeysFor(sh.Text(), host) == web.OfOther {
		sh.Possible(effect.SendOut, effect.Secret, host)
	}
}
