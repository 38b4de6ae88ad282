package host

import (
	"math"
	"strconv"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
)

// MaxText bounds the text of an event, in bytes.
const MaxText = 16 << 10

// Clip returns a text as an event may hold it.
func Clip(s string) string { return text.ClipBytes(s, MaxText) }

// Raw returns the step that keeps what an adapter does not know.
func Raw(said string) Step {
	return Step{Events: []run.Event{{Kind: run.Raw, Text: Clip(said)}}}
}

// Refusal returns the step that ends the turn at once.
func Refusal(why string) Step { return Step{Refuse: Clip(text.Fold(why))} }

// maxAmount bounds what an agent may report as used.
const maxAmount = 1e15

// Amount returns a number that an agent reports, 0 for a negative one or any other value.
func Amount(v hostjson.Value) float64 {
	n, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || v.Kind() != hostjson.Number || math.IsNaN(n) {
		return 0
	}
	return min(max(n, 0), maxAmount)
}
