package botapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of these tests. Only a broken test waits that long.
const patience = time.Minute

// A client calls the server as go-telegram/bot does: multipart, chunked,
// strings as they are and the rest as JSON.
type client struct {
	t     *testing.T
	s     *Server
	token string
	http  *http.Client
}

type field struct {
	name  string
	value any
}

type file struct {
	name string
	data []byte
}

type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MovedTo    int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
	status int
}

func start(t *testing.T) (*Server, *client) {
	t.Helper()
	s := New(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return s, &client{t: t, s: s, token: s.Token(), http: &http.Client{Transport: transport}}
}

// ada returns a person who has started the bot.
func ada(s *Server) *User {
	u := s.User(42, "Ada")
	u.Say(42, "/start")
	return u
}

func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// form streams the fields as the library does. Without fields there is no body.
func form(fields []field) (io.Reader, string) {
	pr, pw := io.Pipe()
	w := multipart.NewWriter(pw)
	go func() {
		var err error
		for _, f := range fields {
			err = errors.Join(err, writeField(w, f))
		}
		if len(fields) > 0 {
			err = errors.Join(err, w.Close())
		}
		pw.CloseWithError(err)
	}()
	return pr, w.FormDataContentType()
}

func writeField(w *multipart.Writer, f field) error {
	switch v := f.value.(type) {
	case string:
		return w.WriteField(f.name, v)
	case file:
		part, err := w.CreateFormFile(f.name, v.name)
		if err != nil {
			return err
		}
		_, err = part.Write(v.data)
		return err
	}
	raw, err := json.Marshal(f.value)
	if err != nil {
		return err
	}
	return w.WriteField(f.name, string(bytes.Trim(raw, `"`)))
}

func (c *client) try(ctx context.Context, method string, fields ...field) (answer, error) {
	body, kind := form(fields)
	return c.post(ctx, method, kind, body)
}

func (c *client) post(ctx context.Context, method, kind string, body io.Reader) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.s.URL()+"/bot"+c.token+"/"+method, body)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", kind)
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: resp.StatusCode}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("decode %q: %w", raw, err)
	}
	return a, nil
}

func (c *client) call(method string, fields ...field) answer {
	c.t.Helper()
	a, err := c.try(patient(c.t), method, fields...)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return a
}

// must makes a call that must succeed, and decodes its result.
func (c *client) must(method string, into any, fields ...field) {
	c.t.Helper()
	a := c.call(method, fields...)
	if !a.OK {
		c.t.Fatalf("%s: %d %s", method, a.Code, a.Description)
	}
	if err := json.Unmarshal(a.Result, into); err != nil {
		c.t.Fatalf("%s: decode %s: %v", method, a.Result, err)
	}
}

// refused makes a call that must be refused with the given code and text.
func (c *client) refused(code int, description, method string, fields ...field) {
	c.t.Helper()
	a := c.call(method, fields...)
	if a.OK || a.Code != code || a.status != code || a.Description != description {
		c.t.Errorf("%s: got %d (HTTP %d) %q, want %d %q", method, a.Code, a.status, a.Description, code, description)
	}
}

// send sends a text to Ada and returns the message's id.
func (c *client) send(text string, more ...field) int {
	c.t.Helper()
	var m apiMessage
	c.must("sendMessage", &m, append([]field{{"chat_id", 42}, {"text", text}}, more...)...)
	return m.ID
}

// buttons returns a keyboard of one row: label, data, label, data…
func buttons(pairs ...string) field {
	row := []map[string]any{}
	for p := range slices.Chunk(pairs, 2) {
		row = append(row, map[string]any{
			"text": p[0], "callback_data": p[1], "copy_text": map[string]string{"text": ""},
		})
	}
	return field{"reply_markup", map[string]any{"inline_keyboard": []any{row}}}
}

func TestAuthorization(t *testing.T) {
	s, c := start(t)
	var me apiUser
	c.must("getMe", &me)
	if me.ID != s.BotID() || !me.IsBot {
		t.Errorf("getMe: %+v", me)
	}
	c.must("GETME", &me)
	c.refused(404, "Not Found", "flyToTheMoon")
	c.token = "1:wrong"
	c.refused(401, "Unauthorized", "getMe")
	c.refused(401, "Unauthorized", "flyToTheMoon")
}

func TestBodyFormats(t *testing.T) {
	for kind, body := range map[string]string{
		"application/json": `{"chat_id": 42, "text": "a & \"b\"", "disable_notification": true, "parse_mode": null}`,
		"application/x-www-form-urlencoded": url.Values{
			"chat_id":              {"42"},
			"text":                 {`a & "b"`},
			"disable_notification": {"true"},
		}.Encode(),
	} {
		t.Run(kind, func(t *testing.T) {
			s, c := start(t)
			ada(s)
			a, err := c.post(patient(t), "sendMessage", kind, strings.NewReader(body))
			if err != nil || !a.OK {
				t.Fatalf("sendMessage: %+v, %v", a, err)
			}
			if m := s.Messages(42)[0]; m.Text != `a & "b"` || !m.Silent {
				t.Errorf("got %+v", m)
			}
		})
	}
}

func TestBrokenBodies(t *testing.T) {
	_, c := start(t)
	for _, tt := range []struct{ name, kind, body string }{
		{
			"truncated multipart",
			"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhal",
		},
		{"multipart without boundary", "multipart/form-data", "--x--"},
		{"not JSON", "application/json", "{"},
		{"JSON array", "application/json", "[1]"},
		{"bad escape", "application/x-www-form-urlencoded", "a=%zz"},
		{"bad type", "text/;;", "x"},
		{"not UTF-8", "application/x-www-form-urlencoded", "text=%ff"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := c.post(patient(t), "getMe", tt.kind, strings.NewReader(tt.body))
			if err != nil || a.Code != 400 || !strings.HasPrefix(a.Description, "Bad Request: ") {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
	big := io.LimitReader(zeros{}, maxBody+1)
	a, err := c.post(patient(t), "getMe", "application/json", big)
	if err == nil && a.Code != 413 {
		t.Errorf("huge body: got %+v", a)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestServeTakesOnlyLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.com:80", "nonsense"} {
		if s, err := Serve(addr); err == nil {
			s.Close()
			t.Errorf("Serve(%q) listens", addr)
		}
	}
}

// TestStopAndStart stops the server and starts it again. The address and the state stay,
// and the bot gets what people did meanwhile.
func TestStopAndStart(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	id := c.send("hello")
	base := s.URL()
	polled := make(chan error, 1)
	var got []rawUpdate
	c.must("getUpdates", &got)
	go func() {
		_, err := c.try(context.Background(), "getUpdates", field{"offset", got[0].ID + 1}, field{"timeout", 50})
		polled <- err
	}()
	if err := s.AwaitPoll(patient(t)); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if err := <-polled; err == nil {
		t.Error("the open poll outlived Stop")
	}
	if _, err := c.try(patient(t), "getMe"); err == nil {
		t.Error("a stopped server answers")
	}
	if s.Waiting() {
		t.Error("a poll is open on a stopped server")
	}
	u.Say(42, "are you there?")
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err == nil {
		t.Error("a second Start is no error")
	}
	if s.URL() != base {
		t.Errorf("moved from %s to %s", base, s.URL())
	}
	var late []rawUpdate
	c.must("getUpdates", &late, field{"offset", got[0].ID + 1})
	if len(late) != 1 || late[0].Message.Text != "are you there?" {
		t.Errorf("after Start: %+v", late)
	}
	if m, ok := s.Message(id); !ok || m.Text != "hello" {
		t.Errorf("the message is lost: %+v", m)
	}
	s.Stop()
	s.Stop()
}
