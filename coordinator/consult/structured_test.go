package consult

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/standin/consultant"
)

// verdicts is a schema with each kind of value that a question uses.
var verdicts = schema.Object(map[string]schema.Schema{
	"items": schema.Array(schema.Object(map[string]schema.Schema{
		"id":   schema.Text(5, "which one"),
		"what": schema.OneOf("keep", "drop"),
		"sure": schema.YesOrNo(),
	}), 2),
})

const fits = `{"items":[{"id":"a","what":"keep","sure":true}]}`

// TestAskJSON: each program answers in the same form. An answer of another form is an error, and
// the cost counts all the same.
func TestAskJSON(t *testing.T) {
	for _, c := range []struct {
		name  string
		says  map[string]string
		by    string
		want  string // part of the error
		cents float64
	}{
		{"claude", map[string]string{"claude": fits}, "claude", "", 2},
		{"claude in words", map[string]string{"claude": "I cannot."}, "claude",
			"claude answered with a text: I cannot.", 2},
		{"claude of another form", map[string]string{"claude": `{"items":1}`}, "claude", `/properties/items: type`, 2},
		{"claude fails", map[string]string{"claude": "exit 1\nno key"}, "", "claude: exit status 1: no key", 5},
		{"codex", map[string]string{"codex": fits}, "codex", "", 5},
		{"codex in a fence", map[string]string{"codex": "```json\n" + fits + "\n```"}, "codex", "", 5},
		{"codex with words around", map[string]string{"codex": "Sure! " + fits}, "codex", "it is not JSON", 5},
		{"codex fails, claude answers", map[string]string{"codex": "exit 1\nx", "claude": fits}, "claude", "", 7},
		{"none", nil, "", "claude: not installed", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, config := with(t, c.says)
			got, err := AskJSON(t.Context(), config, "which?", verdicts)
			if c.want == "" && (err != nil || string(got.JSON) != fits) {
				t.Errorf("%s, %v", got.JSON, err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v; want %q", err, c.want)
			}
			if got.By != c.by || got.CostUSD < c.cents/100-1e-9 || got.CostUSD > c.cents/100+1e-9 {
				t.Errorf("by %q for %v", got.By, got.CostUSD)
			}
		})
	}
}

// TestReadReport: only a result is a report.
func TestReadReport(t *testing.T) {
	for answer, want := range map[string]bool{
		`{"type":"result","result":"x"}`: true, `{"type":"assistant","result":"x"}`: false, `{}`: false, `x`: false,
	} {
		if r := readReport([]byte(answer)); (r != nil) != want {
			t.Errorf("%s: %+v", answer, r)
		}
	}
}

// TestAskJSONCalls: the schema is an argument of claude, and ends the question of the others.
func TestAskJSONCalls(t *testing.T) {
	for name, inArgs := range map[string]bool{"claude": true, "codex": false} {
		dir, c := with(t, map[string]string{name: fits})
		if _, err := AskJSON(t.Context(), c, "which?", verdicts); err != nil {
			t.Fatal(err)
		}
		args, rest, _ := strings.Cut(strings.Join(consultant.Calls(dir, name), ""), "\n")
		_, question, _ := strings.Cut(rest, "\nenv ")
		if strings.Contains(args, "additionalProperties") != inArgs ||
			strings.Contains(question, "additionalProperties") == inArgs {
			t.Errorf("%s: arguments %s, question %s", name, args, question)
		}
		if strings.Contains(args, "which?") || inArgs && !strings.HasSuffix(question, "which?") {
			t.Errorf("%s: the question: %s; arguments %s", name, question, args)
		}
	}
}
