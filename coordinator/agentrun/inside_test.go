package agentrun

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
)

// TestPlainFile: only visible files in the directory, after all links, need no question.
func TestPlainFile(t *testing.T) {
	root := t.TempDir()
	dir, outside := filepath.Join(root, "w"), filepath.Join(root, "outside")
	for _, made := range []string{filepath.Join(dir, "sub"), filepath.Join(dir, ".git"), outside} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"out": outside, "in": filepath.Join(dir, "sub"), "dangling": filepath.Join(outside, "none"),
		"hidden": filepath.Join(dir, ".git"), "loop": filepath.Join(dir, "loop"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{
		"a.txt": true, "sub/a.txt": true, "new/dir/a.txt": true, "in/a.txt": true, filepath.Join(dir, "a.txt"): true,
		"": false, ".": false, "..": false, "../w/a.txt": false, "sub/../../x": false, "in/../../../etc/x": false,
		".env": false, ".git/config": false, "sub/.hidden/a": false, "hidden/config": false,
		"out/a.txt": false, "dangling": false, "loop": false, "/etc/passwd": false,
		filepath.Join(outside, "a.txt"): false, root + "/w2/a.txt": false,
	} {
		if got := plainFile(dir, path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
	if plainFile(filepath.Join(root, "none"), "a.txt") {
		t.Error("a directory that does not exist")
	}
}

func TestPathOf(t *testing.T) {
	for input, want := range map[string]string{
		`{"file_path":"/a"}`: "/a", `{"path":"/a"}`: "", `{"file_path":1}`: "", `[]`: "", ``: "",
		`{"file_path":"/a","file_path":"/b"}`: "",
	} {
		if got := pathOf(host.Call{Tool: "Write", Input: []byte(input)}); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
