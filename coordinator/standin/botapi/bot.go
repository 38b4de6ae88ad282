package botapi

import (
	"encoding/json"
	"regexp"
	"strings"
)

func (s *Server) getMe(request) (any, error) {
	return struct {
		apiUser
		CanJoin   bool `json:"can_join_groups"`
		ReadsAll  bool `json:"can_read_all_group_messages"`
		Inline    bool `json:"supports_inline_queries"`
		HasTopics bool `json:"has_topics_enabled"`
	}{apiUser: renderBot(), CanJoin: true}, nil
}

func (s *Server) setWebhook(r request) (any, error) {
	s.webhook = r.params["url"]
	s.dropPending(r)
	return true, nil
}

func (s *Server) deleteWebhook(r request) (any, error) {
	s.webhook = ""
	s.dropPending(r)
	return true, nil
}

func (s *Server) dropPending(r request) {
	if r.yes("drop_pending_updates") {
		s.queue = nil
	}
}

func (s *Server) getWebhookInfo(request) (any, error) {
	return map[string]any{
		"url": s.webhook, "has_custom_certificate": false, "pending_update_count": len(s.queue),
	}, nil
}

func (s *Server) setMyCommands(r request) (any, error) {
	var list []struct {
		Command     string `json:"command"`
		Description string `json:"description"`
	}
	raw := r.params["commands"]
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		return nil, badRequest("can't parse commands JSON object")
	}
	if len(list) > 100 {
		return nil, badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	for _, c := range list {
		name := strings.TrimPrefix(c.Command, "/")
		if !commandName.MatchString(name) {
			return nil, badRequest("BOT_COMMAND_INVALID")
		}
		if n := units(c.Description); n == 0 || n > 256 {
			return nil, badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	s.commands = []byte(raw)
	return true, nil
}

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

func (s *Server) getMyCommands(request) (any, error) {
	if s.commands == nil {
		return []any{}, nil
	}
	return json.RawMessage(s.commands), nil
}

func (s *Server) getChat(r request) (any, error) {
	c, err := s.chat(r.params)
	if err == nil && c.removed {
		err = s.refusal(c)
	}
	if err != nil {
		return nil, err
	}
	return struct {
		apiChat
		Accent    int `json:"accent_color_id"`
		Reactions int `json:"max_reaction_count"`
	}{s.renderChat(c.ID), 0, 11}, nil
}
