package host_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
)

// TestChecks: what comes from outside has a form and a length before it reaches an argument.
func TestChecks(t *testing.T) {
	const uuid = "0b9b1b2e-1111-4222-8333-444455556666"
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, c := range map[string]struct {
		check func(string) error
		good  []string
		bad   []string
	}{
		"conversation": {host.CheckConversation, []string{uuid},
			[]string{"", "--x", strings.ToUpper(uuid), uuid + "\n"}},
		"model":  {host.CheckModel, []string{"", "a", "x/y:z@[1]", long(100)}, []string{"-a", "a b", "é", long(101)}},
		"thread": {host.CheckThread, []string{"", "ses_1", long(200)}, []string{"-a", "a/b", "a\n", long(201)}},
	} {
		for _, text := range c.good {
			if err := c.check(text); err != nil {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
		for _, text := range c.bad {
			if c.check(text) == nil {
				t.Errorf("%s: %q is taken", name, text)
			}
		}
	}
}
