package argv

import (
	"strings"
	"testing"
)

func TestParseOptions(t *testing.T) {
	o := ParseOptions([]string{"-rfn5", "a", "--force", "--name=x", "--file", "y", "b", "--", "-z"}, "n file")
	if !o.Given("r") || !o.Given("f") || o.Given("z") || !o.Given("force") {
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
}

// TestGrammar checks each form in which a grammar lists an option.
func TestGrammar(t *testing.T) {
	const grammar = "n c d name data data-raw rsh! e! O?! color? S. -force -forced -recursive"
	for _, tc := range []struct{ args, flags, operands string }{
		{"-rfn5 a", "r f n=5", "a"},
		{"-n a b", "n=a", "b"},
		{"--na a b", "name=a", "b"},
		{"--data-r=a b", "data-raw=a", "b"},
		{"--data a", "data=a", ""},
		{"--da a b", "data=a", "b"},
		{"--fo --forc --forced", "force force forced", ""},
		{"--recurs a", "recursive", "a"},
		{"-ex=y -e z --rs q", "e=x=y! e=z! rsh=q!", ""},
		{"-Oless -O less", "O=less! O!", "less"},
		{"--color --color=no a", "color color=no", "a"},
		{"-vdx=y", "v d=x=y", ""},
		{"-n -- -z", "n=-- z", ""},
		{"a -- -z --name", "", "a -z --name"},
		{"-n", "n", ""},
		{"- -- a", "", "- a"},
		{"-r -S a -r --name b", "r S=a", "-r --name b"},
	} {
		var flags []string
		o := ParseOptions(strings.Fields(tc.args), grammar)
		for _, f := range o.Flags {
			text := f.Name
			if f.Given {
				text += "=" + f.Value
			}
			if f.Runs {
				text += "!"
			}
			flags = append(flags, text)
		}
		if got := strings.Join(flags, " "); got != tc.flags {
			t.Errorf("%s: options %q, want %q", tc.args, got, tc.flags)
		}
		if got := strings.Join(o.Pos, " "); got != tc.operands {
			t.Errorf("%s: operands %q, want %q", tc.args, got, tc.operands)
		}
	}
}
