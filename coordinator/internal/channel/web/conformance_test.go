package web_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/channel/conformance"
	"github.com/afar-sh/afar/coordinator/internal/channel/loopback"
	"github.com/afar-sh/afar/coordinator/internal/channel/web"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/memorywork"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/modulework"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/internal/triggerwork"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, func(t testing.TB) conformance.Subject { return newSubject(t) })
}

// TestTwoChannels runs the page and another channel in one coordinator.
func TestTwoChannels(t *testing.T) {
	conformance.RunTogether(t, func(t testing.TB) (one, two conformance.Subject) {
		return newSubject(t), loopback.NewSubject(t)
	})
}

// A subject is the user of a machine with a browser.
type subject struct {
	dir     string
	browser *http.Client
	core    *feature.Core
	ch      *web.Channel
	server  *server.Server

	patience    time.Duration // of the server with a browser, 0 for the usual one
	answersFrom []string      // the channels whose answers count, nil for all
}

func newSubject(t testing.TB) *subject {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{dir: t.TempDir(), browser: &http.Client{Jar: jar, Timeout: 20 * time.Second}}
}

func (s *subject) Name() string { return web.Name }

func (s *subject) Open(t testing.TB, c *feature.Core) conformance.Channel {
	s.core = c
	s.ch, s.server = open(t, s.dir, c)
	return s.ch
}

// open makes the page over a core, with a real server behind it.
func open(t testing.TB, dir string, c *feature.Core) (*web.Channel, *server.Server) {
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"AFAR_HOME": dir, "HOME": dir}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	afar := filepath.Join(dir, "afar")
	if err := os.WriteFile(afar, []byte("#!/bin/sh\necho '{}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := dirs.Make(); err != nil {
		t.Fatal(err)
	}
	rules := triggerwork.NewFolder(dirs.Triggers(), dirs.HookKeys())
	memory, err := memorywork.New(memorywork.Config{Core: c, Dirs: dirs, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	worker := triggerwork.New(triggerwork.Config{
		Core: c, Folder: rules, Dirs: dirs, Log: slog.New(slog.DiscardHandler),
	})
	s := server.New(server.Config{
		Core: c, Log: slog.New(slog.DiscardHandler), Place: workplace.Reader{Bin: filepath.Join(dir, "bin"), Dirs: dirs},
		Door: door.Config{Marks: func() {}},
		Noun: noun.Config{
			Guard:  func() wire.Guard { return wire.Guard{} },
			Config: func(values map[string]string) ([]string, error) { return config.Set(dirs.ConfigFile(), values) },
			Memory: memory, Modules: modulesIn(dirs.Modules()),
			Glance:      func(string) usage.Glance { return usage.Glance{} },
			Spent:       func(string, time.Time) []usage.Spent { return nil },
			Suggestions: taskwork.NewSuggestions(dirs.Suggestions()), Gaps: taskwork.NewNotebook(dirs.Gaps()),
			Tasks: taskwork.NewFolders(dirs.Tasks(), dirs.Confirms(), time.UTC),
		},
	})
	s.Nouns.Connect(noun.Parts{
		Telegram: noTelegram{}, Page: (*web.Channel)(nil),
		Runs: noun.Runs{
			Mode: run.Auto, Keeps: func(context.Context, run.Place) string { return "" }, Agent: agentNamed,
		},
		Triggers: noun.Triggers{Folder: rules, Zones: triggerwork.Zones, Test: worker.Test},
	})
	return web.New(web.Config{
		Core: c, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Now: time.Now, Addr: "127.0.0.1:0", Key: "home",
		Machine: "lab", Home: dir, Call: s.Page, Note: dirs.NotePage, Caller: peer.OfTCP, Afar: afar,
		Agents: []string{"claude", "codex"}, RunAgent: "claude", RunMode: run.Auto,
	}), s
}

// modulesIn reads the modules in a folder, and runs no sources.
func modulesIn(dir string) noun.Modules {
	folder := modulework.NewFolder(dir)
	return noun.Modules{
		Path:    folder.Path,
		List:    folder.List,
		Read:    folder.Read,
		File:    folder.File,
		Source:  func(module.Name) (now module.Status, ok bool) { return now, ok },
		Restart: func(module.Name) bool { return false },
		Fault:   func(module.Name, module.Server) error { return nil },
	}
}

func agentNamed(name string) (agents.Settings, error) {
	if name != "claude" {
		return agents.Settings{}, fmt.Errorf("unknown agent %q", name)
	}
	return agents.Settings{Protocol: name, Command: []string{name}}, nil
}

// noTelegram is a channel that nobody has connected.
type noTelegram struct{ noun.Telegram }

func (noTelegram) Status() channel.Status { return channel.Status{} }

func (s *subject) Pair(t testing.TB) {
	if err := s.ch.Pair(); err != nil {
		t.Fatal(err)
	}
	code, _, err := s.core.NewLink()
	if err != nil {
		t.Fatal(err)
	}
	s.get(t, "/signin/"+code+"?to=/loops")
}

var (
	article = regexp.MustCompile(`(?s)<article class="card.*?</article>`)
	action  = regexp.MustCompile(`action="/ask/([^"]+)"`)
	nonce   = regexp.MustCompile(`name="nonce" value="([^"]+)"`)
	line    = regexp.MustCompile(`(?s)<li.*?</li>|<tr.*?</tr>|<p class="banner.*?</p>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	said    = regexp.MustCompile(`(?s)id="said"[^>]*>(.*?)</div>`)
)

// Cards reads the pages as a browser gets them: the cards that can be answered, then the
// lines about what is over.
func (s *subject) Cards(t testing.TB, text string) (found []conformance.Card) {
	if s.core.Person(web.Name) == nil {
		return nil // nobody can have signed in
	}
	now := s.get(t, "/")
	for _, card := range article.FindAllString(now, -1) {
		id := action.FindStringSubmatch(card)
		if strings.Contains(plain(card), text) && id != nil {
			found = append(found, conformance.Card{
				ID: id[1], Text: plain(card), Buttons: []string{conformance.Allow, conformance.Deny},
				Key: nonce.FindStringSubmatch(card)[1],
			})
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, a := range s.core.Asks(true) {
		if a.Shown && a.On == "" && strings.Contains(a.Text, text) {
			found = append(found, conformance.Card{ID: string(a.ID), Text: plain(s.get(t, "/question/"+string(a.ID)))})
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, part := range line.FindAllString(now, -1) {
		if strings.Contains(plain(part), text) && !strings.Contains(part, `data-key`) {
			return []conformance.Card{{Text: plain(part)}}
		}
	}
	return nil
}

// plain returns what a person reads in a part of a page.
func plain(part string) string { return html.UnescapeString(tag.ReplaceAllString(part, "")) }

func (s *subject) Tap(t testing.TB, card conformance.Card, button string) string {
	return s.send(t, card, url.Values{"do": {strings.ToLower(button)}})
}

func (s *subject) Reply(t testing.TB, card conformance.Card, text string) {
	s.send(t, card, url.Values{"do": {"deny"}, "text": {text}})
}

// send sends the form of a card, and returns what the page says then.
func (s *subject) send(t testing.TB, card conformance.Card, form url.Values) string {
	form.Set("nonce", card.Key)
	form.Set("back", "/")
	resp, err := s.browser.PostForm(s.ch.URL()+"/ask/"+card.ID, form)
	if err != nil {
		t.Error(err)
		return ""
	}
	found := said.FindStringSubmatch(body(t, resp, http.StatusOK))
	if found == nil {
		return ""
	}
	return found[1]
}

// Intrude sends the form of a card from a browser that is not signed in.
func (s *subject) Intrude(t testing.TB, card conformance.Card, button string) {
	form := url.Values{"do": {strings.ToLower(button)}, "nonce": {card.Key}}
	resp, err := http.PostForm(s.ch.URL()+"/ask/"+card.ID, form)
	if err != nil {
		t.Fatal(err)
	}
	body(t, resp, http.StatusUnauthorized)
}

func (s *subject) get(t testing.TB, path string) string {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.ch.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.browser.Do(req)
	if err != nil {
		t.Error(err)
		return ""
	}
	return body(t, resp, http.StatusOK)
}

func body(t testing.TB, resp *http.Response, want int) string {
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s %s: %s, %v; want %d: %s", resp.Request.Method, resp.Request.URL.Path, resp.Status, err, want, raw)
	}
	return string(raw)
}
