package undowork

import (
	"strings"
	"testing"
)

// FuzzIndex checks that any output of git ls-files is understood or ignored.
func FuzzIndex(f *testing.F) {
	for _, s := range []string{
		"H 100644 aaaa 0\ta b", "S 100644 aaaa 0\tx", "M 100644 aaaa 2\tx", "H\tx", "\t", "H", "0", "H 0\tx",
		"H 100644 aaaa 2\ta\nb",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := (&taking{seen: map[string]bool{}}).addIndex([]byte(s))
		for record := range strings.SplitSeq(strings.TrimSuffix(lines, "\x00"), "\x00") {
			object, path, _ := strings.Cut(record, "0\t")
			if lines != "" && !(strings.Contains(s, object) && strings.Contains(s, path)) {
				t.Errorf("addIndex(%q) has %q", s, record)
			}
		}
	})
}
