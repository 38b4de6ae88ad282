// Package usage computes the tokens that a session has used and their cost.
package usage

import "strings"

// A Sum is an amount of usage. USD is at list prices. A person with a plan pays a different
// amount. A model that is not in the list counts as the dearest one.
type Sum struct {
	Tokens int64   `json:"tokens,omitempty"` // read, written and cached
	USD    float64 `json:"usd,omitempty"`
}

// Plus returns the sum of s and t.
func (s Sum) Plus(t Sum) Sum { return Sum{Tokens: s.Tokens + t.Tokens, USD: s.USD + t.USD} }

// Tokens counts the tokens of one answer of a model.
type Tokens struct {
	Input, Output int64
	CacheRead     int64
	CacheWrite    int64 // kept for five minutes or an hour
	CacheHour     int64 // the part of CacheWrite that is kept for an hour
}

// maxTokens is more than any answer uses. Larger numbers are cut to it.
const maxTokens = 100_000_000

// Cost returns the tokens and the cost of one answer of a model.
func Cost(model string, t Tokens) Sum {
	p := priceOf(model)
	in, out := clamp(t.Input), clamp(t.Output)
	read, write := clamp(t.CacheRead), clamp(t.CacheWrite)
	hour := min(clamp(t.CacheHour), write)
	micro := float64(in)*p.in + float64(out)*p.out +
		p.in*(cacheRead*float64(read)+cacheWrite*float64(write-hour)+cacheHour*float64(hour))
	return Sum{Tokens: in + out + read + write, USD: micro / 1e6}
}

// clamp returns n, limited to the range from 0 to maxTokens.
func clamp(n int64) int64 { return min(max(n, 0), maxTokens) }

// The price of a cached token, relative to an ordinary input token.
const (
	cacheRead  = 0.1
	cacheWrite = 1.25 // kept for five minutes
	cacheHour  = 2.0  // kept for an hour
)

// A price is in US dollars for a million tokens.
type price struct{ in, out float64 }

// dearest is the price of a model that is not in the list.
var dearest = price{15, 75}

// list holds the prices by prefix of the model's name. The first matching prefix counts.
// The prices are the published list prices of November 2026.
var list = []struct {
	name string
	price
}{
	{"claude-opus-5", price{4, 20}},
	{"claude-opus-4-5", price{5, 25}},
	{"claude-opus-4-6", price{5, 25}},
	{"claude-opus-4-7", price{5, 25}},
	{"claude-opus-4-8", price{5, 25}},
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
