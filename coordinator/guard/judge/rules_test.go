package judge

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/effect"
)

func TestEveryRuleIsComplete(t *testing.T) {
	rules := Rules()
	if len(rules) < 60 {
		t.Fatalf("only %d rules", len(rules))
	}
	for _, p := range policies {
		if p.ID == "" || !strings.Contains(p.ID, ".") && p.ID != "publish" {
			t.Errorf("%+v: no stable id", p.Rule)
		}
		if p.Verdict != None && (p.Why == "" || p.Instead == "") {
			t.Errorf("%s lacks a reason for the person or an alternative for the model", p.ID)
		}
		if p.Verdict != None && !strings.HasSuffix(p.Instead, ".") {
			t.Errorf("%s: the alternative is no sentence: %q", p.ID, p.Instead)
		}
	}
	for _, r := range rules {
		if r.Verdict != Ask && r.Verdict != Deny {
			t.Errorf("%s: verdict %q", r.ID, r.Verdict)
		}
	}
}

// A row behind a row of the same kind without a condition can never apply.
func TestNoRuleIsShadowed(t *testing.T) {
	open := map[effect.Kind]string{}
	for _, p := range policies {
		if by, ok := open[p.kind]; ok {
			t.Errorf("%s can never apply: %s takes every %q", p.ID, by, p.kind)
		}
		if p.when.always() {
			open[p.kind] = p.ID
		}
	}
}
