package gitfilter_test

import (
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/gitfilter"
)

func TestOff(t *testing.T) {
	for keys, want := range map[string][]string{
		"": {"GIT_CONFIG_COUNT=0"},
		"filter.a=b.clean\x00filter.lfs.required\x00": {
			"GIT_CONFIG_KEY_0=filter.a=b.clean", "GIT_CONFIG_VALUE_0=",
			"GIT_CONFIG_KEY_1=filter.lfs.required", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_COUNT=2",
		},
	} {
		if got := gitfilter.Off(keys); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", keys, got, want)
		}
	}
}
