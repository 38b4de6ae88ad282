package shell

import (
	"strings"
	"testing"
)

func TestParseOptions(t *testing.T) {
	o := ParseOptions([]string{"-rfn5", "a", "--force", "--name=x", "--file", "y", "b", "--", "-z"}, "n file")
	if !o.Short('r') || !o.Short('f') || o.Short('z') || !o.Exact("force") {
		t.Errorf("flags %+v", o.Flags)
	}
	if n, _ := o.Get("n"); n != "5" {
		t.Errorf("n = %q", n)
	}
	if f, _ := o.Get("file"); f != "y" {
		t.Errorf("file = %q", f)
	}
	if got := strings.Join(o.Pos, " "); got != "a b -z" {
		t.Errorf("operands %q", got)
	}
	if p := ParseOptions([]string{"--recurs", "--force"}, ""); !p.Has("recursive") || p.Has("force-with-lease") {
		t.Errorf("abbreviations %+v", p.Flags)
	}
}
