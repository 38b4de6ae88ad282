package tracker

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRealGitHubTakesOurLines runs gh itself if it is in PATH, without a login. gh must
// understand each of our commands, and refuse it only because of the missing login.
// Nothing goes over the network.
func TestRealGitHubTakesOurLines(t *testing.T) {
	if _, err := exec.LookPath("gh"); err != nil {
		t.Skip("gh is not in PATH: go build github.com/cli/cli/v2/cmd/gh at v2.83.0")
	}
	dir := t.TempDir()
	for _, name := range []string{
		"GH_TOKEN",
		"GITHUB_TOKEN",
		"GH_ENTERPRISE_TOKEN",
		"GITHUB_ENTERPRISE_TOKEN",
		"GH_HOST",
		"GH_REPO",
		// With one of these gh names GH_TOKEN as the way out, not the login.
		"CI",
		"BUILD_NUMBER",
		"RUN_ID",
		"GITHUB_ACTIONS",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("GH_CONFIG_DIR", dir)
	t.Setenv("HOME", dir)
	gh := githubTool.at(dir)
	for line, want := range map[string]string{
		"issue list --state=open --limit=1000 --json=" + ghFields:     "gh auth login",
		"issue view 12 --json=" + ghFields + ",comments":              "gh auth login",
		"issue create --title=-x --body-file=- --label=P1":            "gh auth login",
		"issue edit 12 --remove-label=in_progress --add-label=paused": "gh auth login",
		"issue comment 12 --body-file=-":                              "gh auth login",
		"issue close 12 --reason=completed":                           "gh auth login",
		"issue reopen 12":                                             "gh auth login",
		"label create P1 --description=Set":                           "gh auth login",
		"issue close 12 --reason=nonsense":                            "valid values are",
		"issue view 12 --nonsense":                                    "unknown flag",
		"issue edit --add-label=paused":                               "arg",
		"issue nonsense 12 --json=" + ghFields:                        "unknown",
	} {
		_, err := gh.run(t.Context(), "", strings.Fields(line)...)
		if !failedWith(err, want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
