package consult

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/text"
)

// unknownCost is what a question counts, in US dollars, if the program that answered it does
// not say what it cost.
const unknownCost = 0.05

// ErrUnfit says that an answer does not have the form that its schema wants.
var ErrUnfit = errors.New("the answer does not have the form that was asked for")

// A Structured is an answer that fits a schema.
type Structured struct {
	JSON    json.RawMessage
	By      string // the name of the program
	CostUSD float64
}

// AskJSON asks the programs in order for a JSON value of a form, and returns the
// first answer. An answer that does not fit is an error that wraps ErrUnfit: no other program
// is asked then. The cost is that of all programs together, also with an error.
func AskJSON(ctx context.Context, c Config, question string, form schema.Schema) (Structured, error) {
	written, err := json.Marshal(form)
	if err != nil {
		return Structured{}, err
	}
	c.Programs = structured(c.programs(), string(written))
	a, err := ask(ctx, c, question)
	failed := float64(ranOf(a.Missed)) * unknownCost
	if err != nil {
		return Structured{CostUSD: failed}, err
	}
	out := Structured{JSON: json.RawMessage(unfenced(a.Text)), By: a.By, CostUSD: unknownCost}
	if a.report != nil {
		out.JSON, out.CostUSD, err = a.report.answer()
	}
	out.CostUSD += failed
	switch {
	case err != nil:
		return out, err
	case a.Cut:
		return out, fmt.Errorf("%w: it is too long", ErrUnfit)
	}
	if err := schema.Check(form, out.JSON); err != nil {
		return out, fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return out, nil
}

// ranOf returns how many of the programs that gave no answer were started.
func ranOf(all []Miss) (n int) {
	for _, m := range all {
		if !m.Absent {
			n++
		}
	}
	return n
}

// structured returns the programs as they are called for an answer of a form. One that cannot
// be told the form by its arguments is told in its question.
func structured(programs []Program, form string) []Program {
	out := make([]Program, len(programs))
	for i, p := range programs {
		if p.formed != nil {
			p.Args, p.reports = p.formed(form), true
		} else {
			p.tail = "\n\nAnswer with exactly one JSON value, without markup and with no other words. " +
				"It must fit this JSON schema:\n" + form
		}
		out[i] = p
	}
	return out
}

// unfenced returns a text without the one code fence that may be around it.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	inside, ok := strings.CutPrefix(s, "```")
	body, end := strings.CutSuffix(inside, "```")
	_, body, line := strings.Cut(body, "\n") // the first line names the language
	if ok && end && line {
		return strings.TrimSpace(body)
	}
	return s
}

// A report is what Claude Code prints at the end with --output-format json.
type report struct {
	Type       string          `json:"type"`
	IsError    bool            `json:"is_error"`
	Result     string          `json:"result"`
	Errors     []string        `json:"errors"`
	Structured json.RawMessage `json:"structured_output"`
	CostUSD    float64         `json:"total_cost_usd"`
}

// readReport returns the report that a program printed, nil if it printed something else.
func readReport(answer []byte) *report {
	var r report
	if err := json.Unmarshal(answer, &r); err != nil || r.Type != "result" {
		return nil
	}
	return &r
}

// answer returns the structured answer of a report, and what it cost.
func (r report) answer() (json.RawMessage, float64, error) {
	why := text.Clip(text.Fold(r.Result+" "+strings.Join(r.Errors, " ")), maxSaid)
	switch {
	case r.IsError:
		return nil, r.CostUSD, errors.New("claude: " + why)
	case len(r.Structured) == 0:
		return nil, r.CostUSD, fmt.Errorf("%w: claude answered with a text: %s", ErrUnfit, why)
	}
	return r.Structured, r.CostUSD, nil
}
