package model

import "strings"

// Judge lets fn decide which calls the client's auto mode refuses. fn returns the name of
// the rule that forbids the call, in letters, digits and spaces, or "" to allow the call.
// Without fn, all calls are allowed. The newest call is the last line of Request.Judged.
func (s *Server) Judge(fn func(Request) (rule string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judge = fn
}

// The texts with which the clients ask for a verdict: a grade from 0 to 100 with the limit
// at 50, or a plain yes.
const (
	asksGrade = "<severity>"
	asksBlock = "<block>"
)

// Judges reports whether the client's auto mode asks for a verdict. Only a client with
// CLAUDE_CODE_AUTO_MODE_SERVER=0, or an old one, asks the model.
func (r Request) Judges() bool { return len(r.Tools) == 0 && !r.Formatted && r.verdictForm() != "" }

// Judged returns the transcript for which a verdict is requested.
func (r Request) Judged() string { return strings.Join(r.From("user"), "") }

func (r Request) verdictForm() string {
	if len(r.Messages) == 0 {
		return ""
	}
	for _, b := range r.Messages[len(r.Messages)-1].Blocks {
		for _, form := range []string{asksGrade, asksBlock} {
			if strings.Contains(b.Text, form) {
				return form
			}
		}
	}
	return ""
}

// verdict returns the answer in the requested form.
func (s *Server) verdict(r Request) Turn {
	s.mu.Lock()
	fn := s.judge
	s.mu.Unlock()
	rule := ""
	if fn != nil {
		rule = fn(r)
	}
	switch grade := r.verdictForm() == asksGrade; {
	case grade && rule == "":
		return Say("<severity>5</severity>")
	case grade:
		return Say("<severity>95</severity><category>" + rule + "</category>")
	case rule == "":
		return Say("<block>no</block>")
	}
	return Say("<block>yes</block><reason>[" + rule + "]</reason>")
}
