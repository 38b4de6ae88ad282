package tools

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/peer"
)

// maxBody bounds a message over HTTP, in bytes.
const maxBody = 1 << 20

// LoadToken returns the token in the file at path, and makes one if there is none. Only the
// person's own programs can read the file.
func LoadToken(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(raw)); err == nil && token != "" {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the token of the tools: %w", err)
	}
	token := random.Word() + random.Word()
	if err := atomicfile.Write(path, token+"\n"); err != nil {
		return "", fmt.Errorf("keep the token of the tools: %w", err)
	}
	return token, nil
}

// ServeHTTP takes one message over HTTP. A browser never gets here: it would send its origin.
// The token shows that the client belongs to this user; which session it speaks for is looked
// up for each call of a tool.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case len(r.Header.Values("Origin")) > 0:
		http.Error(w, "Afar's tools are for agents on this machine, not for browsers.", http.StatusForbidden)
	case !local(r.Host):
		http.Error(w, "Afar's tools are served to this machine alone.", http.StatusForbidden)
	case !s.carriesToken(r):
		http.Error(w, "The token is wrong or missing.", http.StatusUnauthorized)
	default:
		s.take(w, r)
	}
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}

func (s *Server) carriesToken(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && s.cfg.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.cfg.Token)) == 1
}

// take answers one message. It reads the message first: the limit of the listener for reading
// a request would otherwise end a tool that waits.
func (s *Server) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, fmt.Sprintf("A message has at most %d bytes.", maxBody), http.StatusRequestEntityTooLarge)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a test's writer has none
	from := caller{line: func() ([]peer.Process, error) { return s.cfg.Caller(ends(r)) }}
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, from))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.http.ServeHTTP(w, r)
}

// ends returns the two ends of the connection of a request.
func ends(r *http.Request) (local, remote netip.AddrPort) {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		local = at.AddrPort()
	}
	remote, _ = netip.ParseAddrPort(r.RemoteAddr)
	return local, remote
}
