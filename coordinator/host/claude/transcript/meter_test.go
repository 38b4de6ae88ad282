package transcript

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

func answerLine(id, model, used string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":%q,"usage":%s}}`, id, model, used)
}

func TestMeter(t *testing.T) {
	const (
		opus   = "claude-opus-5-5"
		plain  = `{"input_tokens":1000,"output_tokens":100}`
		cached = `{"cache_read_input_tokens":1000,"cache_creation_input_tokens":1000,` +
			`"cache_creation":{"ephemeral_1h_input_tokens":400}}`
	)
	answer := answerLine("a", opus, plain)
	for name, tt := range map[string]struct {
		lines []string
		want  usage.Sum
	}{
		"nothing":    {nil, usage.Sum{}},
		"one answer": {[]string{answer}, usage.Sum{Tokens: 1100, USD: 0.006}},
		"its parts":  {[]string{answer, answer}, usage.Sum{Tokens: 1100, USD: 0.006}},
		"a part grows": {
			[]string{answerLine("a", opus, `{"output_tokens":1}`), answer},
			usage.Sum{Tokens: 1100, USD: 0.006},
		},
		"two answers": {[]string{answer, answerLine("b", opus, plain)}, usage.Sum{Tokens: 2200, USD: 0.012}},
		"without an id": {
			[]string{answerLine("", opus, plain), answerLine("", opus, plain)},
			usage.Sum{Tokens: 2200, USD: 0.012},
		},
		"unknown model": {[]string{answerLine("a", "claude-next", plain)}, usage.Sum{Tokens: 1100, USD: 0.0225}},
		"another price": {
			[]string{answerLine("a", "claude-haiku-4-5-20251001", plain)},
			usage.Sum{Tokens: 1100, USD: 0.0015},
		},
		"cached": {
			[]string{answerLine("a", "claude-sonnet-4-5", cached)},
			usage.Sum{Tokens: 2000, USD: (100 + 600*1.25 + 400*2) * 3 / 1e6},
		},
		"a user's words": {
			[]string{`{"type":"user","message":{"id":"a","usage":{"input_tokens":5}}}`},
			usage.Sum{},
		},
		"without usage": {
			[]string{`{"type":"assistant","message":{"id":"a","content":"\"usage\""},"usage":{}}`},
			usage.Sum{},
		},
		"wrong types": {
			[]string{
				answerLine("a", "m", `{"input_tokens":"many"}`),
				answerLine("a", "m", `7`),
				`{"usage":`,
				"",
				"null",
				`[]`,
			},
			usage.Sum{},
		},
		"hostile": {
			[]string{answerLine("a", opus, `{"input_tokens":-5,"output_tokens":9223372036854775807}`)},
			usage.Sum{Tokens: 100_000_000, USD: 2000},
		},
		"truncated": {[]string{answer[:60]}, usage.Sum{}},
	} {
		t.Run(name, func(t *testing.T) {
			var m meter
			for _, l := range tt.lines {
				m.add([]byte(l))
			}
			if got := m.total(); got.Tokens != tt.want.Tokens || math.Abs(got.USD-tt.want.USD) > 1e-9 {
				t.Errorf("have %+v, want %+v", got, tt.want)
			}
		})
	}
}

func FuzzMeter(f *testing.F) {
	f.Add(answerLine("a", "claude-opus-5-5", `{"input_tokens":1}`), "x")
	f.Add(strings.Repeat(`{"usage"`, 50), "")
	f.Fuzz(func(t *testing.T, a, b string) {
		var m meter
		for _, l := range []string{a, b, a} {
			before := m.total()
			m.add([]byte(l))
			after := m.total()
			shrank := after.Tokens < before.Tokens || after.USD < before.USD
			if shrank || math.IsNaN(after.USD) || math.IsInf(after.USD, 0) {
				t.Fatalf("%+v became %+v", before, after)
			}
		}
	})
}
