package verbs

import (
	"slices"
	"strings"
	"testing"
)

// TestWords: each list is sorted, and no verb is in two classes.
func TestWords(t *testing.T) {
	in := map[string]string{}
	for name, list := range map[string]string{
		"Ending": Ending, "plain": plain, "short": short, "Changing": Changing, "small": small, "reading": reading,
	} {
		for _, word := range strings.Fields(list) {
			if other, twice := in[word]; twice {
				t.Errorf("%s is in %s and in %s", word, other, name)
			}
			in[word] = name
		}
	}
	for _, list := range []string{
		Ending, plain, short, Changing, small, reading, readingNouns, wiping, whole, hosted, stored, slight, Rights, telling,
	} {
		if words := strings.Fields(list); !slices.IsSorted(words) {
			t.Errorf("not sorted: %s", list)
		}
	}
}

func TestOf(t *testing.T) {
	for verb, want := range map[string]Class{
		"delete": Destroys, "teardown": Destroys, "rb": Destroys, "rotate": Changes, "clear": Changes,
		"list": Reads, "create": Unknown, "": Unknown,
	} {
		if got := Of(verb); got != want {
			t.Errorf("%q: %d, want %d", verb, got, want)
		}
	}
}

// TestNames: a name is judged by its words, in whatever form it is written.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"deleteRepository": true, "purge_cache": true, "removeStar": false, "createRepository": false, "": false,
	} {
		if EndsByName(name) != want {
			t.Errorf("EndsByName(%q) is not %v", name, want)
		}
	}
	for value, want := range map[string]bool{"deleteMany": true, "delete": true, "deleted": false, "list": false, "": false} {
		if EndsAction(value) != want {
			t.Errorf("EndsAction(%q) is not %v", value, want)
		}
	}
	for path, want := range map[string]bool{"/v1/keys/7/revoke": true, "/users:delete": true, "/users/7": false} {
		if EndsByPath(path) != want {
			t.Errorf("EndsByPath(%q) is not %v", path, want)
		}
	}
	for operand, want := range map[string]bool{
		"migrate:fresh": true, "ecto.drop": true, "db:test:drop": false, "drop": false, "migrate:status": false,
	} {
		if WipesData(operand) != want {
			t.Errorf("WipesData(%q) is not %v", operand, want)
		}
	}
}
