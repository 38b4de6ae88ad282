package session

// DenyLoop is the number of denials of one rule in a turn that counts as a loop: the
// model tries the same thing in other forms.
const DenyLoop = 3

// maxDenied bounds how many rules are counted in a turn.
const maxDenied = 64

// Denials counts what the guard denied in one turn.
type Denials struct {
	Turn  string   `json:"turn,omitempty"` // the host's prompt_id
	Rules []Denied `json:"rules,omitempty"`
}

// Denied is one rule with the number of its denials.
type Denied struct {
	Rule  string `json:"rule"`
	Times int    `json:"times"`
}

// Deny returns s with one more denial of a rule in a turn, and the number of such
// denials in that turn.
func Deny(s Session, turn, rule string) (Session, int) {
	var rules []Denied
	if s.Denials.Turn == turn {
		rules = append(rules, s.Denials.Rules...)
	}
	s.Denials = Denials{Turn: turn, Rules: rules}
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
