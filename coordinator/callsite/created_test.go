package callsite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/callsite"
)

// TestCreated: a tree is the session's if everything in it was created after the
// transcript. Moving or linking a file, or changing its dates, does not matter.
func TestCreated(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("old/a")
	put("loose")
	put("linked")
	put("transcript.jsonl")
	created := callsite.Created(at("transcript.jsonl"))
	// The file system's clock is coarse: wait until a new file is younger.
	for put("probe"); !created(at("probe")); put("probe") {
		if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
			t.Skip("this system does not say when a file was created")
		}
		if err := os.Remove(at("probe")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	put("new/a")
	put("new/deep/b")
	put("mixed/b")
	put("hard/b")
	put("redated")
	for _, err := range []error{
		os.Rename(at("loose"), at("mixed/loose")),
		os.Link(at("linked"), at("hard/linked")),
		os.Symlink(at("old"), at("link")),
		os.Chtimes(at("old/a"), time.Now(), time.Now()),
		os.Chtimes(at("redated"), time.Unix(0, 0), time.Unix(0, 0)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"new": true, "new/deep": true, "redated": true, "link": true,
		"old": false, "old/a": false, "mixed": false, "hard": false, "none": false, ".": false,
	} {
		if got := created(at(name)); got != want {
			t.Errorf("%s is the session's: %v", name, got)
		}
	}
	if callsite.Created(at("no transcript"))(at("new")) {
		t.Error("without a transcript nothing is known")
	}
}
