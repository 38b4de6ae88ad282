package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPromptContext: a late answer and a text that wait for the same prompt
// reach the model in one output, and the text stands last: nothing of ours
// follows the line that calls what is below it the person's words.
func TestPromptContext(t *testing.T) {
	const late, text = "the person has meanwhile allowed it", "use the other branch"
	for name, c := range map[string]struct{ prompt, take, first, last string }{
		"neither":               {`{}`, `{"text":"use the other branch","by":"Ada"}`, "", ""},
		"late":                  {`{"context":"` + late + `"}`, `{}`, late, late},
		"text":                  {`{"texts":1}`, `{"text":"` + text + `","by":"Ada"}`, "Ada, the person", text},
		"both":                  {`{"texts":1,"context":"` + late + `"}`, `{"text":"` + text + `","by":"Ada"}`, late, text},
		"text taken by another": {`{"texts":1,"context":"` + late + `"}`, `{}`, late, late},
	} {
		t.Run(name, func(t *testing.T) {
			root := homeDir(t)
			impostor(t, root, another(map[string]string{
				"hook.prompt":       `{"v":1,"code":"","body":` + c.prompt + `}`,
				"hook.message.take": `{"v":1,"code":"","body":` + c.take + `}`,
			}, `{"v":1,"code":"unknown_op","error":"?"}`))
			r := runHook(t, "hook-user-prompt-submit", root, attended, strings.NewReader(payload("UserPromptSubmit", `,"prompt":"hi"`)))
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
