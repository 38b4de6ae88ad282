package botapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An apiError is a refusal in Telegram's words.
type apiError struct {
	code       int
	text       string
	retryAfter int
	movedTo    int64 // the supergroup that the chat has become
}

func (e *apiError) Error() string { return e.text }

func badRequest(format string, args ...any) *apiError {
	return &apiError{code: http.StatusBadRequest, text: "Bad Request: " + fmt.Sprintf(format, args...)}
}

func forbidden(text string) *apiError {
	return &apiError{code: http.StatusForbidden, text: "Forbidden: " + text}
}

func unparsable(format string, args ...any) *apiError {
	return badRequest("can't parse entities: "+format, args...)
}

// A handler serves one life of the server, from Start to Stop.
type handler struct {
	s    *Server
	stop <-chan struct{}
}

// ServeHTTP answers /bot<token>/<method>, and where files are fetched.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.begin() {
		panic(http.ErrAbortHandler)
	}
	defer h.s.busy.Done()
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		h.serveFile(w, rest)
		return
	}
	name, err := h.route(r.URL.Path)
	if err != nil {
		respond(w, nil, err)
		return
	}
	req, err := readRequest(w, r)
	if err != nil {
		h.s.record(name, req, err)
		respond(w, nil, err)
		return
	}
	f, hit := h.s.takeFault(strings.ToLower(name))
	if hit && h.fail(w, r.Context(), name, req, f) {
		return
	}
	result, err := h.call(r.Context(), name, req)
	if errors.Is(err, context.Canceled) { // nobody is there to be answered
		panic(http.ErrAbortHandler)
	}
	if hit && h.spoil(r.Context(), w, f, result) {
		return
	}
	respond(w, result, err)
}

// begin counts the request as running. It returns false if the network is cut.
func (h handler) begin() bool {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	select {
	case <-h.stop:
		return false
	default:
	}
	h.s.busy.Add(1)
	return true
}

func (h handler) route(path string) (method string, err error) {
	rest, ok := strings.CutPrefix(path, "/bot")
	if !ok {
		return "", &apiError{code: http.StatusNotFound, text: "Not Found"}
	}
	token, method, ok := strings.Cut(rest, "/")
	switch {
	case !ok || method == "":
		return "", &apiError{code: http.StatusNotFound, text: "Not Found"}
	case token != h.s.token:
		return "", &apiError{code: http.StatusUnauthorized, text: "Unauthorized"}
	case strings.ToLower(method) != "getupdates" && h.s.method(method) == nil:
		return "", &apiError{code: http.StatusNotFound, text: "Not Found"}
	}
	return method, nil
}

// fail does the part of a fault before the call. It reports whether the call ends there.
func (h handler) fail(w http.ResponseWriter, ctx context.Context, name string, req request, f fault) bool {
	switch f.kind {
	case faultError:
		h.s.record(name, req, f.err)
		respond(w, nil, f.err)
	case faultGarbage:
		h.s.record(name, req, &apiError{text: "garbage"})
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body>\r\n</html>\r\n")
	case faultReset:
		h.s.record(name, req, &apiError{text: "reset"})
		reset(w)
	case faultHang:
		h.hang(ctx, f)
		return false
	default:
		return false
	}
	return true
}

// hang returns when the fault is released, and aborts the request when the bot
// or the network went away first.
func (h handler) hang(ctx context.Context, f fault) {
	select {
	case <-f.release:
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

// spoil does the part of a fault after the call, which damages the answer.
func (h handler) spoil(ctx context.Context, w http.ResponseWriter, f fault, result any) bool {
	switch f.kind {
	case faultWithhold:
		close(f.release)
		select {
		case <-ctx.Done():
		case <-h.stop:
		}
		panic(http.ErrAbortHandler)
	case faultDrop:
		reset(w)
	case faultTruncate:
		whole, _ := json.Marshal(map[string]any{"ok": true, "result": result})
		_, _ = w.Write(whole[:len(whole)/2])
	default:
		return false
	}
	return true
}

// reset closes the connection so that the other side sees it reset.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func respond(w http.ResponseWriter, result any, err error) {
	body := map[string]any{"ok": true, "result": result}
	code := http.StatusOK
	if err != nil {
		e := refusal(err)
		code = e.code
		body = map[string]any{"ok": false, "error_code": e.code, "description": e.text}
		switch {
		case e.retryAfter > 0:
			body["parameters"] = map[string]int{"retry_after": e.retryAfter}
		case e.movedTo != 0:
			body["parameters"] = map[string]int64{"migrate_to_chat_id": e.movedTo}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// It does not matter if the bot hung up in the meantime.
	_ = json.NewEncoder(w).Encode(body)
}

// refusal returns the answer to an error. An error that is not one of Telegram's is a bug in
// this package, and the answer says so.
func refusal(err error) *apiError {
	var e *apiError
	if errors.As(err, &e) {
		return e
	}
	return &apiError{code: http.StatusInternalServerError, text: "Internal Server Error: " + err.Error()}
}

// record logs a call that was refused before it was carried out.
func (s *Server) record(name string, req request, err error) {
	if strings.EqualFold(name, "getUpdates") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log(name, req, err)
}

// log stores a finished call and wakes all waiters, under mu.
func (s *Server) log(name string, req request, err error) {
	c := Call{At: time.Now(), Method: name, Params: req.params, Code: http.StatusOK}
	c.Files = slices.Sorted(maps.Keys(req.files))
	for i, field := range c.Files {
		c.Files[i] = req.files[field].Name
	}
	if err != nil {
		e := refusal(err)
		c.Code, c.Description = e.code, e.text
	}
	s.calls = append(s.calls, c)
	s.wake()
}

// call carries out one method.
func (h handler) call(ctx context.Context, name string, req request) (any, error) {
	if strings.EqualFold(name, "getUpdates") {
		return h.s.getUpdates(ctx, req.params)
	}
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	result, err := h.s.method(name)(req)
	h.s.log(name, req, err) // at once: who sees what the call did sees the call
	return result, err
}

// method returns what a method does, under mu, or nil when there is no such
// method here.
func (s *Server) method(name string) func(request) (any, error) {
	return map[string]func(request) (any, error){
		"getme":                  s.getMe,
		"setwebhook":             s.setWebhook,
		"deletewebhook":          s.deleteWebhook,
		"getwebhookinfo":         s.getWebhookInfo,
		"setmycommands":          s.setMyCommands,
		"getmycommands":          s.getMyCommands,
		"sendmessage":            s.sendMessage,
		"senddocument":           s.sendDocument,
		"sendchataction":         s.sendChatAction,
		"editmessagetext":        s.editMessageText,
		"editmessagecaption":     s.editMessageCaption,
		"editmessagereplymarkup": s.editMessageReplyMarkup,
		"deletemessage":          s.deleteMessage,
		"setmessagereaction":     s.setMessageReaction,
		"answercallbackquery":    s.answerCallbackQuery,
		"getchat":                s.getChat,
		"getchatmember":          s.getChatMember,
		"getfile":                s.getFile,
		"createforumtopic":       s.createForumTopic,
		"editforumtopic":         s.editForumTopic,
		"closeforumtopic":        s.closeForumTopic,
		"reopenforumtopic":       s.reopenForumTopic,
	}[strings.ToLower(name)]
}
