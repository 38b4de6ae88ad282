package telegram

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

func TestConnectStoresAndRestartFinds(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	r.run()
	if s := r.ch.Status(); s != (channel.Status{}) {
		t.Errorf("before: %+v", s)
	}
	name, err := r.ch.Connect(r.ctx, " "+r.api.Token()+"\n", r.api.URL()+"/")
	if err != nil || name != "afar_standin_bot" {
		t.Fatalf("%q, %v", name, err)
	}
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	want := channel.Status{Connected: true, Speaker: name, API: r.api.URL()}
	if s := r.ch.Status(); s != want {
		t.Errorf("status %+v", s)
	}
	info, err := os.Stat(r.path("telegram.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v", info.Mode(), err)
	}
	if c, err := config.Load(r.path("config.toml")); err != nil || c.Telegram.API != r.api.URL() {
		t.Errorf("config %+v, %v", c, err)
	}
	r.restart()
	if s := r.ch.Status(); s != want {
		t.Errorf("status after a restart %+v", s)
	}
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
}

func TestConnectWithTheConfiguredAPI(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	if err := config.SetTelegramAPI(r.path("config.toml"), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), ""); err != nil {
		t.Fatal(err)
	}
}

func TestConnectRefused(t *testing.T) {
	t.Parallel()
	redirect := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	defer redirect.Close()
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	human := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"ok":true,"result":{"username":"ann"}}`))
	}))
	defer human.Close()
	const wrong = "7000000001:AAH-another-token-of-the-same-form_99"
	tests := []struct{ name, token, api, want string }{
		{"unknown token", wrong, "stand-in", "refuses this token"},
		{"no token", "", "stand-in", "not a bot token"},
		{"a path", "7000000001:AAHAAHAAHAAH/../x", "stand-in", "not a bot token"},
		{"unreachable", wrong, "http://127.0.0.1:1", "ask http://127.0.0.1:1 who the bot is"},
		{"no URL", wrong, "example.org", "must be an http or https URL"},
		{"a redirect", wrong, redirect.URL, "not a Bot API's"},
		{"a web server", wrong, web.URL, "not a Bot API's"},
		{"a bad host", wrong, "http://127.0.0.1:99999", "who the bot is"},
		{"not a bot", wrong, human.URL, "does not answer as a Bot API does"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newStillRig(t)
			if test.api == "stand-in" {
				test.api = r.api.URL()
			}
			_, err := r.ch.Connect(r.ctx, test.token, test.api)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v", err)
			}
			if test.token != "" && (strings.Contains(err.Error(), test.token) ||
				strings.Contains(err.Error(), test.token[11:])) {
				t.Errorf("the error holds the token: %v", err)
			}
			for _, name := range []string{"telegram.token", "config.toml"} {
				if _, err := os.Stat(r.path(name)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s was written: %v", name, err)
				}
			}
			if s := r.ch.Status(); s.Connected {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// A wrong token does not stop the connected bot.
func TestFailedConnectKeepsTheOldBot(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	if _, err := r.ch.Connect(r.ctx, "7000000001:AAH-another-token-of-the-same-form_99", ""); err == nil {
		t.Fatal("no error")
	}
	r.card("a1", "git push")
}

func TestConnectAgainKeepsThePairing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	r.card("a1", "git push")
}

func TestConnectElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	second := botapi.New(t)
	if _, err := r.ch.Connect(r.ctx, second.Token(), second.URL()); err != nil {
		t.Fatal(err)
	}
	if err := second.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time is harmless
		if err := r.ch.Disconnect(); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.ch.Status(); s != (channel.Status{}) {
		t.Errorf("status %+v", s)
	}
	if _, err := os.Stat(r.path("telegram.token")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("token file: %v", err)
	}
	if r.core.Person(Name) != nil || r.core.Account(Name).Speaker != "" {
		t.Errorf("settings %+v", r.core.Settings())
	}
	before := r.api.Polls()
	r.ask("a1", "git push")
	r.restart()
	if n := r.api.Polls(); n != before {
		t.Errorf("polled %d times after the end", n-before)
	}
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"telegram.token": "what is this",
		"config.toml": "[telegram]\napi = 7\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.close()
			if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r.open()
			if s := r.ch.Status(); s.Connected || s.Failing == "" {
				t.Errorf("status %+v", s)
			}
			r.run() // ends with the test all the same
		})
	}
}

// A database that was lost gets the bot's name again.
func TestLostNameIsLearned(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.close()
	for _, name := range []string{"afar.db", "afar.db-wal", "afar.db-shm"} {
		if err := os.Remove(r.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	r.open()
	r.run()
	r.eventually("the name", func() bool { return r.ch.Status().Speaker == "afar_standin_bot" })
}

// The token never appears in the log, the status, the journal or the store, whatever fails.
func TestTokenIsNeverTold(t *testing.T) {
	r := newRig(t)
	r.pair()
	secret := r.api.Token()[len("7000000001:"):]
	echo := "<html>" + r.api.Token() + " " + secret + "</html>"
	for _, method := range []string{"getUpdates", "sendMessage", "answerCallbackQuery", "editMessageText"} {
		r.api.FailNext(method, 500, echo, 0)
		r.api.Reset(method)
		r.api.FailNext(method, 400, echo, 0)
	}
	_, err := r.core.OpenCovered(r.ask("a0", "first"), grant.Need{})
	if err != nil {
		t.Fatal(err)
	}
	_, m := r.card("a1", "second")
	r.tap(r.ann, m.ID, "Deny")
	r.settled()
	r.outage()
	r.ask("a2", "third")
	r.eventually("sending fails", func() bool { return strings.Contains(r.log.String(), "refused") })
	told := r.log.String() + r.ch.Status().Failing
	entries, err := r.core.Journal(r.ctx, 0, 10000, "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		told += e.Text + e.Subject
	}
	r.close()
	for _, name := range []string{"afar.db", "afar.db-wal"} {
		raw, err := os.ReadFile(r.path(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		told += string(raw)
	}
	if !strings.Contains(told, "•••") {
		t.Error("the test met no error that held the token")
	}
	if i := strings.Index(told, secret); i >= 0 {
		t.Errorf("the token is told: …%q…", told[max(0, i-200):i+20])
	}
	r.open() // for the cleanup
}
