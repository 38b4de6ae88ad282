package loop

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		args string
		want Options
	}{
		{"fix it", Options{Max: 10, Task: "fix it"}},
		{"  fix it", Options{Max: 10, Task: "fix it"}},
		{"don't stop", Options{Max: 10, Task: "don't stop"}},
		{"say \"hi\" `x` $1 $(y) \\n 'z", Options{Max: 10, Task: "say \"hi\" `x` $1 $(y) \\n 'z"}},
		{"one\n\n  two\t three\n", Options{Max: 10, Task: "one\n\n  two\t three\n"}},
		{"fix --max 3", Options{Max: 10, Task: "fix --max 3"}},
		{"-v is broken", Options{Max: 10, Task: "-v is broken"}},
		{"--max 3 fix", Options{Max: 3, Task: "fix"}},
		{"--max=3 fix", Options{Max: 3, Task: "fix"}},
		{"--max 3\nfix\nall", Options{Max: 3, Task: "fix\nall"}},
		{"--max '3' fix", Options{Max: 3, Task: "fix"}},
		{"--for 1h30m --budget 2.50 fix", Options{Max: 10, For: 90 * time.Minute, Budget: 2.5, Task: "fix"}},
		{"--budget $2 fix", Options{Max: 10, Budget: 2, Task: "fix"}},
		{
			"--check 'go test ./...' fix",
			Options{Max: 10, Check: "go test ./...", CheckTimeout: 10 * time.Minute, Task: "fix"},
		},
		{"--check='a b' fix", Options{Max: 10, Check: "a b", CheckTimeout: 10 * time.Minute, Task: "fix"}},
		{"--tokens 500k fix", Options{Max: 10, Tokens: 500_000, Task: "fix"}},
		{"--tokens=2M --budget 3 fix", Options{Max: 10, Tokens: 2_000_000, Budget: 3, Task: "fix"}},
		{"--tokens 7 fix", Options{Max: 10, Tokens: 7, Task: "fix"}},
		{
			"--check make --check-greens 3 fix",
			Options{Max: 10, Check: "make", CheckTimeout: 10 * time.Minute, Greens: 3, Task: "fix"},
		},
		{
			"--check make --check-timeout 30s fix",
			Options{Max: 10, Check: "make", CheckTimeout: 30 * time.Second, Task: "fix"},
		},
		{
			`--check "grep \"a\" b | wc \$x \\ 'q'" fix`,
			Options{Max: 10, Check: `grep "a" b | wc \$x \ 'q'`, CheckTimeout: 10 * time.Minute, Task: "fix"},
		},
		{`--check 'it'"'"'s' fix`, Options{Max: 10, Check: "it's", CheckTimeout: 10 * time.Minute, Task: "fix"}},
		{`--check a\ b fix`, Options{Max: 10, Check: "a b", CheckTimeout: 10 * time.Minute, Task: "fix"}},
		{`--check '--flag' fix`, Options{Max: 10, Check: "--flag", CheckTimeout: 10 * time.Minute, Task: "fix"}},
		{"--check 'a\nb' fix", Options{Max: 10, Check: "a\nb", CheckTimeout: 10 * time.Minute, Task: "fix"}},
		{"-- --max is broken", Options{Max: 10, Task: "--max is broken"}},
		{"--max 2 -- 5m", Options{Max: 2, Task: "5m"}},
		{"5m check the deploy", Options{Max: 10, Every: "5m", Task: "check the deploy"}},
		{"1h30m --max 3 x", Options{Max: 10, Every: "1h30m", Task: "--max 3 x"}},
		{"--max 2 5m x", Options{Max: 2, Task: "5m x"}},
		{"5ms x", Options{Max: 10, Task: "5ms x"}},
		{"5 x", Options{Max: 10, Task: "5 x"}},
		{"m x", Options{Max: 10, Task: "m x"}},
	}
	for _, tt := range tests {
		got, err := Parse(tt.args)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.args, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.args, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		args string
		want []string // parts of the message
	}{
		{"--mux 3 fix", []string{"--mux", "--max N", "--check-timeout"}},
		{"--max", []string{"--max", "needs a value", "1 to 1000"}},
		{"--max fix", []string{"--max", "1 to 1000", `"fix"`}},
		{"--max 0 fix", []string{"--max", `"0"`}},
		{"--max -1 fix", []string{"--max", `"-1"`}},
		{"--max +1 fix", []string{"--max", `"+1"`}},
		{"--max 1001 fix", []string{"--max", `"1001"`}},
		{"--max 99999999999999999999 fix", []string{"--max"}},
		{"--max 3 --max 4 fix", []string{"--max", "twice"}},
		{"--for fix", []string{"--for", "3h", `"fix"`}},
		{"--for 0s fix", []string{"--for"}},
		{"--for -1h fix", []string{"--for"}},
		{"--for 721h fix", []string{"--for", "720h"}},
		{"--budget NaN fix", []string{"--budget", "2.50"}},
		{"--budget Inf fix", []string{"--budget"}},
		{"--budget 1e9 fix", []string{"--budget"}},
		{"--budget 0 fix", []string{"--budget"}},
		{"--budget 1e3 fix", []string{"--budget", `"1e3"`}},
		{"--budget 0x10 fix", []string{"--budget", `"0x10"`}},
		{"--budget +2 fix", []string{"--budget", `"+2"`}},
		{"--budget . fix", []string{"--budget", `"."`}},
		{"--budget 1.2.3 fix", []string{"--budget", `"1.2.3"`}},
		{"--budget 100001 fix", []string{"--budget"}},
		{"--check", []string{"--check", "needs a value"}},
		{"--check --max 3 fix", []string{"--check", "needs a value"}},
		{"--check '' fix", []string{"--check", "needs a value"}},
		{"--check ' ' fix", []string{"--check", "takes"}},
		{"--check 'go test fix", []string{"--check", "quote"}},
		{`--check "go test fix\"`, []string{"--check", "quote"}},
		{"--check-timeout 5m fix", []string{"--check-timeout", "need --check"}},
		{"--tokens 0 fix", []string{"--tokens", "500k"}},
		{"--tokens +3 fix", []string{"--tokens", `"+3"`}},
		{"--tokens k fix", []string{"--tokens", `"k"`}},
		{"--tokens -3 fix", []string{"--tokens", "500k"}},
		{"--tokens 2G fix", []string{"--tokens", "500k"}},
		{"--tokens 9999999999999M fix", []string{"--tokens", "500k"}},
		{"--check-greens 2 fix", []string{"--check-greens", "need --check"}},
		{"--check x --check-greens 21 fix", []string{"--check-greens", "1 to 20"}},
		{"--check x --check-timeout 7h fix", []string{"--check-timeout", "6h"}},
		{"--=x fix", []string{"--=x"}},
		{"--" + strings.Repeat("x", 1<<20), []string{"unknown", "…"}},
		{"--\x1b[2J\u202e fix", []string{"unknown option --[2J;"}},
	}
	for _, tt := range tests {
		_, err := Parse(tt.args)
		if err == nil {
			t.Errorf("Parse(%.80q) gave no error", tt.args)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("Parse(%.80q): %q does not name %q", tt.args, err, part)
			}
		}
		if len(err.Error()) > 400 {
			t.Errorf("Parse(%.80q): a message of %d bytes", tt.args, len(err.Error()))
		}
	}
}

func TestParseWithoutTask(t *testing.T) {
	for args, want := range map[string]Options{
		"":                         {Max: 10},
		" \n\t ":                   {Max: 10},
		"--max 3":                  {Max: 3},
		"--max 3 -- ":              {Max: 3},
		"5m":                       {Max: 10, Every: "5m"},
		`--check a\`:               {Max: 10, Check: `a\`, CheckTimeout: 10 * time.Minute},
		"--check 'make' --for 1h ": {Max: 10, Check: "make", CheckTimeout: 10 * time.Minute, For: time.Hour},
	} {
		got, err := Parse(args)
		if !errors.Is(err, ErrNoTask) {
			t.Errorf("Parse(%q) error = %v, want ErrNoTask", args, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", args, diff)
		}
	}
}

// TestBounds checks the bounds of each number, typed as an option and set directly.
func TestBounds(t *testing.T) {
	good := Options{Max: 1, Task: "fix", Check: "make", CheckTimeout: time.Minute}
	for name, tt := range map[string]struct {
		set      func(*Options)
		typed    string // "": it cannot be typed
		accepted bool
	}{
		"max":      {func(o *Options) { o.Max = 1000 }, "--max 1000", true},
		"over max": {func(o *Options) { o.Max = 1001 }, "--max 1001", false},
		"no max":   {func(o *Options) { o.Max = 0 }, "--max 0", false},
		"for":      {func(o *Options) { o.For = 720 * time.Hour }, "--for 720h", true},
		"over for": {
			func(o *Options) { o.For = 720*time.Hour + 1 }, "--for 720h0m0.000000001s", false,
		},
		"for less than nothing":    {func(o *Options) { o.For = -1 }, "--for -1ns", false},
		"budget":                   {func(o *Options) { o.Budget = 100_000 }, "--budget 100000", true},
		"over budget":              {func(o *Options) { o.Budget = 100_001 }, "--budget 100001", false},
		"budget below nothing":     {func(o *Options) { o.Budget = -1 }, "--budget -1", false},
		"budget that is no number": {func(o *Options) { o.Budget = math.NaN() }, "--budget NaN", false},
		"tokens": {
			func(o *Options) { o.Tokens = highestTokens }, fmt.Sprint("--tokens ", int64(highestTokens)), true,
		},
		"over tokens": {
			func(o *Options) { o.Tokens = highestTokens + 1 }, fmt.Sprint("--tokens ", int64(highestTokens)+1), false,
		},
		"tokens below nothing": {func(o *Options) { o.Tokens = -1 }, "--tokens -1", false},
		"check timeout": {
			func(o *Options) { o.CheckTimeout = 6 * time.Hour }, "--check make --check-timeout 6h", true,
		},
		"over check timeout": {
			func(o *Options) { o.CheckTimeout = 6*time.Hour + 1 },
			"--check make --check-timeout 6h0m0.000000001s", false,
		},
		"check timeout of nothing": {
			func(o *Options) { o.CheckTimeout = 0 }, "--check make --check-timeout 0s", false,
		},
		"shortest check timeout": {
			func(o *Options) { o.CheckTimeout = 1 }, "--check make --check-timeout 1ns", true,
		},
		"greens":               {func(o *Options) { o.Greens = 20 }, "--check make --check-greens 20", true},
		"over greens":          {func(o *Options) { o.Greens = 21 }, "--check make --check-greens 21", false},
		"greens below nothing": {func(o *Options) { o.Greens = -1 }, "--check make --check-greens -1", false},
		// it is not used
		"a timeout without a check": {func(o *Options) { o.Check, o.CheckTimeout = "", 9*time.Hour }, "", true},
	} {
		o := good
		tt.set(&o)
		if _, err := Start(Stack{}, "ses1", "a", o, epoch); (err == nil) != tt.accepted {
			t.Errorf("%s: %v", name, err)
		}
		if tt.typed == "" {
			continue
		}
		if _, err := Parse(tt.typed + " fix"); (err == nil) != tt.accepted {
			t.Errorf("%s: %v", tt.typed, err)
		}
	}
}

// Start accepts the options that Parse accepts, and the task is the end of the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "fix it", "--max 3 fix", "--check 'a b' --check-timeout 5m x", "5m x", "-- --x", "--budget=2.5 \"q",
		"--for 1h \\", "--check \"a\\",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		o, err := Parse(args)
		if err != nil {
			return
		}
		if !strings.HasSuffix(args, o.Task) || strings.TrimSpace(o.Task) == "" {
			t.Errorf("Parse(%q): task %q is not its rest", args, o.Task)
		}
		_, err = Start(Stack{}, "s", "id", o, epoch)
		if want := o.Every != ""; errors.Is(err, errEvery) != want || !want && err != nil {
			t.Errorf("Start(%+v): %v", o, err)
		}
	})
}
