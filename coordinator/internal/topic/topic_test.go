package topic

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"project:api", "[loop] STARTED: x", nil},
		{"issue:42/a.b_c-d", "x", nil},
		{"projekt:größe", "ü", nil},
		{"", "x", ErrName},
		{"two words", "x", ErrName},
		{"a\x00", "x", ErrName},
		{"a\u202eb", "x", ErrName},
		{strings.Repeat("a", maxName+1), "x", ErrName},
		{"project:api", " \n ", ErrText},
		{"project:api", "\xff", ErrText},
		{"project:api", strings.Repeat("a", maxText+1), ErrText},
		{Current, "{}", ErrOurs},
		{"loop:mine", "x", ErrOurs},
	} {
		p, err := New(tt.name, "s-1", tt.text, time.UnixMilli(5))
		if !errors.Is(err, tt.want) || err == nil && (p.Text != tt.text || p.By != "s-1") {
			t.Errorf("New(%q, %.20q) = %+v, %v, want %v", tt.name, tt.text, p, err, tt.want)
		}
	}
}

// FuzzOfProject checks that the topic of every project is valid.
func FuzzOfProject(f *testing.F) {
	for _, dir := range []string{"/home/ann/api server", "", "/", "/x/\xff\u202e", strings.Repeat("y", 500)} {
		f.Add(dir)
	}
	f.Fuzz(func(t *testing.T, dir string) {
		if _, err := New(OfProject(dir), "afar", "x", time.Time{}); err != nil {
			t.Errorf("%q: %v", OfProject(dir), err)
		}
	})
}
