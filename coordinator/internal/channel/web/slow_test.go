package web_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// hurry is the patience of a server in these tests.
const hurry = 300 * time.Millisecond

// TestSlowWriter: half a request does not hold a connection for long, and 200 of them keep
// nobody from the page.
func TestSlowWriter(t *testing.T) {
	s := newSubject(t)
	s.patience = hurry
	s.serve(t)
	head := "POST /pause HTTP/1.1\r\n" + s.headers(t)
	for range 200 {
		s.dial(t, head)
	}
	begin := time.Now()
	if s.get(t, "/"); time.Since(begin) > 20*time.Second {
		t.Errorf("the page took %v", time.Since(begin))
	}
	body := head + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nback="
	for _, text := range []string{head, body} {
		conn := s.dial(t, text)
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		out, err := io.ReadAll(conn)
		if wait, ok := err.(net.Error); ok && wait.Timeout() { //nolint:errorlint // from this connection itself
			t.Error("the connection is still open")
		}
		if strings.Contains(string(out), " 303 ") || strings.Contains(string(out), " 200 ") {
			t.Errorf("half a request is answered: %.80q", out)
		}
	}
	if s.core.Settings().Paused {
		t.Error("half a request paused Afar")
	}
}

// TestSlowReader: a page that reads nothing is dropped, costs the others nothing, and has
// all of it when it comes back.
func TestSlowReader(t *testing.T) {
	if testing.Short() {
		t.Skip("fills the buffers of a connection, which takes too long with the race detector")
	}
	s := newSubject(t)
	s.patience = hurry
	s.serve(t)
	slow := s.dial(t, "GET /live?at=%2F HTTP/1.1\r\n"+s.headers(t)+"\r\n")
	events, end := s.stream(t, "")
	defer end()
	awaitEvent(t, events, "Nothing waits for you")
	for s.ch.Readers() < 2 {
		time.Sleep(time.Millisecond)
	}
	n, shown := 0, 30 // the page shows so many questions, and counts the others
	more := strings.Repeat("more ", 800)
	for ; n < shown; n++ {
		s.asks(t, ask.ID(fmt.Sprint("ask_", n)), fmt.Sprintf("make t%d %s", n, more))
	}
	for deadline := time.Now().Add(2 * time.Minute); s.ch.Readers() > 1; n++ { // the buffers of the kernel fill first
		if time.Now().After(deadline) {
			t.Fatalf("after %d questions the reader that reads nothing is still there", n)
		}
		s.asks(t, ask.ID(fmt.Sprint("ask_", n)), fmt.Sprintf("make t%d", n))
		awaitEvent(t, events, fmt.Sprintf("%d more question", n-shown+1))
	}
	t.Logf("dropped after %d questions", n)
	again, end := s.stream(t, "")
	defer end()
	awaitEvent(t, again, fmt.Sprintf("%d more question", n-shown))
	_, err := io.Copy(io.Discard, slow)
	if wait, ok := err.(net.Error); ok && wait.Timeout() { //nolint:errorlint // from this connection itself
		t.Error("its connection is still open")
	}
}

// headers returns what a browser that is signed in sends with each request.
func (s *subject) headers(t testing.TB) string {
	t.Helper()
	at, err := url.Parse(s.ch.URL())
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	for _, c := range s.browser.Jar.Cookies(at) {
		cookies = append(cookies, c.String())
	}
	return fmt.Sprintf("Host: %s\r\nCookie: %s\r\n", at.Host, strings.Join(cookies, "; "))
}

// dial opens a connection to the page and sends a text.
func (s *subject) dial(t testing.TB, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.ch.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}
