package usage

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func answer(id, model, usage string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":%q,"usage":%s}}`, id, model, usage)
}

func TestMeter(t *testing.T) {
	const plain = `{"input_tokens":1000,"output_tokens":100}`
	for name, tt := range map[string]struct {
		lines []string
		want  Sum
	}{
		"nothing":        {nil, Sum{}},
		"one answer":     {[]string{answer("a", "claude-opus-5-5", plain)}, Sum{1100, 0.006}},
		"its parts":      {[]string{answer("a", "claude-opus-5-5", plain), answer("a", "claude-opus-5-5", plain)}, Sum{1100, 0.006}},
		"a part grows":   {[]string{answer("a", "claude-opus-5-5", `{"output_tokens":1}`), answer("a", "claude-opus-5-5", plain)}, Sum{1100, 0.006}},
		"two answers":    {[]string{answer("a", "claude-opus-5-5", plain), answer("b", "claude-opus-5-5", plain)}, Sum{2200, 0.012}},
		"without an id":  {[]string{answer("", "claude-opus-5-5", plain), answer("", "claude-opus-5-5", plain)}, Sum{2200, 0.012}},
		"unknown model":  {[]string{answer("a", "claude-next", plain)}, Sum{1100, 0.0225}},
		"another price":  {[]string{answer("a", "claude-haiku-4-5-20251001", plain)}, Sum{1100, 0.0015}},
		"cached":         {[]string{answer("a", "claude-sonnet-4-5", `{"cache_read_input_tokens":1000,"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":400}}`)}, Sum{2000, (100 + 600*1.25 + 400*2) * 3 / 1e6}},
		"a user's words": {[]string{`{"type":"user","message":{"id":"a","usage":{"input_tokens":5}}}`}, Sum{}},
		"without usage":  {[]string{`{"type":"assistant","message":{"id":"a","content":"\"usage\""},"usage":{}}`}, Sum{}},
		"wrong types":    {[]string{answer("a", "m", `{"input_tokens":"many"}`), answer("a", "m", `7`), `{"usage":`, "", "null", `[]`}, Sum{}},
		"hostile":        {[]string{answer("a", "claude-opus-5-5", `{"input_tokens":-5,"output_tokens":9223372036854775807}`)}, Sum{most, 2000}},
		"truncated":      {[]string{answer("a", "claude-opus-5-5", plain)[:60]}, Sum{}},
	} {
		t.Run(name, func(t *testing.T) {
			var m Meter
			for _, l := range tt.lines {
				m.Add([]byte(l))
			}
			if got := m.Sum(); got.Tokens != tt.want.Tokens || math.Abs(got.USD-tt.want.USD) > 1e-9 {
				t.Errorf("have %+v, want %+v", got, tt.want)
			}
		})
	}
}

func FuzzMeter(f *testing.F) {
	f.Add(answer("a", "claude-opus-5-5", `{"input_tokens":1}`), "x")
	f.Add(strings.Repeat(`{"usage"`, 50), "")
	f.Fuzz(func(t *testing.T, a, b string) {
		var m Meter
		for _, l := range []string{a, b, a} {
			before := m.Sum()
			m.Add([]byte(l))
			if after := m.Sum(); after.Tokens < before.Tokens || after.USD < before.USD || math.IsNaN(after.USD) || math.IsInf(after.USD, 0) {
				t.Fatalf("%+v became %+v", before, after)
			}
		}
	})
}
