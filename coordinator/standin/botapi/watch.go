package botapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Message is one message as the people in its chat see it.
type Message struct {
	ID      int
	Chat    int64
	Thread  int   // message_thread_id, 0 in the general topic
	From    int64 // user id; BotID for the bot, 0 for a channel
	ReplyTo int   // id of the message it answers, or 0

	Text     string   // text or caption after entity parsing, as shown
	Raw      string   // text or caption as the bot sent it
	Mode     string   // parse_mode as the bot sent it
	Entities []Entity // what the parsing found
	Keyboard [][]Button
	Document *Document // nil for a text message
	Silent   bool      // disable_notification

	Sent    time.Time
	Edits   []Edit // the states after each edit, in order; the fields above are current
	Deleted bool

	kind   string // "", "sticker", "photo", "voice", "channel_post", "moved", "left" or "joined"
	origin *origin
	// Of a group that has become a supergroup: the one in the other's chat.
	movedTo, movedFrom int64
	first              [][]Button // the keyboard it was sent with
}

// A Button is one inline button. Exactly one of Data and URL is set.
type Button struct {
	Label string
	Data  string
	URL   string
}

// A Document is an uploaded file.
type Document struct {
	Name string
	Data []byte
}

// An Edit is the state that one editing call left behind.
type Edit struct {
	At       time.Time
	Method   string
	Text     string
	Keyboard [][]Button
}

// A CallbackAnswer is one successful answerCallbackQuery: what the person saw
// in reaction to a tap.
type CallbackAnswer struct {
	QueryID string
	User    int64
	Message int    // the tapped message
	Data    string // of the tapped button
	Text    string
	Alert   bool
	At      time.Time
}

// A Call is one request of the bot, accepted or refused.
type Call struct {
	At          time.Time
	Method      string            // as the bot wrote it
	Params      map[string]string // composite values as their JSON text
	Files       []string          // names of uploaded files
	Code        int               // 200, or the error code; 0 when a fault left no answer
	Description string            // of the error
}

// Labels returns the labels of all buttons, row by row, and is how tests read a
// keyboard.
func (m Message) Labels() []string {
	var labels []string
	for _, row := range m.Keyboard {
		for _, b := range row {
			labels = append(labels, b.Label)
		}
	}
	return labels
}

// Messages returns what the bot sent to a chat, in order, deleted ones
// included and marked.
func (s *Server) Messages(chat int64) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Message
	for _, id := range s.order {
		if m := s.messages[id]; m.Chat == chat && m.From == botID {
			found = append(found, m.copy())
		}
	}
	return found
}

// Message returns one message by id, whoever sent it.
func (s *Server) Message(id int) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.messages[id]
	if !ok {
		return Message{}, false
	}
	return m.copy(), true
}

// CallbackAnswers returns the answers to taps, in order.
func (s *Server) CallbackAnswers() []CallbackAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

// Calls returns every finished request but getUpdates (see Polls), in the order
// in which they were answered.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Polls counts the getUpdates requests so far.
func (s *Server) Polls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls
}

// Waiting reports whether a long poll is open now.
func (s *Server) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll != nil
}

// Pending counts the updates that the bot has not confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Await returns the first message of the bot, in any chat, that matches: one
// that is there already, or one that is sent or edited into matching later.
// When ctx ends first, the error says what the bot did send. The match runs
// under the server's lock and must not call the server.
func (s *Server) Await(ctx context.Context, match func(Message) bool) (Message, error) {
	var found Message
	err := s.until(ctx, func() bool {
		for _, id := range s.order {
			m := s.messages[id]
			if m.From == botID && match(m.copy()) {
				found = m.copy()
				return true
			}
		}
		return false
	})
	if err != nil {
		return Message{}, fmt.Errorf("await message: %w; %s", err, s.seen())
	}
	return found, nil
}

// AwaitAnswer returns the first answer to a tap that matches, now or later.
// Like Await's, the match must not call the server.
func (s *Server) AwaitAnswer(ctx context.Context, match func(CallbackAnswer) bool) (CallbackAnswer, error) {
	var found CallbackAnswer
	err := s.until(ctx, func() bool {
		i := slices.IndexFunc(s.answers, match)
		if i < 0 {
			return false
		}
		found = s.answers[i]
		return true
	})
	if err != nil {
		return CallbackAnswer{}, fmt.Errorf("await callback answer: %w; saw %+v", err, s.CallbackAnswers())
	}
	return found, nil
}

// AwaitCall returns the first finished request that matches, now or later. Like
// Await's, the match must not call the server.
func (s *Server) AwaitCall(ctx context.Context, match func(Call) bool) (Call, error) {
	var found Call
	err := s.until(ctx, func() bool {
		i := slices.IndexFunc(s.calls, match)
		if i < 0 {
			return false
		}
		found = s.calls[i]
		return true
	})
	if err != nil {
		return Call{}, fmt.Errorf("await call: %w", err)
	}
	return found, nil
}

// AwaitPoll returns when a long poll is open: from then on the bot hears at
// once what people do.
func (s *Server) AwaitPoll(ctx context.Context) error {
	if err := s.until(ctx, func() bool { return s.poll != nil }); err != nil {
		return fmt.Errorf("await long poll: %w", err)
	}
	return nil
}

// AwaitPolls returns when the bot has called getUpdates n times in all.
func (s *Server) AwaitPolls(ctx context.Context, n int) error {
	if err := s.until(ctx, func() bool { return s.polls >= n }); err != nil {
		return fmt.Errorf("await %d getUpdates, had %d: %w", n, s.Polls(), err)
	}
	return nil
}

// AwaitConfirmed returns when the bot has confirmed every update: each was
// taken, and none will come again.
func (s *Server) AwaitConfirmed(ctx context.Context) error {
	if err := s.until(ctx, func() bool { return len(s.queue) == 0 }); err != nil {
		return fmt.Errorf("await confirmed updates, %d pending: %w", s.Pending(), err)
	}
	return nil
}

// AwaitFaults returns when the bot has run into every fault set so far: what
// Hang keeps is then hanging.
func (s *Server) AwaitFaults(ctx context.Context) error {
	err := s.until(ctx, func() bool {
		for _, waiting := range s.faults {
			if len(waiting) > 0 {
				return false
			}
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("await faults: %w", err)
	}
	return nil
}

// until returns when cond holds, which is asked under mu at each change.
func (s *Server) until(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		met, changed := cond(), s.changed
		s.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// seen lists what the bot sent, for the error of an Await that ran out.
func (s *Server) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	b.WriteString("the bot sent:")
	for _, id := range s.order {
		if m := s.messages[id]; m.From == botID {
			fmt.Fprintf(&b, "\n  #%d to %d: %.200q %q", m.ID, m.Chat, m.Text, m.Labels())
		}
	}
	return b.String()
}

// copy gives the caller a message that later edits do not reach.
func (m *Message) copy() Message {
	c := *m
	c.Entities = slices.Clone(m.Entities)
	c.Edits = slices.Clone(m.Edits)
	return c
}
