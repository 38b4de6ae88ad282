package wording

import (
	"testing"
	"time"
)

func TestBounds(t *testing.T) {
	at := time.Date(2026, 11, 28, 16, 43, 0, 0, time.UTC)
	for _, c := range []struct {
		at     time.Time
		usd    float64
		tokens int64
		want   string
	}{
		{want: ""},
		{at: at, want: "ends at Nov 28 16:43"},
		{at: at, usd: 2.5, want: "ends at Nov 28 16:43 or at $2.50"},
	} {
		if got := bounds(c.at, c.usd, c.tokens); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
