package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A requester is a row about HTTP clients: which of their options say what of a request.
type requester struct {
	programs string
	method   string
	body     string // a text that is sent, or "@" and the name of a file
	file     string // the name of a file that is sent
	output   string // the file that is written
	keeps    string // options with which the file has the name that it has at its host
	numbers  bool   // it has that name in any case, or a new one if there is a file
	operands bool   // operands are a method and fields, and standard input is sent
}

var requesters = []requester{
	{
		programs: "curl",
		method:   "X request",
		body:     "d data data-ascii data-binary data-urlencode data-raw json F form K config",
		file:     "T upload-file",
		output:   "o output",
		keeps:    "O remote-name",
	},
	{
		programs: "wget",
		method:   "method",
		body:     "post-data body-data",
		file:     "post-file body-file",
		output:   "O output-document output",
		keeps:    "N timestamping",
		numbers:  true,
	},
	{programs: "lwp-request", method: "m", operands: true},
	{
		programs: "http https xh aria2c fetch httpie curlie",
		method:   "X request method",
		body:     "d data data-binary data-urlencode data-raw json F form K config",
		file:     "T upload-file",
		output:   "o output out O output-document",
		keeps:    "remote-name",
		operands: true,
	},
}

// values returns the values of options that are separated by blanks.
func values(o shell.Options, names string) []string { return o.All(strings.Fields(names)...) }

// httpClient reports the effects of an HTTP client's request and of its output files.
func httpClient(sh *shell.Shell, c shell.Command, o shell.Options) {
	i := 0
	for !lex.OneOf(c.Name, requesters[i].programs) {
		i++
	}
	row := &requesters[i]
	if row.operands {
		carriesFields(sh, c, o)
	}
	bodies := row.bodies(sh, c, o)
	r := row.request(o)
	if !o.Given("G get") {
		r.Body = strings.Join(bodies, " ")
	}
	reportFetched(sh, append(o.All("url"), o.Pos...))
	outgoing(sh, c, bodies, r.URL)
	web.Request(sh, r)
	row.writes(sh, o, r.URL)
}

// request returns the request without its body, as far as the command shows it.
func (row *requester) request(o shell.Options) web.Sent {
	r := web.Sent{Headers: o.All("H", "header")}
	for _, method := range values(o, row.method) {
		r.Method = method // of several the last one
	}
	urls := append(o.All("url"), o.Pos...)
	if row.operands && lex.OneOf(strings.ToUpper(o.At(0)), requestMethods) {
		r.Method, urls = o.Pos[0], o.Pos[1:]
	}
	for _, u := range urls {
		if lex.Mentions(u, ". ://") || lex.BeginsWith(u, "localhost :") || partial.HasHole(u) {
			r.URL = u
			break
		}
	}
	return r
}

const requestMethods = "GET HEAD OPTIONS POST PUT PATCH DELETE"

// bodies returns the parts of a body, with the content of files as far as it is known.
func (row *requester) bodies(sh *shell.Shell, c shell.Command, o shell.Options) []string {
	var bodies []string
	for _, value := range values(o, row.body) {
		bodies = append(bodies, value)
		if i := strings.IndexAny(value, "@<"); i >= 0 {
			name, _, _ := strings.Cut(value[i+1:], ";")
			bodies = append(bodies, sentFile(sh, c, name))
		}
	}
	for _, name := range values(o, row.file) {
		bodies = append(bodies, name, sentFile(sh, c, name))
	}
	if !row.operands {
		return bodies
	}
	for _, p := range o.Pos {
		if i := strings.IndexAny(p, "=:"); i > 0 && p[i] == '=' {
			bodies = append(bodies, p)
		}
	}
	return append(bodies, stdin(c)...)
}

// sentFile returns the content of a file that is sent, "-" for the standard input.
func sentFile(sh *shell.Shell, c shell.Command, name string) string {
	if name == "-" && c.In != nil {
		return *c.In
	}
	return fileText(sh, name)
}

// writes reports the file that a client writes, or prints what it gets.
func (row *requester) writes(sh *shell.Shell, o shell.Options, url string) {
	file, named := o.Get(strings.Fields(row.output)...)
	remote := fspath.Base(strings.TrimSuffix(url, "/"))
	switch {
	case named && file != "-":
		sh.Remember(sh.Write(file), partial.UnknownNetwork)
	case !named && remote != "" && o.Given(row.keeps):
		sh.Remember(sh.Write(remote), partial.UnknownNetwork)
	case !named && remote != "" && row.numbers:
		sh.Remember(sh.Path(remote), partial.UnknownNetwork)
	default:
		sh.Print(partial.UnknownNetwork)
	}
}

// carriesFields reports the files that httpie and similar clients send.
func carriesFields(sh *shell.Shell, c shell.Command, o shell.Options) {
	files := []string{}
	for _, p := range o.Pos {
		if i := strings.IndexByte(p, '@'); i >= 0 && !strings.Contains(p, "://") {
			files = append(files, p[i+1:])
		}
	}
	Carries(sh, c, files, c.Name)
}
