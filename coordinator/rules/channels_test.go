package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// channelNeutral are the packages that must not name a channel.
var channelNeutral = []string{"ask", "channel", "core", "feature", "message", "store", "topic"}

// TestNoChannelByName: only the channel itself, the composition root and the commands that
// connect a channel name it, in quotes or as a package.
func TestNoChannelByName(t *testing.T) {
	internal := filepath.Join(moduleRoot(t), "coordinator", "internal")
	var names []string
	for _, dir := range glob(t, filepath.Join(internal, "channel"), "*/*.go") {
		if name := filepath.Dir(dir); name != "conformance" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		t.Fatalf("channels: %q; want telegram and loopback at least", names)
	}
	for _, dir := range channelNeutral {
		files, err := filepath.Glob(filepath.Join(internal, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if regexp.MustCompile(`(?i)["/]` + name + `["/]`).Match(text) {
					t.Errorf("%s names the channel %s", file, name)
				}
			}
		}
	}
}
