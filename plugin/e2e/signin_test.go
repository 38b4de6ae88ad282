//go:build linux

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wall"
)

// jwt returns a token that nobody has signed, whose access ends at a time.
func jwt(ends int64) string {
	claims := fmt.Sprintf(`{"email":"ann@localhost","exp":%d,"https://api.openai.com/auth":`+
		`{"chatgpt_account_id":"acc","chatgpt_plan_type":"pro"}}`, ends)
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

// A tokens is a token endpoint: a refresh token is good for one use.
type tokens struct {
	*httptest.Server

	mu     sync.Mutex
	next   int
	misuse []string
}

func newTokens(t *testing.T) *tokens {
	s := &tokens{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Refresh string `json:"refresh_token"`
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		if json.Unmarshal(body, &in) != nil || in.Refresh != fmt.Sprintf("refresh-%d", s.next) {
			s.misuse = append(s.misuse, string(body))
			http.Error(w, `{"error":{"code":"refresh_token_reused"}}`, http.StatusUnauthorized)
			return
		}
		s.next++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id_token":%q,"access_token":%q,"refresh_token":"refresh-%d","token_type":"Bearer",`+
			`"expires_in":28800,"scope":"user:inference user:profile"}`, access(s.next), access(s.next), s.next)
	}))
	t.Cleanup(s.Close)
	return s
}

// access returns the access token that a refresh token has with it.
func access(n int) string { return jwt(4e9 + int64(n)) }

// proxy starts a proxy that has the endpoint answer for the hosts of Claude Code. It returns the variables with which
// a client uses it, and trusts its certificate.
func (s *tokens) proxy(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tokens"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"*.claude.com", "*.anthropic.com", "claude.ai"},
	}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/oauth/token") {
			http.NotFound(w, r)
			return
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	secret.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	secret.StartTLS()
	t.Cleanup(secret.Close)
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up, err := net.Dial("tcp", secret.Listener.Addr().String())
		if err != nil || r.Method != http.MethodConnect {
			http.Error(w, "want CONNECT", http.StatusBadGateway)
			return
		}
		defer up.Close()
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer down.Close()
		_, _ = io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(up, down) }()
		_, _ = io.Copy(down, up)
	}))
	t.Cleanup(open.Close)
	dir := t.TempDir()
	write(t, dir, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})))
	return "HTTPS_PROXY=" + open.URL + "\nNO_PROXY=127.0.0.1,localhost\nNODE_EXTRA_CA_CERTS=" + filepath.Join(dir, "ca.pem") + "\n"
}

// TestRealClaudeSignIn: a sign-in of Claude Code that is due when a run begins, or while its turn goes on behind the
// wall, is renewed outside and kept. The next request of that turn has the new access, and no token is used twice.
func TestRealClaudeSignIn(t *testing.T) {
	if why := wall.Missing(); why != "" {
		t.Skip(why)
	}
	r := newRunRig(t, host.Current, "Bash")
	server := newTokens(t)
	own, err := os.ReadFile(filepath.Join(r.home, "claude.env"))
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(strings.Split(string(own), "\n"), func(entry string) bool {
		return strings.HasPrefix(entry, "ANTHROPIC_API_KEY=")
	})
	write(t, r.home, "claude.env", strings.Join(kept, "\n")+server.proxy(t))
	file := filepath.Join(r.lab.Home, ".claude", ".credentials.json")
	signIn := func(refresh int, ends time.Time) {
		write(t, filepath.Dir(file), filepath.Base(file), fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"old",`+
			`"refreshToken":"refresh-%d","expiresAt":%d,"scopes":["user:inference","user:profile"],`+
			`"subscriptionType":"pro"}}`, refresh, ends.UnixMilli()))
	}
	isKept := func(refresh int) bool {
		raw, _ := os.ReadFile(file)
		return strings.Contains(string(raw), fmt.Sprintf(`"refresh-%d"`, refresh))
	}
	check := func(name string, renewals int) {
		end, turns := r.becameRun(name, "idle"), r.model.Turns()
		key := turns[len(turns)-1].Key
		if end.Result != "fin" || end.Wall != wall.On || r.exists("../outside") || key != access(renewals) || !isKept(renewals) {
			t.Errorf("%s: %+v, the last request had the key %q", name, end, key)
		}
	}

	signIn(0, time.Now().Add(-time.Hour))
	r.startRun("due", play(model.Bash("touch ../outside"), model.Say("fin")))
	check("due", 1)

	signIn(1, time.Now().Add(4*time.Minute+15*time.Second)) // it is due in 15 s
	r.startRun("long", play(model.Bash("until [ -e go ]; do sleep 0.2; done"), model.Say("fin")))
	for end := time.Now().Add(within); !isKept(2) && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
	}
	write(t, r.lab.Project, "go", "")
	check("long", 2)

	server.mu.Lock()
	defer server.mu.Unlock()
	if server.next != 2 || len(server.misuse) > 0 {
		t.Errorf("%d renewals, misuse %q", server.next, server.misuse)
	}
}

// TestRealCodexSignIn: a sign-in of codex that is due in a run behind the wall is renewed, and kept: the file of the
// person has the last token after the turn, and none was used twice.
func TestRealCodexSignIn(t *testing.T) {
	if why := wall.Missing(); why != "" {
		t.Skip(why)
	}
	r := newCodexRig(t)
	server := newTokens(t)
	own := filepath.Join(r.lab.Home, ".codex")
	write(t, own, "auth.json", fmt.Sprintf(`{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":%q,`+
		`"access_token":%q,"refresh_token":"refresh-0","account_id":"acc"},"last_refresh":"2025-01-01T00:00:00Z"}`,
		jwt(17e8), jwt(17e8)))
	keys := filepath.Join(r.home, "codex.env")
	before, err := os.ReadFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.home, "codex.env", string(before)+"CODEX_REFRESH_TOKEN_URL_OVERRIDE="+server.URL+"\n")
	r.startRun("due", "go "+play(codexShell("touch ../outside"), model.Say("fin")), "--agent", "codex", "--mode", "manual")
	r.tap(r.card("outside"), "Allow")
	end := r.becameRun("due", "idle")
	if end.Result != "fin" || end.Wall != wall.On || r.exists("../outside") {
		t.Errorf("at the end: %+v", end)
	}
	file, err := os.ReadFile(filepath.Join(own, "auth.json"))
	server.mu.Lock()
	defer server.mu.Unlock()
	last := fmt.Sprintf("%q", fmt.Sprintf("refresh-%d", server.next))
	if err != nil || server.next == 0 || len(server.misuse) > 0 || !strings.Contains(string(file), last) {
		t.Errorf("%d renewals, misuse %q, the file of the person: %s (%v)", server.next, server.misuse, file, err)
	}
}
