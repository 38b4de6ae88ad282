package policy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/policy"
)

// TestDocs checks that the examples in docs/guard-policy.md can be read, and that
// its cases have the verdicts that they expect.
func TestDocs(t *testing.T) {
	raw, err := os.ReadFile("../../docs/guard-policy.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, b := range strings.Split(string(raw), "```toml\n")[1:] {
		text, _, _ := strings.Cut(b, "```")
		blocks = append(blocks, text)
	}
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	a, err := policy.Parse([]byte(blocks[0]))
	if err != nil {
		t.Fatalf("the policy: %v", err)
	}
	cases, err := policy.Cases([]byte(blocks[1]))
	if err != nil {
		t.Fatalf("the cases: %v", err)
	}
	a.File, a.Base, a.Loosens = "guard.toml", "/home/ann/api", true
	ctx := guard.Context{
		Cwd:        "/home/ann/api",
		Project:    "/home/ann/api",
		Home:       "/home/ann",
		Amendments: []guard.Amendment{a},
	}
	for _, c := range cases {
		ctx.Git = func(string) guard.GitFacts { return c.Git }
		if d := guard.Judge(c.Call, ctx); d.Verdict != c.Want || c.Rule != "" && d.Rule != c.Rule {
			t.Errorf("%s: %q by %s", c, d.Verdict, d.Rule)
		}
	}
	for command, want := range map[string]guard.Verdict{
		"systemctl stop x": guard.None, "npm publish": guard.Deny,
		"git push --force-with-lease origin topic":           guard.Ask,
		"sudo bash -c 'kubectl --context live delete pod x'": guard.Ask, "echo kubectl delete live": guard.None,
		"git push --force origin release/1": guard.Deny, "cat ~/notes/a": guard.Ask, "rm -rf infra": guard.Deny,
	} {
		ctx.Git = nil
		call := guard.Call{Tool: "Bash", Args: []guard.Arg{{Path: "command", Value: command}}}
		if d := guard.Judge(call, ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", command, d.Verdict, d.Rule, want)
		}
	}
}
