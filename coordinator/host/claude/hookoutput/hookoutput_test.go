package hookoutput

import "testing"

// TestBlockPrompt: the terminal shows the reason and not the prompt.
func TestBlockPrompt(t *testing.T) {
	want := `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true},` +
		`"decision":"block","reason":"no"}`
	if got := string(BlockPrompt("UserPromptSubmit", "no").Bytes()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
