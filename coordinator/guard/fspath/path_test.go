package fspath

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/partial"
)

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]string{
		"/": "/", "//a//b/": "/a/b", "/a/../..": "/", "/a/./b/..": "/a", "a/../b": "b", "": ".", "../a": "../a",
		"/a/" + partial.Unknown + "/..": partial.Unknown,
		"~/..":                          partial.Unknown, "~/a/..": "~", "/~/..": "/", "a/~/..": "a",
	} {
		if got := Clean(in); got != want {
			t.Errorf("cleanPath(%q) = %q, want %q", in, got, want)
		}
	}
}
