package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPromptContext: a late answer and a text that wait for the same prompt reach the
// model in one output. The text comes last: only the person's words follow the line that
// announces them.
func TestPromptContext(t *testing.T) {
	const late, text = "the person has meanwhile allowed it", "use the other branch"
	const (
		taken      = `{"text":"` + text + `","by":"Ada"}`
		twoWaiting = `{"texts":1,"context":"` + late + `"}`
	)
	for name, c := range map[string]struct{ prompt, take, first, last string }{
		"neither":               {`{}`, taken, "", ""},
		"late":                  {`{"context":"` + late + `"}`, `{}`, late, late},
		"text":                  {`{"texts":1}`, taken, "Ada, the person", text},
		"both":                  {twoWaiting, taken, late, text},
		"text taken by another": {twoWaiting, `{}`, late, late},
	} {
		t.Run(name, func(t *testing.T) {
			root := homeDir(t)
			impostor(t, root, replying(map[string]string{
				"hook.prompt":       `{"v":1,"code":"","body":` + c.prompt + `}`,
				"hook.message.take": `{"v":1,"code":"","body":` + c.take + `}`,
			}, `{"v":1,"code":"unknown_op","error":"?"}`))
			in := payload("UserPromptSubmit", `,"prompt":"hi"`)
			r := runHook(t, "hook-user-prompt-submit", root, attended, in)
			if c.first == "" {
				nothing.check(t, r)
				return
			}
			var out struct {
				Hook struct{ AdditionalContext string } `json:"hookSpecificOutput"`
			}
			if err := json.Unmarshal([]byte(r.stdout), &out); r.code != 0 || err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			if got := out.Hook.AdditionalContext; !strings.HasPrefix(got, c.first) || !strings.HasSuffix(got, c.last) {
				t.Errorf("the model reads %q", got)
			}
		})
	}
}
