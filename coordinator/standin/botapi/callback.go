package botapi

import (
	"strconv"
	"time"
)

const maxCallbackText = 200

// A query is one tap that waits for its answer.
type query struct {
	user    int64
	message int
	data    string
	at      time.Time
	closed  bool // answered, or too old
}

// ExpireCallbacks makes every tap so far too old for an answer, as a tap is after a quarter
// of an hour.
func (s *Server) ExpireCallbacks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.queries {
		q.closed = true
	}
	s.wake()
}

// addQuery makes the update of a tap. The caller holds mu.
func (s *Server) addQuery(u *User, messageID int, data string) string {
	s.lastQry++
	id := strconv.FormatInt(s.lastQry, 10)
	m := s.messages[messageID]
	s.queries[id] = &query{user: u.ID, message: m.ID, data: data, at: time.Now()}
	s.enqueue("callback_query", map[string]any{
		"id":            id,
		"from":          u.render(),
		"message":       s.renderTapped(m),
		"chat_instance": strconv.FormatInt(m.Chat*7+1, 10),
		"data":          data,
	})
	return id
}

// renderTapped shows a deleted message as inaccessible, with a date of 0.
func (s *Server) renderTapped(m *Message) any {
	if !m.Deleted {
		return s.render(m)
	}
	return map[string]any{"chat": s.renderChat(m.Chat), "message_id": m.ID, "date": 0}
}

func (s *Server) answerCallbackQuery(r request) (any, error) {
	id, text := r.params["callback_query_id"], r.params["text"]
	q, ok := s.queries[id]
	switch {
	case !ok || q.closed || time.Since(q.at) > s.queryTTL:
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	case units(text) > maxCallbackText:
		return nil, badRequest("MESSAGE_TOO_LONG")
	case r.params["url"] != "":
		return nil, badRequest("URL_INVALID")
	}
	q.closed = true
	s.answers = append(s.answers, CallbackAnswer{
		QueryID: id, User: q.user, Message: q.message, Data: q.data,
		Text: text, Alert: r.yes("show_alert"), At: time.Now(),
	})
	return true, nil
}
