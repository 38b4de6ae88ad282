package wording

import (
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

func TestRunLevels(t *testing.T) {
	runs := []wire.Run{
		{Name: "top"}, {Name: "kid", Parent: "run:top"}, {Name: "grandkid", Parent: "run:kid"},
		{Name: "of a session", Parent: "session:x"}, {Name: "orphan", Parent: "run:gone"},
	}
	if got := RunLevels(runs); !slices.Equal(got, []int{0, 1, 2, 0, 0}) {
		t.Errorf("%v", got)
	}
}
