// Package usage reads what a session has used from the host's own record of it,
// the transcript: one JSON object per line, of which the model's answers say how
// many tokens they took.
package usage

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A Sum is what was used. USD is at list prices: a person with a plan pays
// otherwise, and a model that is not in the list counts as the dearest.
type Sum struct {
	Tokens int64   `json:"tokens,omitempty"` // read, written and cached
	USD    float64 `json:"usd,omitempty"`
}

// Plus returns both together.
func (s Sum) Plus(t Sum) Sum { return Sum{Tokens: s.Tokens + t.Tokens, USD: s.USD + t.USD} }

// A Meter adds up the lines of one transcript. The zero Meter has seen none.
type Meter struct {
	sum  Sum
	last string // id of the newest answer: one line per part of it says the same
	part Sum    // what that answer counts for
}

// Sum is what the lines say.
func (m *Meter) Sum() Sum { return m.sum.Plus(m.part) }

// mark stands in each line that says what an answer took.
var mark = []byte(`"usage"`)

// record holds the fields of a line that we read.
type record struct {
	Type    string `json:"type"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			Kept       struct {
				Hour int64 `json:"ephemeral_1h_input_tokens"`
			} `json:"cache_creation"`
		} `json:"usage"`
	} `json:"message"`
}

// Add takes one line. A line that is no answer of the model's, or no JSON, says
// nothing.
func (m *Meter) Add(line []byte) {
	if !bytes.Contains(line, mark) {
		return
	}
	var r record
	if json.Unmarshal(line, &r) != nil || r.Type != "assistant" || r.Message.Usage == nil {
		return
	}
	took := r.took()
	if r.Message.ID == "" || r.Message.ID != m.last {
		m.sum = m.Sum()
		m.last, m.part = r.Message.ID, took
		return
	}
	m.part = Sum{Tokens: max(m.part.Tokens, took.Tokens), USD: max(m.part.USD, took.USD)}
}

// most is more than any answer takes; what claims more is not believed.
const most = 100_000_000

func (r record) took() Sum {
	u, p := r.Message.Usage, priceOf(r.Message.Model)
	in, out := count(u.Input), count(u.Output)
	read, write := count(u.CacheRead), count(u.CacheWrite)
	hour := min(count(u.Kept.Hour), write)
	micro := float64(in)*p.in + float64(out)*p.out +
		p.in*(cacheRead*float64(read)+cacheWrite*float64(write-hour)+cacheHour*float64(hour))
	return Sum{Tokens: in + out + read + write, USD: micro / 1e6}
}

func count(n int64) int64 { return min(max(n, 0), most) }

// What a cached token costs of one that is read afresh.
const (
	cacheRead  = 0.1
	cacheWrite = 1.25 // kept for five minutes
	cacheHour  = 2.0  // kept for an hour
)

// A price is in US dollars for a million tokens.
type price struct{ in, out float64 }

// dearest is what a model counts as that the list does not know.
var dearest = price{15, 75}

// list holds the prices by the beginning of a model's name; the first that fits
// counts. Published list prices, November 2026.
var list = []struct {
	name string
	price
}{
	{"claude-opus-5", price{4, 20}},
	{"claude-opus-4-5", price{5, 25}}, {"claude-opus-4-6", price{5, 25}}, {"claude-opus-4-7", price{5, 25}}, {"claude-opus-4-8", price{5, 25}},
	{"claude-opus-4", price{15, 75}},
	{"claude-sonnet", price{3, 15}}, {"claude-haiku-3", price{0.8, 4}}, {"claude-haiku", price{1, 5}},
}

func priceOf(model string) price {
	for _, l := range list {
		if strings.HasPrefix(model, l.name) {
			return l.price
		}
	}
	return dearest
}
