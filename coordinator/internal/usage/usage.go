// Package usage says what a session has used, and what that costs.
package usage

import "strings"

// A Sum is what was used. USD is at list prices: a person with a plan pays
// otherwise, and a model that is not in the list counts as the dearest.
type Sum struct {
	Tokens int64   `json:"tokens,omitempty"` // read, written and cached
	USD    float64 `json:"usd,omitempty"`
}

// Plus returns both together.
func (s Sum) Plus(t Sum) Sum { return Sum{Tokens: s.Tokens + t.Tokens, USD: s.USD + t.USD} }

// Tokens is what one answer of a model took.
type Tokens struct {
	Input, Output int64
	CacheRead     int64
	CacheWrite    int64 // kept for five minutes or an hour
	CacheHour     int64 // the part of CacheWrite that is kept for an hour
}

// most is more than any answer takes. A larger number is not believed.
const most = 100_000_000

// Cost returns what an answer of a model counts for.
func Cost(model string, t Tokens) Sum {
	p := priceOf(model)
	in, out := count(t.Input), count(t.Output)
	read, write := count(t.CacheRead), count(t.CacheWrite)
	hour := min(count(t.CacheHour), write)
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
