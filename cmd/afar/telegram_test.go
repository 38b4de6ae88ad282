//go:build unix

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/afar-sh/afar/coordinator/wire"
)

func TestTelegramConnect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" 2:file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		env   map[string]string
		stdin string
		want  string // body that is sent; "" for none
	}{
		{"variable", map[string]string{"AFAR_TELEGRAM_TOKEN": "1:env", "AFAR_TELEGRAM_TOKEN_FILE": file}, "3:stdin",
			`{"token":"1:env"}`},
		{"file", map[string]string{"AFAR_TELEGRAM_TOKEN_FILE": file, "AFAR_TELEGRAM_API": "http://x"}, "3:stdin",
			`{"token":"2:file","api":"http://x"}`},
		{"stdin", nil, "3:stdin\n", `{"token":"3:stdin"}`},
		{"empty stdin", nil, "", ""},
		{"blank stdin", nil, " \n", ""},
		{"no such file", map[string]string{"AFAR_TELEGRAM_TOKEN_FILE": file + "x"}, "3:stdin", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			s.stdin = tt.stdin
			for k, v := range tt.env {
				s.env[k] = v
			}
			c := s.serve().says(wire.OpTelegramConnect, wire.TelegramReply{Connected: true, Bot: "my_bot"})
			code := s.run("telegram", "connect")
			if got := c.body(wire.OpTelegramConnect); got != tt.want || (code == 0) != (tt.want != "") {
				t.Errorf("exit %d, sent %q, want %q; stderr %s", code, got, tt.want, &s.stderr)
			}
			if tt.want == "" && code != exitFailed {
				t.Errorf("exit %d, want 1", code)
			}
		})
	}
}

// pairing returns a stand-in that gives a code and reports its end after two waits.
func pairing(s *shell, after string) *standIn {
	waits := 0
	return s.serve().
		says(wire.OpTelegram, wire.TelegramReply{Connected: true}).
		says(wire.OpTelegramPair, wire.TelegramPairReply{Code: "012345",
			ExpiresAt: noon().Add(10 * time.Minute).UnixMilli(), Bot: "bot_987654_bot"}).
		on(wire.OpTelegramPaired, func(json.RawMessage) wire.Reply {
			waits++
			body := `{"connected":true,"paired":true,"user":"Ana 765432","pairing":true}`
			if waits > 1 {
				body = strings.Replace(body, `"pairing":true`, `"pairing":false`, 1)
			}
			return wire.Reply{V: 1, Body: wire.Raw(body)}
		}).
		on(wire.OpLog, func(body json.RawMessage) wire.Reply {
			if strings.Contains(string(body), `"last":true`) {
				return wire.Reply{V: 1, Body: wire.Raw(`{"entries":[{"seq":41,"kind":"telegram.paired"}]}`)}
			}
			if !strings.Contains(string(body), `"after":41`) {
				s.t.Errorf("journal read by %s", body)
			}
			return wire.Reply{V: 1, Body: wire.Raw(after)}
		})
}

func TestTelegramPair(t *testing.T) {
	tests := []struct {
		name, args, after string
		now               time.Duration
		want              int
		says              string
	}{
		{"paired", "telegram pair",
			`{"entries":[{"seq":42,"kind":"telegram.pairing"},{"seq":43,"kind":"telegram.paired"}]}`, 0, 0,
			"Ana 765432"},
		{"killed", "telegram pair", `{"entries":[{"seq":42,"kind":"telegram.pairing"}]}`, 0, 1, "too many wrong"},
		{"no wait", "telegram pair --no-wait", "", 0, 0, "valid for 10m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			pairing(s, tt.after)
			code := s.run(strings.Fields(tt.args)...)
			if code != tt.want || !strings.Contains(s.stderr.String(), tt.says) {
				t.Errorf("exit %d, stderr %s", code, &s.stderr)
			}
			numbers := regexp.MustCompile(`\d{6,}`).FindAllString(s.stdout.String(), -1)
			if len(numbers) != 1 || numbers[0] != "012345" {
				t.Errorf("numbers on stdout: %q in %q", numbers, &s.stdout)
			}
		})
	}
}

func TestTelegramPairExpired(t *testing.T) {
	s := newShell(t)
	pairing(s, `{"entries":[]}`).says(wire.OpTelegramPair,
		wire.TelegramPairReply{Code: "012345", ExpiresAt: before(time.Second)})
	if code := s.run("telegram", "pair"); code != exitFailed || !strings.Contains(s.stderr.String(), "expired") {
		t.Errorf("exit %d: %s", code, &s.stderr)
	}
}

// TestTelegramPairConnectsFirst: if the variables are set, pair first connects the bot,
// once.
func TestTelegramPairConnectsFirst(t *testing.T) {
	for connected, want := range map[bool]string{false: `{"token":"1:env"}`, true: ""} {
		s := newShell(t)
		s.env["AFAR_TELEGRAM_TOKEN"] = "1:env"
		c := pairing(s, "").says(wire.OpTelegram, wire.TelegramReply{Connected: connected}).says(wire.OpTelegramConnect,
			wire.TelegramReply{})
		if code := s.run("telegram", "pair", "--no-wait"); code != 0 {
			t.Errorf("exit %d: %s", code, &s.stderr)
		}
		if got := c.body(wire.OpTelegramConnect); got != want {
			t.Errorf("connected %v: sent %q, want %q", connected, got, want)
		}
	}
}

// prompt returns both ends of a terminal.
func prompt(t *testing.T) (typed, tty *os.File) {
	typed, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { typed.Close(); tty.Close() })
	return typed, tty
}

// silenced waits until the terminal no longer echoes.
func silenced(t *testing.T, tty *os.File, before *term.State) {
	t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if now, err := term.GetState(int(tty.Fd())); err == nil && !reflect.DeepEqual(now, before) {
			return
		}
	}
	t.Fatal("the terminal still echoes")
}

func TestTokenPrompt(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		s := newShell(t)
		typed, tty := prompt(t)
		before, err := term.GetState(int(tty.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		c := s.serve().says(wire.OpTelegramConnect, wire.TelegramReply{Connected: true, Bot: "my_bot"})
		ctx, cancel := context.WithCancel(t.Context())
		code := make(chan int)
		go func() {
			code <- run(ctx, []string{"telegram", "connect"}, &app{
				stdin:  tty,
				stdout: &s.stdout,
				stderr: &s.stderr,
				getenv: s.getenv,
				bin:    s.bin,
				now:    noon,
			})
		}()
		silenced(t, tty, before)
		want, sent := exitDone, `{"token":"4:typed"}`
		if interrupted {
			want, sent = exitInterrupted, ""
			cancel()
		} else if _, err := typed.WriteString("4:typed\n"); err != nil {
			t.Fatal(err)
		}
		if got := <-code; got != want || c.body(wire.OpTelegramConnect) != sent {
			t.Errorf("interrupted %v: exit %d, sent %q; %s", interrupted, got, c.body(wire.OpTelegramConnect),
				&s.stderr)
		}
		if after, err := term.GetState(int(tty.Fd())); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("interrupted %v: the terminal is left silent: %v", interrupted, err)
		}
		cancel()
	}
}
