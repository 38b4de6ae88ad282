package telegram

import "github.com/afar-sh/afar/coordinator/internal/ask"

// planRows returns the buttons that answer a plan. A reply sends the plan back with the
// person's words.
func planRows(a ask.Ask) [][]button {
	return [][]button{
		{{"Approve ✅ (it asks before edits)", callback{approvePlan, a.Nonce, "y"}.String()}},
		{{"Approve and accept edits ✏️", callback{approvePlan, a.Nonce, "e"}.String()}},
		{{"Deny ⛔", answerData(a.Nonce, deny)}},
	}
}
