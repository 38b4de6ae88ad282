package telegram

import "github.com/afar-sh/afar/coordinator/internal/ask"

// planRows are the ways to answer a plan; a reply sends it back with its words.
func planRows(a ask.Ask) [][]button {
	return [][]button{
		{{"Approve ✅", callback{approvePlan, a.Nonce, "y"}.String()}},
		{{"Approve and accept edits ✏️", callback{approvePlan, a.Nonce, "e"}.String()}},
		{{"Deny ⛔", answerData(a.Nonce, deny)}},
	}
}
