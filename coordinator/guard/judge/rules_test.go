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
	for p := range everyPolicy {
		if p.id == "" || !strings.Contains(p.id, ".") && p.id != "publish" {
			t.Errorf("%+v: no stable id", p.rule())
		}
		if p.verdict != None && (p.why == "" || p.instead == "") {
			t.Errorf("%s lacks a reason for the person or an alternative for the model", p.id)
		}
		if p.verdict != None && !strings.HasSuffix(p.instead, ".") {
			t.Errorf("%s: the alternative is no sentence: %q", p.id, p.instead)
		}
	}
	for _, r := range rules {
		if r.Verdict != Ask && r.Verdict != Deny {
			t.Errorf("%s: verdict %q", r.ID, r.Verdict)
		}
	}
}

// TestNoRuleIsShadowed checks that no row comes after an unconditional row of the same kind,
// where it could never apply.
func TestNoRuleIsShadowed(t *testing.T) {
	open := map[effect.Kind]string{}
	for p := range everyPolicy {
		for _, kind := range p.kinds() {
			if by, ok := open[kind]; ok {
				t.Errorf("%s can never apply: %s takes every %q", p.id, by, kind)
			}
		}
		for _, kind := range p.kinds() {
			if p.op == nil && p.in == 0 && p.is == nil {
				open[kind] = p.id
			}
		}
	}
}
