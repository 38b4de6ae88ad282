package model

import "strings"

// Judge lets fn say which calls the client's auto mode refuses: the name of the
// rule that forbids the call, in letters, digits and spaces, or "" to let it
// run, which is also the answer without a fn. The newest call is the last line
// of Request.Judged.
func (s *Server) Judge(fn func(Request) (rule string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judge = fn
}

// The words with which the clients ask for a verdict: a grade of 0 to 100 with
// the line at 50, or a plain yes.
const (
	asksGrade = "<severity>"
	asksBlock = "<block>"
)

// Judges tells whether the client's auto mode wants a call judged. Only a
// client with CLAUDE_CODE_AUTO_MODE_SERVER=0, or an old one, asks the model.
func (r Request) Judges() bool { return len(r.Tools) == 0 && !r.Formatted && r.verdictForm() != "" }

// Judged is the transcript that a verdict is wanted on.
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

// verdict is the answer in the form that was asked for.
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
