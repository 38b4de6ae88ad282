package session

import "slices"

// DenyLoop is the number of denials of one rule in a turn that counts as a loop: the
// model tries the same thing in other forms.
const DenyLoop = 3

// maxDenied bounds how many rules are counted in a turn.
const maxDenied = 64

// Denials counts what was refused in one turn.
type Denials struct {
	Turn  string   `json:"turn,omitempty"` // the host's prompt_id
	Rules []Denied `json:"rules,omitempty"`
	// Row counts the refusals of the guard and the person since the person last allowed a call.
	Row int `json:"row,omitempty"`
}

// Denied is one rule with the number of its denials.
type Denied struct {
	Rule  string `json:"rule"`
	Times int    `json:"times"`
}

// Deny returns s with one more denial of a rule in a turn, and the number of such
// denials in that turn.
func Deny(s Session, turn, rule string) (Session, int) {
	s = Answered(s, turn, false)
	rules := slices.Clone(s.Denials.Rules)
	s.Denials.Rules = rules
	for i := range rules {
		if rules[i].Rule == rule {
			rules[i].Times++
			return s, rules[i].Times
		}
	}
	if len(rules) < maxDenied {
		s.Denials.Rules = append(rules, Denied{rule, 1})
	}
	return s, 1
}

// Answered returns s after a call of a turn was allowed by the person, or refused. Calls that
// nobody has to allow do not count.
func Answered(s Session, turn string, allowed bool) Session {
	if s.Denials.Turn != turn {
		s.Denials = Denials{Turn: turn}
	}
	s.Denials.Row++
	if allowed {
		s.Denials.Row = 0
	}
	return s
}
