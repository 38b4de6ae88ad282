package snapshot

import (
	"strings"
	"testing"
)

// FuzzGitOutput checks that any output of git is understood or ignored.
func FuzzGitOutput(f *testing.F) {
	for _, s := range []string{
		"1 .M N... 100644 100644 100644 aaaa bbbb a b.txt",
		"1 .D N... 100644 100644 000000 aaaa bbbb a",
		"1 M. N... 1 2 3 a b c",
		"1 .M SCMU 160000 160000 160000 a b sub",
		"u UU N... 1 2 3 4 a b c both",
		"? new file",
		"! ignored/",
		"# branch.oid x",
		"",
		"1",
		"? ",
		"2 R. x",
		"H 100644 aaaa 0\ta b", "S 100644 aaaa 0\tx", "M 100644 aaaa 2\tx", "H\tx", "\t", "a\nb\"c\\d\x01",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c, ok := parseChange(s); !ok && c != (change{}) || ok && !strings.HasSuffix(s, c.path) {
			t.Errorf("parseChange(%q) = %+v, %t", s, c, ok)
		}
		for _, e := range parseIndex([]byte(s)) {
			if e.path == "" || !strings.Contains(s, e.mode+" "+e.oid+" "+e.stage+"\t"+e.path) {
				t.Errorf("parseIndex(%q) has %+v", s, e)
			}
		}
		if q := string(quote(s)); strings.Count(q, "\n") != 1 || unquote(q) != s {
			t.Errorf("quote(%q) = %s", s, q)
		}
	})
}

// unquote reads a quoted path as git does.
func unquote(line string) string {
	in := strings.TrimSuffix(strings.TrimPrefix(line, `"`), "\"\n")
	var out []byte
	for i := 0; i < len(in); i++ {
		switch {
		case in[i] != '\\':
			out = append(out, in[i])
		case in[i+1] >= '0' && in[i+1] <= '3':
			out = append(out, (in[i+1]-'0')<<6|(in[i+2]-'0')<<3|(in[i+3]-'0'))
			i += 3
		default:
			i++
			out = append(out, in[i])
		}
	}
	return string(out)
}
