package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A site is a real coordinator with its page, and an attacker in front of it.
type site struct {
	*nest
	addr    string // of the page
	code    string // of the link that signed the browser in
	cookie  *http.Cookie
	console bytes.Buffer // what the coordinator prints
	pid     int          // of the coordinator
}

// newSite starts a coordinator and signs a browser in to its page.
func newSite(t *testing.T) *site {
	t.Helper()
	t.Parallel()
	s := stillSite(t, "127.0.0.1:0")
	s.run()
	s.signIn()
	return s
}

// stillSite returns a site whose page is to be at an address, and which does not run.
func stillSite(t testing.TB, addr string) *site {
	t.Helper()
	s := &site{nest: newNest(t)}
	s.env = slices.DeleteFunc(s.env, func(v string) bool { return strings.HasPrefix(v, "AFAR_WEB_ADDR=") })
	s.env = append(s.env, "AFAR_WEB_ADDR="+addr)
	return s
}

// signIn signs a browser in.
func (s *site) signIn() {
	s.t.Helper()
	link := s.link()
	s.addr, s.code = link.Host, strings.TrimPrefix(link.Path, "/signin/")
	r := s.send(request{path: link.RequestURI(), bare: true})
	if r.StatusCode != http.StatusSeeOther || len(r.Cookies()) != 1 {
		s.t.Fatalf("the sign-in is %s, %v", r.Status, r.Header)
	}
	s.cookie = r.Cookies()[0]
	if r := s.send(request{path: "/"}); r.StatusCode != http.StatusOK {
		s.t.Fatalf("the page is %s", r.Status)
	}
}

// run starts the coordinator and waits until it serves.
func (s *site) run() {
	s.t.Helper()
	cmd := s.serve()
	cmd.Stdout, cmd.Stderr = &s.console, &s.console
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if s.client().Ping(time.Second) == nil {
			return
		}
	}
	s.t.Fatalf("the coordinator does not serve: %s", s.console.String())
}

// afar runs the program and returns what it prints.
func (s *site) afar(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.bin, args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("afar %v: %v: %s", args, err, out)
	}
	return string(out)
}

// link returns a new one-time link.
func (s *site) link() *url.URL {
	s.t.Helper()
	link, err := url.Parse(strings.TrimSpace(s.afar("open", "--print")))
	if err != nil {
		s.t.Fatal(err)
	}
	return link
}

// A request is what an attacker sends. Without more it is what the page's own form would send.
type request struct {
	method, path, host string
	form               url.Values
	header             http.Header
	bare               bool // without the cookie
}

// send sends a request on a connection of its own and returns the reply, with its body read.
func (s *site) send(in request) *http.Response {
	s.t.Helper()
	method := "GET"
	if in.form != nil {
		method = "POST"
	}
	if in.method != "" {
		method = in.method
	}
	r, err := http.NewRequest(method, "http://"+s.addr+in.path, strings.NewReader(in.form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if in.form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if s.cookie != nil && !in.bare {
		r.AddCookie(s.cookie)
	}
	for name, values := range in.header {
		r.Header[name] = values
	}
	if in.host != "" {
		r.Host = in.host
	}
	transport := &http.Transport{DisableKeepAlives: true}
	reply, err := transport.RoundTrip(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, in.path, err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply
}

func bodyOf(r *http.Response) string {
	text, _ := io.ReadAll(r.Body)
	return string(text)
}

// unchanged fails if a decision was carried out: the attacker always asks for a pause.
func (s *site) unchanged(what string) {
	s.t.Helper()
	if s.paused() {
		s.t.Errorf("%s: the attacker paused Afar", what)
		s.afar("resume")
	}
}

func (s *site) paused() bool {
	s.t.Helper()
	var status wire.StatusReply
	if err := json.Unmarshal([]byte(s.afar("status", "--json")), &status); err != nil {
		s.t.Fatal(err)
	}
	return status.Settings.Paused
}

var pause = url.Values{"back": {"/"}}

// routes are the paths of all forms.
var routes = []string{
	"/pause", "/resume", "/away", "/ask/ask_1", "/session/s-1/send", "/session/s-1/stop", "/session/s-1/away",
	"/session/s-1/cancel", "/grant/grant_1/revoke", "/undo/undo_1", "/browser/browser_1/end", "/telegram/pair",
}

// TestPageWorks shows that the attacks below fail for the reason that they name: the same
// request of the page's own form pauses Afar.
func TestPageWorks(t *testing.T) {
	s := newSite(t)
	own := "http://" + s.addr
	for _, header := range []http.Header{
		nil, {"Origin": {own}}, {"Sec-Fetch-Site": {"same-origin"}}, {"Sec-Fetch-Site": {"none"}},
	} {
		r := s.send(request{path: "/pause", form: pause, header: header})
		if r.StatusCode != http.StatusSeeOther || !s.paused() {
			t.Fatalf("%v: %s, and Afar is not paused", header, r.Status)
		}
		s.afar("resume")
	}
	if out := s.afar("guard", "explain", "curl http://"+s.addr+"/"); !strings.Contains(out, "afar.page") {
		t.Errorf("the guard does not know where the page is: %s", out)
	}
	c := s.cookie
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || len(c.Value) < 64 {
		t.Errorf("the cookie is %+v", c)
	}
}

// TestPageRebinding: a page under a foreign name gets nothing, even with the cookie.
func TestPageRebinding(t *testing.T) {
	s := newSite(t)
	_, port, _ := net.SplitHostPort(s.addr)
	for _, host := range []string{
		"evil.example:" + port, "evil.example", "localhost", "localhost:1", "127.0.0.1.evil.example:" + port,
		"localhost.evil.example:" + port, "evil.example:80", "10.0.0.1:" + port, "[2001:db8::1]:" + port,
		"0.0.0.0:" + port, "127.0.0.1:" + port + "@evil.example", "2130706433:" + port, "::1", "a b",
		"LOCALHOST.:" + port,
	} {
		for _, in := range []request{{path: "/"}, {path: "/pause", form: pause}, {path: "/static/", bare: true}} {
			in.host = host
			r := s.send(in)
			if r.StatusCode != http.StatusMisdirectedRequest && r.StatusCode != http.StatusBadRequest {
				t.Errorf("Host %q, %s: %s", host, in.path, r.Status)
			}
			if strings.Contains(bodyOf(r), "<form") {
				t.Errorf("Host %q, %s: the page is shown", host, in.path)
			}
		}
	}
	raw := s.raw("POST /pause HTTP/1.0\r\nCookie: " + s.cookie.String() + "\r\nContent-Length: 0\r\n\r\n")
	if strings.Contains(raw, " 303 ") || strings.Contains(raw, " 200 ") {
		t.Errorf("without a Host: %.100q", raw)
	}
	s.unchanged("rebinding")
}

// TestPageForeignOrigin: no form of another site counts, whatever the browser says of it.
func TestPageForeignOrigin(t *testing.T) {
	s := newSite(t)
	host, _, _ := net.SplitHostPort(s.addr)
	for _, route := range routes {
		for _, header := range []http.Header{
			{"Origin": {"http://evil.example"}},
			{"Origin": {"null"}},
			{"Origin": {"http://" + host + ":1"}},
			{"Sec-Fetch-Site": {"cross-site"}},
			{"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"http://" + s.addr}},
		} {
			if r := s.send(request{path: route, form: pause, header: header}); r.StatusCode != http.StatusForbidden {
				t.Errorf("%s, %v: %s", route, header, r.Status)
			}
		}
	}
	s.unchanged("a foreign origin")
}

// TestPageCookies: without the cookie of a browser that is signed in to this home, there is
// nothing to see and nothing to decide.
func TestPageCookies(t *testing.T) {
	s := newSite(t)
	other := &site{nest: newNest(t)}
	other.env = append(slices.Clone(other.env), "AFAR_WEB_ADDR=127.0.0.1:0")
	other.run()
	otherLink := other.link()
	other.addr = otherLink.Host
	stolen := other.send(request{path: otherLink.RequestURI(), bare: true}).Cookies()[0]
	if stolen.Name == s.cookie.Name {
		t.Errorf("two homes use the cookie %q: each signs the other's browser out", stolen.Name)
	}
	for what, cookie := range map[string]string{
		"no cookie":               "",
		"an empty cookie":         s.cookie.Name + "=",
		"a guess":                 s.cookie.Name + "=" + strings.Repeat("0", 64),
		"the link":                s.cookie.Name + "=" + s.code,
		"another home":            stolen.Name + "=" + stolen.Value,
		"another home's value":    s.cookie.Name + "=" + stolen.Value,
		"another name":            "afar=" + s.cookie.Value,
		"a part":                  s.cookie.Name + "=" + s.cookie.Value[1:],
		"many":                    strings.Repeat(s.cookie.Name+"=x; ", 100),
		"the id of the browser":   s.cookie.Name + "=" + s.browser(),
		"a comma for a semicolon": "a=b, " + s.cookie.Name + "=" + s.cookie.Value + "x",
	} {
		header := http.Header{"Cookie": {cookie}}
		r := s.send(request{path: "/pause", form: pause, header: header, bare: true})
		if r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s decides: %s", what, r.Status)
		}
		for _, path := range []string{"/", "/settings", "/questions", "/live?at=/", "/nothing"} {
			r := s.send(request{path: path, header: header, bare: true})
			if r.StatusCode != http.StatusUnauthorized || strings.Contains(bodyOf(r), "<form") {
				t.Errorf("%s reads %s: %s", what, path, r.Status)
			}
		}
	}
	s.unchanged("a wrong cookie")
}

// browser returns the id of the browser that signed in last.
func (s *site) browser() string {
	s.t.Helper()
	for _, e := range slices.Backward(s.journal(0)) {
		if e.Kind == "browser.signed-in" {
			return e.Subject
		}
	}
	s.t.Fatal("the journal says nothing of the sign-in")
	return ""
}

// TestPageSignedOut: after its sign-out a browser reads and decides nothing, and its open
// stream ends.
func TestPageSignedOut(t *testing.T) {
	s := newSite(t)
	stream, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	fmt.Fprintf(stream, "GET /live?at=/ HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", s.addr,
		"Connection: close\r\nCookie: "+s.cookie.Name+"="+s.cookie.Value)
	reader := bufio.NewReader(stream)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("the stream begins with %q, %v", line, err)
	}
	r := s.send(request{path: "/browser/" + s.browser() + "/end", form: pause})
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("the sign-out is %s", r.Status)
	}
	if r := s.send(request{path: "/pause", form: pause}); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("it decides: %s", r.Status)
	}
	if r := s.send(request{path: "/"}); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("it reads: %s", r.Status)
	}
	_ = stream.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		t.Errorf("its stream goes on: %v", err)
	}
	s.unchanged("a browser that is signed out")
}

// TestPageLinks: a link works once, for one browser, and not after a restart.
func TestPageLinks(t *testing.T) {
	s := newSite(t)
	link := s.link()
	for _, wrong := range []string{
		"/signin/", "/signin/x", "/signin/" + s.code, "/signin/" + s.code + "/", "/signin/%00",
	} {
		if r := s.send(request{path: wrong, bare: true}); len(r.Cookies()) != 0 || r.StatusCode == http.StatusSeeOther {
			t.Errorf("%s: %s, %v", wrong, r.Status, r.Cookies())
		}
	}
	for _, in := range []request{
		{path: link.RequestURI(), method: "HEAD", bare: true},
		{path: link.RequestURI(), form: pause, bare: true},
		{path: link.RequestURI(), host: "evil.example", bare: true},
	} {
		if r := s.send(in); len(r.Cookies()) != 0 {
			t.Errorf("%s from %q signs in: %s", in.method, in.host, r.Status)
		}
	}
	r := s.send(request{path: link.Path + "?to=//evil.example/", bare: true})
	if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || to != "/" {
		t.Errorf("the link leads to %q: %s", to, r.Status)
	}
	if r := s.send(request{path: link.RequestURI(), bare: true}); len(r.Cookies()) != 0 {
		t.Errorf("it works twice: %s", r.Status)
	}
	old := s.link()
	s.afar("stop")
	s.run()
	s.addr = s.link().Host
	if r := s.send(request{path: old.RequestURI(), bare: true}); len(r.Cookies()) != 0 {
		t.Errorf("it works after a restart: %s", r.Status)
	}
	if r := s.send(request{path: "/"}); r.StatusCode != http.StatusOK {
		t.Errorf("the browser is signed out by a restart: %s", r.Status)
	}
}

// TestPageOnlyReads: no GET and no HEAD decides anything, whatever it carries.
func TestPageOnlyReads(t *testing.T) {
	s := newSite(t)
	for _, route := range routes {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"} {
			r := s.send(request{
				method: method,
				path:   route + "?do=allow&back=/&_method=POST",
				header: http.Header{"X-Http-Method-Override": {"POST"}, "Hx-Request": {"true"}},
			})
			if r.StatusCode < 400 {
				t.Errorf("%s %s: %s", method, route, r.Status)
			}
		}
	}
	s.unchanged("a request that only reads")
}

// TestPagePaths: no path leads out of the page's own files.
func TestPagePaths(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{
		"/static/", "/static", "/static/../", "/static/../../../../etc/passwd", "/static/..%2f..%2f..%2fetc/passwd",
		"/static/%2e%2e/%2e%2e/etc/passwd", `/static/..\..\etc\passwd`, "/static/%00", "/static//etc/passwd",
		"//etc/passwd", "/static/./", "/static/....//....//etc/passwd", "/static/..%c0%af..%c0%afetc/passwd",
		"/static/page.go", "/static/.", "/static/templates", "/../afar.db", "/static/../templates",
		"/static/" + strings.Repeat("a/", 2000),
	} {
		head := "\r\nHost: " + s.addr + "\r\nCookie: " + s.cookie.String() + "\r\nConnection: close\r\n\r\n"
		raw := s.raw("GET " + path + " HTTP/1.1" + head)
		status, _, _ := strings.Cut(raw, "\r\n")
		if strings.Contains(status, " 200 ") || strings.Contains(raw, "root:") || strings.Contains(raw, "<pre>") {
			t.Errorf("%.80s: %s", path, status)
		}
	}
}

// raw sends bytes and no more, and returns all that comes back until the other side closes.
func (s *site) raw(text string) string {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, text) // the other side may close before it has read all
	_ = conn.(*net.TCPConn).CloseWrite()
	out, err := io.ReadAll(conn)
	var timeout net.Error
	if e, ok := err.(net.Error); ok { //nolint:errorlint // from this connection itself
		timeout = e
	}
	if timeout != nil && timeout.Timeout() {
		s.t.Errorf("after %s the connection is still open: %.60q", patience, text)
	}
	return string(out)
}

// TestPageHuge: headers of 1 MB, bodies of 10 MB, thousands of fields.
func TestPageHuge(t *testing.T) {
	s := newSite(t)
	head := "POST /pause HTTP/1.1\r\nHost: " + s.addr + "\r\nCookie: " + s.cookie.String() + "\r\nConnection: close\r\n"
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	for what, text := range map[string]string{
		"a header of 1 MB": head + "X-A: " + strings.Repeat("a", 1<<20) + "\r\nContent-Length: 0\r\n\r\n",
		"headers of 1 MB":  head + strings.Repeat("X-A: "+strings.Repeat("a", 26)+"\r\n", 1<<15) + "\r\n",
		"a path of 1 MB": "POST /pause?" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: " +
			s.addr + "\r\n\r\n",
		"a body of 10 MB":      head + form + "Content-Length: 10485760\r\n\r\n" + strings.Repeat("a", 10<<20),
		"a length that lies":   head + form + "Content-Length: 99999999999\r\n\r\n" + strings.Repeat("a", 1<<20),
		"two lengths":          head + form + "Content-Length: 0\r\nContent-Length: 7\r\n\r\nback=/x",
		"no HTTP at all":       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"a line break in Host": strings.Replace(head, s.addr, s.addr+"\n evil.example", 1) + "\r\n",
	} {
		out := s.raw(text)
		if strings.Contains(out, " 303 ") || strings.HasPrefix(out, "HTTP/1.1 200") {
			t.Errorf("%s: %.100q", what, out)
		}
		s.unchanged(what)
	}
	if r := s.send(request{path: "/"}); r.StatusCode != http.StatusOK {
		t.Errorf("afterwards the page is %s", r.Status)
	}
}

// TestPageFromSession: a program in a session decides nothing, even with the cookie of a
// browser that is signed in, and cannot sign in with a link. The journal says that it tried.
func TestPageFromSession(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the mark that a session's shell leaves is known on Linux only")
	}
	s := newSite(t)
	post := `exec 3<>"/dev/tcp/${0%:*}/${0##*:}"; printf '%b' "$1" >&3; cat <&3 >"$2"`
	text := func(line, more string) string {
		return line + ` HTTP/1.1\r\nHost: ` + s.addr + `\r\nConnection: close\r\n` + more
	}
	decide := text("POST /pause", "Cookie: "+s.cookie.String()+`\r\nContent-Length: 0\r\n\r\n`)
	for what, prefix := range map[string]string{
		"a child":     `exec env CLAUDECODE=1 bash -c "$@"`,
		"a grandson":  `export CLAUDECODE=1; bash -c 'env -u CLAUDECODE bash -c "$@"; true' x "$@"`,
		"cut off":     birthmark.Line + `exec env -i PATH="$PATH" setsid -w bash -c "$@"`,
		"an orphan":   birthmark.Line + `(env -i PATH="$PATH" setsid bash -c "$@" &)`,
		"a shared fd": `export CLAUDECODE=1; bash -c 'bash -c "$@" & wait' x "$@"`,
	} {
		head := s.lastSeq()
		reply := filepath.Join(t.TempDir(), "reply")
		cmd := exec.Command("bash", "-c", prefix, "bash", post, s.addr, decide, reply)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", what, err, out)
		}
		if answer := s.await(reply); !strings.HasPrefix(answer, "HTTP/1.1 ") {
			t.Errorf("%s gets %.100q", what, answer)
		}
		s.unchanged(what)
		if !slices.ContainsFunc(s.journal(head), func(e wire.Entry) bool { return e.Kind == "refused" }) {
			t.Errorf("%s: the journal has %+v", what, s.journal(head))
		}
	}
	reply, head := filepath.Join(t.TempDir(), "reply"), s.lastSeq()
	link := s.link()
	cmd := exec.Command("bash", "-c", `exec env CLAUDECODE=1 bash -c "$@"`, "bash", post, s.addr,
		text("GET "+link.RequestURI(), `\r\n`), reply)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if answer := s.await(reply); strings.Contains(strings.ToLower(answer), "set-cookie") {
		t.Errorf("a session signs in: %.300q", answer)
	}
	if !slices.ContainsFunc(s.journal(head), func(e wire.Entry) bool { return e.Kind == "refused" }) {
		t.Errorf("the journal has %+v", s.journal(head))
	}
}

// await returns the text of a file once it has one.
func (s *site) await(path string) string {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
			return string(text)
		}
	}
	s.t.Fatal("no reply came")
	return ""
}

// journal returns the entries after a number.
func (s *site) journal(after int64) (out []wire.Entry) {
	s.t.Helper()
	for line := range strings.Lines(s.afar("log", "--json")) {
		var e wire.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.t.Fatal(err)
		}
		if e.Seq > after {
			out = append(out, e)
		}
	}
	return out
}

func (s *site) lastSeq() int64 {
	all := s.journal(0)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].Seq
}

// TestPageSecrets: after the first hop no address, no page and no file has the code of a link
// or the token of a cookie.
func TestPageSecrets(t *testing.T) {
	s := newSite(t)
	unused := strings.TrimPrefix(s.link().Path, "/signin/")
	secrets := []string{s.code, s.cookie.Value, unused}
	s.send(request{path: "/pause", form: url.Values{"back": {"/settings"}}})
	s.afar("resume")
	s.send(request{path: "/signin/" + s.code, bare: true})
	for _, path := range []string{"/", "/settings", "/report", "/guard", "/questions", "/loops", "/nothing"} {
		r := s.send(request{path: path})
		holdsNone(t, path, bodyOf(r)+r.Header.Get("Location")+r.Header.Get("Set-Cookie"), secrets)
	}
	holdsNone(t, "the journal", s.afar("log", "--json"), secrets)
	holdsNone(t, "the status", s.afar("status", "--json"), secrets)
	err := filepath.WalkDir(s.dirs.Root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		holdsNone(t, path, string(text), secrets)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func holdsNone(t *testing.T, where, text string, secrets []string) {
	t.Helper()
	for i, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds secret %d", where, i)
		}
	}
}
