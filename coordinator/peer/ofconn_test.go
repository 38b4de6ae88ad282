package peer

import (
	"slices"
	"strings"
	"testing"
)

// TestHoldersIn reads what lsof prints.
func TestHoldersIn(t *testing.T) {
	const connection = "127.0.0.1:51000->127.0.0.1:7357"
	for _, c := range []struct {
		name, out string
		want      []int
	}{
		{"nothing", "", nil},
		{"one, and the server",
			"p10\nf5\nn127.0.0.1:7357->127.0.0.1:51000\np20\nf7\nn127.0.0.1:51000->127.0.0.1:7357\n", []int{20}},
		{"two", "p20\nf7\nn" + connection + "\nf8\nn" + connection + "\np30\nf1\nn" + connection + "\n", []int{20, 30}},
		{"another port", "p20\nf7\nn127.0.0.1:51000->127.0.0.1:73570\nn127.0.0.1:5100->127.0.0.1:7357\n", nil},
		{"no process", "n" + connection + "\npx\nn" + connection + "\n", nil},
		{"cut off", "p20\nf7\nn127.0.0.1:51000->127.0.0.1:73", nil},
	} {
		if got := holdersIn(strings.Lines(c.out), connection); !slices.Equal(got, c.want) {
			t.Errorf("%s: have %v, want %v", c.name, got, c.want)
		}
	}
}
