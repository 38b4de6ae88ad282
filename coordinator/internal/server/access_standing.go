package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// allowOwner returns an error unless the session v itself or the person makes a call.
func (s *Server) allowOwner(c *call, v session.Session) error {
	if by, _ := s.callers.Author(c.line); by.ID != "" && by.ID == v.ID {
		return nil
	}
	return s.allowPerson(c)
}

// allowStanding returns an error unless the person makes a call, where their answers count.
// The error says where the person can do it.
func (s *Server) allowStanding(c *call) error {
	if err := s.allowPerson(c); err != nil {
		return err
	}
	if err := s.allowHere(c); err != nil {
		return fmt.Errorf("%w; %s", err, s.elsewhere(c.op))
	}
	return nil
}

// A way is how a person does something with an operation on the page and on the phone, "" where
// they cannot.
type way struct{ page, phone string }

// ways are the ways to the operations that need a channel whose answers count.
var ways = map[string]way{
	string(wire.OpTaskNew):          {page: "Tasks", phone: "/task TEXT"},
	string(wire.OpTaskStart):        {page: "Tasks", phone: "/tasks"},
	string(wire.OpRunStart):         {page: "Runs", phone: "/run TEXT"},
	string(wire.OpMemoryAdd):        {page: "Memory", phone: "/remember TEXT"},
	string(wire.OpMemoryForget):     {page: "Memory"},
	string(wire.OpSuggestionAccept): {page: "Suggestions", phone: "/suggestions"},
	string(wire.OpTriggerOn):        {page: "Triggers", phone: "/triggers, for a rule that you had approved"},
	string(wire.OpTriggerFire):      {page: "Triggers"},
	string(wire.OpModuleEnable):     {page: "Modules", phone: "/modules, for a folder that you had enabled"},
}

// elsewhere says where a person can do something whose operation is refused at a channel.
func (s *Server) elsewhere(op string) string {
	from, found := s.cfg.Core.Settings().AnswersFrom, []string{}
	if way := ways[op].phone; way != "" && slices.Contains(from, telegram) {
		found = append(found, "on the phone: "+way)
	}
	if way := ways[op].page; way != "" && slices.Contains(from, web) {
		found = append(found, "on the page: "+way)
	}
	if slices.Contains(from, terminal) {
		found = append(found, "at a terminal")
	}
	if len(found) == 0 {
		return `it is done at a terminal alone: add "terminal" to answers_from, then afar restart`
	}
	return "do it " + strings.Join(found, ", or ")
}
