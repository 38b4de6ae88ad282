package land

import (
	"strings"
	"testing"
)

// FuzzOutput checks that what git prints of two commits is understood whole or
// refused.
func FuzzOutput(f *testing.F) {
	zero := strings.Repeat("0", 40)
	for _, s := range []string{
		"", "x", "\x00", ":1 2 3\x00a", ":100644 100644 aaaa bbbb R100\x00a\x00b\x00",
		":100644 100644 aaaa bbbb M\x00a\x00:000000 100644 " + zero + " bbbb A\x00b c\x00",
		"a\x00filter\x00lfs\x00", "a\x00filter\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		hasLargeFiles(out)
		list, err := parseRaw(out)
		if err != nil {
			return
		}
		for path, v := range list {
			isZero := v.from != "" && strings.Trim(v.from, "0") == ""
			if path == "" || strings.ContainsRune(path, 0) || isZero {
				t.Errorf("%q has %q: %+v", out, path, v)
			}
		}
	})
}
