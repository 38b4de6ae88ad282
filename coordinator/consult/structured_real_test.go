//go:build unix

package consult

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealAskJSON asks the real client: it offers its model no tool but the one for the answer,
// runs no hook, and says what it cost. An error of the API is told in its words.
func TestRealAskJSON(t *testing.T) {
	client := host.Need(t, host.Current)
	server, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	lab := host.NewLab(t, client, server.URL(), host.Opts{Settings: map[string]any{"hooks": map[string]any{
		"SessionStart": []any{map[string]any{"hooks": []any{
			map[string]any{"type": "command", "command": "touch ~/ran"},
		}}},
	}}})
	program, err := Named(client)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Programs: []Program{program}, Env: lab.Env(), Timeout: 2 * time.Minute}
	var value map[string]any
	if err := json.Unmarshal([]byte(fits), &value); err != nil {
		t.Fatal(err)
	}
	server.Script(func(r model.Request) model.Turn {
		if strings.Contains(r.Prompt(), "words") {
			return model.Fail(400, "the model is out of order")
		}
		return model.Call("StructuredOutput", value)
	})
	got, err := AskJSON(t.Context(), c, "which?", verdicts)
	if err != nil || schema.Check(verdicts, got.JSON) != nil || got.CostUSD <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, r := range server.Turns() {
		others := slices.DeleteFunc(slices.Clone(r.Tools), func(name string) bool {
			return name == "StructuredOutput" || name == "DeferredToolPlaceholder"
		})
		if len(others) > 0 || !strings.Contains(r.Prompt(), "which?") {
			t.Errorf("tools %v, prompt %q", r.Tools, r.Prompt())
		}
	}
	if _, err := AskJSON(t.Context(), c, "in words", verdicts); err == nil ||
		!strings.Contains(err.Error(), "out of order") {
		t.Errorf("an error of the API: %v", err)
	}
}
