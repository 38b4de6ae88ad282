package tracker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func openGitHub(t *testing.T) Tracker { return openGitHubAt(t, t.TempDir()) }

func openGitHubAt(t *testing.T, top string) Tracker {
	t.Helper()
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(top, "gh")
	if err != nil || InTree(opened) {
		t.Fatalf("opened %v, %v", opened, err)
	}
	return opened
}

func TestGitHubConforms(t *testing.T) {
	standIn(t, "gh")
	conform(t, openGitHub)
}

// TestGitHubByHand reads issues that people made on the site.
func TestGitHubByHand(t *testing.T) {
	standIn(t, "gh")
	gh := githubTool.at(t.TempDir())
	b := bench{t, openGitHubAt(t, gh.top)}
	gone, ground := b.make("gone", 1), b.make("ground", 1)
	b.set(gone.ID, StatusClosed, "")
	text := fmt.Sprintf("It is\nneeds: #%s and #%s,#%s\n\nNeeds #7 more. Needs: none\n", gone.ID, ground.ID, ground.ID)
	_, err := gh.run(t.Context(), text, "issue", "create", "--title=wall", "--body-file=-", "--label=P1")
	if err != nil {
		t.Fatal(err)
	}
	b.wantTitles("ground wall", "ground")
	wall := b.show("#3")
	if wall.Priority != 1 || strings.Join(wall.Needs, " ") != gone.ID+" "+ground.ID ||
		strings.Join(wall.Waits, " ") != ground.ID {
		t.Errorf("%+v", wall)
	}
	if _, err := b.Show(t.Context(), "100"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a pull request was shown as an issue: %v", err)
	}
	b.set("3", StatusPaused, "")
	b.set("3", StatusClosed, "")
	b.set("3", StatusOpen, "")
	if got := b.show("3"); got.Status != StatusOpen || got.Priority != 1 {
		t.Errorf("reopened: %+v", got)
	}
}
