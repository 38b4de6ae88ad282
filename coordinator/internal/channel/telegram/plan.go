package telegram

import "github.com/afar-sh/afar/coordinator/internal/ask"

// planRows are the ways to answer a plan; a reply sends it back with its words.
func planRows(a ask.Ask) [][]button {
	return [][]button{
		{{"Approve ✅", "p:" + a.Nonce + ":y"}},
		{{"Approve and accept edits ✏️", "p:" + a.Nonce + ":e"}},
		{{"Deny ⛔", data(a.Nonce, deny)}},
	}
}
