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

// outgoing reports secrets that a request carries. Secrets in the body or the URL
// are certain leaks. Secrets in other arguments, such as headers, are possible leaks,
// because a token belongs there.
func outgoing(sh *shell.Shell, c shell.Command, bodies []string, host string) {
	bodies = append(bodies, host)
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
	switch {
	case web.IsLocalHost(host):
		return
	case slices.ContainsFunc(parts, func(p string) bool { return web.LeaksKey(p, host, false) }):
		sh.Possible(effect.SendOut, effect.Secret, host)
		return
	case !hasMark(parts, partial.HoleKey):
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
	if web.IsLocalHost(host) || partial.HasHole(web.HostOf(host)) {
		return
	}
	if hasMark(args, partial.HoleKey) && web.KeysFor(sh.Text(), host) == web.OfOther ||
		slices.ContainsFunc(args, func(a string) bool { return web.LeaksKey(a, host, true) }) {
		sh.Possible(effect.SendOut, effect.Secret, host)
	}
}
