package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzOutput checks that the output of git status is read completely or refused. To
// overlook a change is to lose work.
func FuzzOutput(f *testing.F) {
	zero := strings.Repeat("0", 40)
	for _, s := range []string{
		"",
		"\x00",
		"1 .M N... 100644 100644 100644 aaaa bbbb a b.txt\x00? left\x00",
		"1 A. S..U 000000 160000 160000 " + zero + " bbbb sub\x00",
		"2 R. N... 100644 100644 100644 aaaa bbbb R100 new\x00old\x00? x\x00",
		"2 R. N... 1 2 3 a b R100 new",
		"u UU N... 1 2 3 4 a b c d both\x00",
		"# branch.oid x\x00",
		"? \x00",
		"! ignored/\x00",
		"1 . N... 1 2 3 a b c\x00",
		"1 .M  1 2 3 a b c\x00",
		"x",
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\x00\ndiff --git a/y b/y\nnew file mode 100644\n",
		"\n--- \x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		list, err := parseStatus(out)
		hasChange := bytes.Contains(out, []byte("? x\x00")) &&
			!bytes.Contains(out, []byte("2 ")) && !bytes.Contains(out, []byte("# "))
		if err == nil && len(list) == 0 && hasChange {
			t.Errorf("%q has a change that was overlooked", out)
		}
		if text := visible(out); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Errorf("%q became %q", out, text)
		}
		if text := message(string(out)); strings.ContainsAny(text, "\n\r") || !utf8.ValidString(text) {
			t.Errorf("%q became %q", out, text)
		}
	})
}

// FuzzID checks that the name of every id is a valid part of paths and branch names.
func FuzzID(f *testing.F) {
	for _, s := range []string{
		"fix-login", "#12", "..", "../x", "-rf", "", "a/b", ".lock", "x.lock", "ü", "a\x00",
		strings.Repeat("x", 300), "a.", "~", "@{u}", "refs/heads/main",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		name, err := nameOf(id)
		if err != nil {
			return
		}
		for what, is := range map[string]bool{
			"a path that leads elsewhere": !filepath.IsLocal(name) || strings.Contains(name, ".."),
			"letters that git refuses":    strings.ContainsAny(name, "/\\ ~^:?*[@{\x00") || !utf8.ValidString(name),
			"an option":                   name[0] == '-',
			"hidden":                      name[0] == '.',
			"an end that git refuses":     unusableEnd.MatchString(name),
			"too long":                    len(name) > maxName+10,
		} {
			if is {
				t.Errorf("%q became %q: %s", id, name, what)
			}
		}
		if again, err := nameOf(name); err != nil || len(name) <= maxName && again != name {
			t.Errorf("%q became %q and then %q: %v", id, name, again, err)
		}
	})
}

// FuzzMark checks that an incomplete mark is removed.
func FuzzMark(f *testing.F) {
	for _, s := range []string{
		"", "{", "null", "[]",
		`{"Checkout":"/x","Until":1}`, `{"Checkout":1}`, `{"Checkout":"/x","Until":1e99}`,
		strings.Repeat("[", 20000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "mark")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ReadMark(name)
		if err != nil || m != nil && m.Checkout == "" {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
		if _, err := os.Stat(name); (m == nil) != (err != nil) {
			t.Errorf("%q: %+v, and the file: %v", text, m, err)
		}
	})
}
