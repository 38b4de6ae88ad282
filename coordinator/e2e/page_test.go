package e2e

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestPagePortTaken: a port that another program has switches the page off and nothing else.
// The doctor is red. The page is back once the port is free.
func TestPagePortTaken(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := stillSite(t, other.Addr().String())
	s.run()
	if page := s.page(); page.State != "failing" || !strings.Contains(page.Note, "another program uses "+s.taken()) {
		t.Errorf("the page is %+v", page)
	}
	doctor := exec.Command(s.bin, "doctor")
	doctor.Env = s.env
	out, err := doctor.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "✖  web") || !strings.Contains(string(out), "web.addr") {
		t.Errorf("the doctor says %v: %s", err, out)
	}
	other.Close()
	for deadline := time.Now().Add(time.Minute); s.page().State != "ready"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the port is free, and the page is %+v", s.page())
		}
	}
	s.signIn()
}

// page returns the page as `afar status` shows it.
func (s *site) page() wire.Channel {
	s.t.Helper()
	var status wire.StatusReply
	if err := json.Unmarshal([]byte(s.afar("status", "--json")), &status); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range status.Channels {
		if c.ID == "web" {
			return c
		}
	}
	s.t.Fatalf("no page among %+v", status.Channels)
	return wire.Channel{}
}

// taken returns the address that the site was given.
func (s *site) taken() string {
	for _, v := range s.env {
		if addr, ok := strings.CutPrefix(v, "AFAR_WEB_ADDR="); ok {
			return addr
		}
	}
	return ""
}

// TestPageBehindProxy: a proxy reaches the page under a name of web.hosts, and decisions
// count there. Under another name it gets nothing.
func TestPageBehindProxy(t *testing.T) {
	t.Parallel()
	s := stillSite(t, "127.0.0.1:0")
	if err := s.dirs.Make(); err != nil {
		t.Fatal(err)
	}
	config := []byte("[web]\nhosts = [\"laptop.test\"]\n")
	if err := os.WriteFile(s.dirs.ConfigFile(), config, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.signIn()
	to := &url.URL{Scheme: "http", Host: s.addr}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: proxy}
	go func() { _ = front.Serve(l) }()
	t.Cleanup(func() { front.Close() })
	s.addr = l.Addr().String()
	if r := s.send(request{path: "/", host: "laptop.test"}); r.StatusCode != http.StatusOK {
		t.Errorf("under its name: %s", r.Status)
	}
	form := request{
		path: "/pause", host: "laptop.test", form: pause, header: http.Header{"Origin": {"https://laptop.test"}},
	}
	if r := s.send(form); r.StatusCode != http.StatusSeeOther || !s.paused() {
		t.Errorf("a decision is %s", r.Status)
	}
	if r := s.send(request{path: "/", host: "evil.test"}); r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("under another name: %s", r.Status)
	}
}

// TestPageKilled: a coordinator that was killed leaves nobody signed out. A page that was
// open comes back to the same state.
func TestPageKilled(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	s := stillSite(t, netproxy.FreeAddr(t))
	s.run()
	s.signIn()
	stream := s.stream()
	s.kill()
	if _, err := io.Copy(io.Discard, stream); err == nil {
		t.Log("the stream ended in order")
	}
	stream.Close()
	s.run()
	if r := s.send(request{path: "/pause", form: pause}); r.StatusCode != http.StatusSeeOther || !s.paused() {
		t.Errorf("a decision after the restart is %s", r.Status)
	}
	again := s.stream()
	defer again.Close()
	seen := make([]byte, 64<<10)
	for all := ""; !strings.Contains(all, "Paused"); {
		n, err := again.Read(seen)
		if err != nil {
			t.Fatalf("the stream after the restart: %v, it had %q", err, all)
		}
		all += string(seen[:n])
	}
}

// stream opens the stream of the first page.
func (s *site) stream() io.ReadCloser {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.addr+"/live?at=%2F", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.AddCookie(s.cookie)
	reply, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil || reply.StatusCode != http.StatusOK {
		s.t.Fatalf("the stream: %v, %v", reply, err)
	}
	return reply.Body
}

// kill ends the coordinator with kill -9.
func (s *site) kill() {
	s.t.Helper()
	p, err := os.FindProcess(s.pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	for s.client().Ping(100*time.Millisecond) == nil {
		time.Sleep(10 * time.Millisecond)
	}
}
