//go:build linux

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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
		fmt.Fprintf(w, `{"id_token":%q,"access_token":%q,"refresh_token":"refresh-%d"}`, jwt(4e9), jwt(4e9), s.next)
	}))
	t.Cleanup(s.Close)
	return s
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
	r.configure("[runs]\nwall = \"on\"")
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
