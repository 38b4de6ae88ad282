// Package pageaddr recognises the address of Afar's page in a text, under any of its names.
package pageaddr

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Port is the port of the page if nothing else is known.
const Port = "7357"

// A Page is where Afar's page is served. The zero value is the page on its usual port.
type Page struct {
	Port  string   // "" means Port
	Names []string // names of this machine, besides those of loopback
	Hosts []string // names of proxies in front of the page, which have ports of their own
}

func (p Page) port() string { return cmp.Or(p.Port, Port) }

// URL reports whether a whole text is an address of the page: a URL as a browser reads it, or
// a host with a port.
func (p Page) URL(text string) bool {
	if text = strings.ToLower(text); strings.ContainsAny(text, "\t\r\n\\") { // a browser drops or changes them
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "", `\`, "/").Replace(text)
	}
	if text = strings.Trim(text, " \x00"); !p.mayName(text) {
		return false
	}
	scheme := ""
	for {
		name, rest, ok := strings.Cut(text, ":")
		if !ok || !lex.OneOf(name, "blob feed http https jar url view-source ws wss") {
			break
		}
		scheme, text = name, strings.TrimLeft(rest, "/")
	}
	if name, rest, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(name, " /?#:.") {
		text = rest
	}
	return p.authority(text, scheme)
}

// authority reports whether the beginning of a text, up to its path, names the page.
func (p Page) authority(text, scheme string) bool {
	if i := strings.IndexAny(text, "/?# \t\r\n\"'`<>"); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	host, port := splitPort(text)
	if p.isHost(host) {
		return true
	}
	switch {
	case port != "":
	case lex.OneOf(scheme, "https wss"):
		port = "443"
	case scheme != "":
		port = "80"
	}
	return p.isPort(port) && p.isHere(host)
}

// splitPort splits a host and its port. The host of an IPv6 address has no brackets.
func splitPort(text string) (host, port string) {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		host, rest, _ := strings.Cut(inside, "]")
		return host, strings.TrimPrefix(rest, ":")
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i+1:]
}

// Mentions reports whether a text contains an address of the page.
func (p Page) Mentions(text string) bool {
	text = strings.ToLower(text)
	if !p.mayName(text) {
		return false
	}
	text = strings.ReplaceAll(text, `\`, "/")
	scheme := ""
	for i, part := range strings.Split(text, "://") {
		if i > 0 && p.authority(part, scheme) {
			return true
		}
		scheme = part[strings.LastIndexFunc(part, func(r rune) bool { return r < 'a' || r > 'z' })+1:]
	}
	return p.hostPort(text)
}

// delimiters end a host in a text.
const delimiters = " \t\r\n\"'`/@=,;()<>{}|&#?:"

// hostPort reports whether a text contains a name of this machine, a colon and the page's port.
func (p Page) hostPort(text string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], p.port())
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(p.port())
		from = end
		before, ok := strings.CutSuffix(strings.TrimRight(text[:at], "0"), ":")
		if !ok || lex.IsNumber(text[end:min(end+1, len(text))]) {
			continue
		}
		host := before[strings.LastIndexAny(before, delimiters)+1:]
		if inside, ok := strings.CutSuffix(before, "]"); ok {
			host = inside[strings.LastIndexByte(inside, '[')+1:]
		}
		if p.isHere(host) {
			return true
		}
	}
}

// Args reports whether the arguments of a network client name the page: as a URL, as host and
// port in one argument, or each in its own.
func (p Page) Args(args []string) bool {
	if !p.mayName(strings.ToLower(strings.Join(args, " "))) {
		return false
	}
	var words []string
	for _, a := range args {
		a = strings.ToLower(a)
		switch {
		case p.Mentions(a), p.pair(a), !isLogin(a) && p.URL(a):
			return true
		}
		_, value, _ := strings.Cut(a, "=")
		words = append(words, a, value)
	}
	return slices.ContainsFunc(words, p.isHere) && slices.ContainsFunc(words, p.isPort)
}

// isLogin reports whether an argument names a person on a host, as those of ssh do.
func isLogin(arg string) bool { return strings.Contains(arg, "@") && !strings.Contains(arg, "://") }

// pair reports whether the words of one argument are a name of this machine and the page's
// port, in any order, as in foo:7357:127.0.0.1 and 8080:localhost:7357, or a port alone, as
// in :7357/path.
func (p Page) pair(arg string) bool {
	if strings.Contains(arg, "://") {
		return false
	}
	head, _, _ := strings.Cut(arg, "/")
	if port, ok := strings.CutPrefix(head, ":"); ok && p.isPort(port) {
		return true
	}
	return p.words(head, ":,=@;[] ")
}

// words reports whether a text has a name of this machine and the page's port among its words.
func (p Page) words(text, between string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(between, r) })
	hasPort := slices.ContainsFunc(words, p.isPort)
	return hasPort && (strings.Contains(text, "::1") || slices.ContainsFunc(words, p.isHere))
}

// Code reports whether a program text names the page: an address, or its parts as literals of
// their own.
func (p Page) Code(text string) bool {
	text = strings.ToLower(text)
	if !p.mayName(text) {
		return false
	}
	switch {
	case p.Mentions(text), p.words(text, " \t\r\n\"'`/@=,;()[]<>{}|&#?:+*$\\"):
		return true
	case lex.Mentions(text, "connect( createconnection("): // without a host, to this machine
		return p.words(text+" localhost", " \t\r\n\"'(),;:=")
	}
	return false
}

// PortAlone reports whether an argument is the page's port, or ends in it.
func (p Page) PortAlone(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		i := strings.LastIndexAny(a, ":=")
		return p.isPort(a[i+1:])
	})
}

// mayName reports whether a text contains what every name of the page has. text is in lower
// case.
func (p Page) mayName(text string) bool {
	switch {
	case strings.Contains(text, p.port()), lex.OneOf(p.port(), "80 443"):
		return true
	case strings.Contains(text, "%"):
		return len(p.Hosts) > 0
	}
	return slices.ContainsFunc(p.Hosts, func(h string) bool { return strings.Contains(text, strings.ToLower(h)) })
}

// isPort reports whether a word is the page's port.
func (p Page) isPort(word string) bool {
	return strings.TrimLeft(word, "0") == p.port()
}

// isHost reports whether a host is a proxy in front of the page.
func (p Page) isHost(host string) bool { return has(p.Hosts, plain(host)) }

func has(names []string, host string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return host != "" && strings.EqualFold(strings.TrimSuffix(name, "."), host)
	})
}

// plain returns a host without what resolvers ignore.
func plain(host string) string {
	for from := 0; ; {
		i := strings.IndexByte(host[from:], '%')
		if i < 0 {
			return strings.TrimRight(strings.ToLower(host), ".")
		}
		from += i
		if n, err := strconv.ParseUint(host[from+1:min(len(host), from+3)], 16, 8); err == nil {
			host = host[:from] + string([]byte{byte(n)}) + host[min(len(host), from+3):]
		}
		from++
	}
}

// loopbackNames are names of this machine, and loopbackDomains names under which public name
// servers give its loopback address.
const (
	loopbackNames = "* 0 ip6-localhost ip6-loopback localhost localhost.localdomain localhost6" +
		" localhost6.localdomain6"
	loopbackDomains = ".localhost .localtest.me .lvh.me .vcap.me .lacolhost.com .fuf.me .localho.st"
)

// isHere reports whether a host is this machine. A name with characters beyond ASCII may be
// any other one, and so may a name that is not known.
func (p Page) isHere(host string) bool {
	host, _, _ = strings.Cut(plain(host), "%")
	if host == "" {
		return false
	}
	switch {
	case strings.ContainsFunc(host, func(r rune) bool { return r < ' ' || r >= 0x7f }),
		lex.OneOf(host, loopbackNames),
		lex.EndsWith("."+host, loopbackDomains),
		has(p.Names, host),
		lex.Mentions(host, "127.0.0.1 127-0-0-1"): // as the name servers of nip.io read it
		return true
	}
	if addr, ok := ipv6(host); ok {
		return isLoopback(addr)
	}
	number, ok := IPv4(host)
	return ok && (number == 0 || number>>24 == 127)
}

// isLoopback reports whether an IPv6 address leads to this machine: by itself, or because it
// holds such an address of IPv4, as in ::127.0.0.1, ::ffff:127.0.0.1 and 64:ff9b::127.0.0.1.
func isLoopback(addr [8]uint16) bool {
	switch addr {
	case [8]uint16{}, [8]uint16{7: 1}, [8]uint16{5: 0xffff}:
		return true
	}
	switch [3]uint16(addr[:3]) {
	case [3]uint16{}, [3]uint16{0x64, 0xff9b}:
		return addr[6]>>8 == 127
	}
	return false
}

// ipv6 reads an IPv6 address. Package net/netip takes a hundredth of the start of a hook.
func ipv6(host string) (addr [8]uint16, ok bool) {
	head, tail, short := strings.Cut(host, "::")
	before, ok := groups(head)
	after, also := groups(tail)
	n := len(before) + len(after)
	switch {
	case !ok, !also, n > len(addr), !short && n < len(addr):
		return addr, false
	}
	copy(addr[:], before)
	copy(addr[len(addr)-len(after):], after)
	return addr, true
}

// groups reads groups of an IPv6 address, the last of which may be an IPv4 address.
func groups(text string) (all []uint16, ok bool) {
	for more := text != ""; more; {
		var part string
		part, text, more = strings.Cut(text, ":")
		if !more && strings.Contains(part, ".") {
			number, ok := IPv4(part)
			return append(all, uint16(number>>16), uint16(number)), ok
		}
		n, err := strconv.ParseUint(part, 16, 16)
		if err != nil {
			return nil, false
		}
		all = append(all, uint16(n))
	}
	return all, true
}

// IPv4 reads an IPv4 address in any of its forms: up to four numbers, each decimal, octal
// or hexadecimal, of which the last one fills the rest.
func IPv4(host string) (number uint64, ok bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return 0, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || strings.ContainsAny(part, "_ob") && !strings.HasPrefix(part, "0x") {
			return 0, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return 0, false
			}
			number |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(32-8*i) {
			return 0, false
		}
		number |= n
	}
	return number, true
}
