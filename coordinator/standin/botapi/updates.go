package botapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	maxBatch   = 100
	maxTimeout = 50 * time.Second
)

// A queued update waits until the bot confirms it.
type queued struct {
	id  int64
	raw json.RawMessage
}

// A longPoll is the one open getUpdates.
type longPoll struct {
	ended bool // a newer one took its place; guarded by mu
}

// hiddenByDefault are the kinds that a bot gets only when it names them.
var hiddenByDefault = []string{"chat_member", "message_reaction", "message_reaction_count"}

// Inject queues any JSON object as one update, regardless of allowed_updates. An object
// without update_id gets the next one. Inject returns the update_id. It returns an error if
// raw is not a JSON object or its update_id is too low.
func (s *Server) Inject(raw string) (updateID int64, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		return 0, fmt.Errorf("inject update: %w", err)
	}
	if fields == nil {
		return 0, errors.New("inject update: not a JSON object")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if given, ok := fields["update_id"]; ok {
		if err := json.Unmarshal(given, &updateID); err != nil {
			return 0, fmt.Errorf("inject update: read update_id: %w", err)
		}
		if updateID < s.nextUpd {
			return 0, fmt.Errorf("inject update: update_id %d is not above the last, %d", updateID, s.nextUpd-1)
		}
		s.push(updateID, json.RawMessage(raw))
		return updateID, nil
	}
	updateID = s.nextUpd
	s.push(updateID, withID(updateID, []byte(raw)))
	return updateID, nil
}

// enqueue makes an update of a kind that the bot asked for. The caller holds mu.
func (s *Server) enqueue(kind string, value any) {
	defer s.wake()
	isHidden := !s.allowed[kind]
	if s.allowed == nil {
		isHidden = slices.Contains(hiddenByDefault, kind)
	}
	if isHidden {
		return
	}
	body, err := json.Marshal(map[string]any{kind: value})
	if err != nil {
		panic(fmt.Sprintf("botapi: encode %s: %v", kind, err)) // unreachable: plain values only
	}
	s.push(s.nextUpd, withID(s.nextUpd, body))
}

func (s *Server) push(id int64, raw json.RawMessage) {
	s.queue = append(s.queue, queued{id, raw})
	s.nextUpd = id + 1
	s.wake()
}

// withID puts update_id in front of an object's own fields.
func withID(id int64, object []byte) json.RawMessage {
	rest := bytes.TrimSpace(bytes.TrimSpace(object)[1:])
	sep := ","
	if rest[0] == '}' {
		sep = ""
	}
	return fmt.Appendf(nil, `{"update_id":%d%s%s`, id, sep, rest)
}

type pollRequest struct {
	offset  int64
	limit   int
	timeout time.Duration
}

// getUpdates is the one method that waits, so it runs without mu. Stop ends it
// through ctx: net/http cancels it as the connection closes.
func (s *Server) getUpdates(ctx context.Context, p params) (any, error) {
	req, err := s.readPoll(p)
	if err != nil {
		return nil, err
	}
	me, err := s.beginPoll(req)
	if err != nil {
		return nil, err
	}
	defer s.endPoll(me)
	deadline := time.NewTimer(req.timeout)
	defer deadline.Stop()
	for {
		batch, changed, err := s.batch(me, req)
		if err != nil || len(batch) > 0 || req.timeout <= 0 {
			return batch, err
		}
		select {
		case <-changed:
		case <-deadline.C:
			return batch, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Server) readPoll(p params) (pollRequest, error) {
	offset, err := p.integer("offset")
	if err != nil {
		return pollRequest{}, err
	}
	limit, err := p.integer("limit")
	if err != nil {
		return pollRequest{}, err
	}
	timeout, err := p.integer("timeout")
	if err != nil {
		return pollRequest{}, err
	}
	if limit <= 0 || limit > maxBatch {
		limit = maxBatch
	}
	wait := min(max(0, time.Duration(min(timeout, 3600))*time.Second), maxTimeout)
	return pollRequest{offset: offset, limit: int(limit), timeout: wait}, s.readAllowed(p)
}

// readAllowed remembers allowed_updates: absent keeps what was set, empty goes
// back to the default set.
func (s *Server) readAllowed(p params) error {
	raw, ok := p["allowed_updates"]
	if !ok || raw == "" {
		return nil
	}
	var kinds []string
	if err := json.Unmarshal([]byte(raw), &kinds); err != nil {
		return badRequest("can't parse list of allowed updates")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = nil
	for _, k := range kinds {
		if s.allowed == nil {
			s.allowed = map[string]bool{}
		}
		s.allowed[k] = true
	}
	return nil
}

// beginPoll confirms the updates before the offset and replaces any older poll.
func (s *Server) beginPoll(req pollRequest) (*longPoll, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls++
	defer s.wake()
	if s.webhook != "" {
		return nil, &apiError{code: http.StatusConflict, text: "Conflict: can't use getUpdates method " +
			"while webhook is active; use deleteWebhook to delete the webhook first"}
	}
	if s.poll != nil {
		s.poll.ended = true
		s.poll = nil
	}
	s.confirm(req.offset)
	me := &longPoll{}
	if req.timeout > 0 {
		s.poll = me
	}
	return me, nil
}

func (s *Server) endPoll(me *longPoll) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll == me {
		s.poll = nil
		s.wake()
	}
}

// confirm forgets the updates before offset; a negative one keeps that many
// from the end. The caller holds mu.
func (s *Server) confirm(offset int64) {
	if offset < 0 {
		s.queue = s.queue[max(0, int64(len(s.queue))+offset):]
		return
	}
	for len(s.queue) > 0 && s.queue[0].id < offset {
		s.queue = s.queue[1:]
	}
}

// batch returns the first unconfirmed updates, which stay in the queue, or the
// conflict that ended this poll.
func (s *Server) batch(me *longPoll, req pollRequest) ([]json.RawMessage, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if me.ended {
		return nil, nil, &apiError{
			code: http.StatusConflict,
			text: "Conflict: terminated by other getUpdates request; " +
				"make sure that only one bot instance is running",
		}
	}
	out := []json.RawMessage{}
	for _, u := range s.queue[:min(len(s.queue), req.limit)] {
		out = append(out, u.raw)
	}
	return out, s.changed, nil
}

// DropUpdates forgets the updates that the bot has not confirmed, as Telegram does after a day.
func (s *Server) DropUpdates() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = nil
}
