package noun

import (
	"errors"
	"fmt"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
)

func TestMeant(t *testing.T) {
	ids := []string{"ask_ab", "ask_abcd", "ask_xy01"}
	for typed, want := range map[string]string{
		"ask_ab": "ask_ab", "ask_abc": "ask_abcd", "abc": "ask_abcd", "x": "ask_xy01",
		"ask_old": "ask_old", "ask": "ask",
	} {
		if got, err := resolveID(typed, "ask_", ids); got != want || err != nil {
			t.Errorf("resolveID(%q) = %q, %v; want %q", typed, got, err, want)
		}
	}
	for _, typed := range []string{"", "ask_", "a", "ask_a"} {
		if got, err := resolveID(typed, "ask_", ids); !errors.Is(err, door.ErrBadRequest) {
			t.Errorf("resolveID(%q) = %q, %v; want it to be unclear", typed, got, err)
		}
	}
	if got, err := resolveID("ask_", "ask_", ids[:1]); !errors.Is(err, door.ErrBadRequest) {
		t.Errorf("an empty beginning means %q, %v, with one question open; want it to be unclear", got, err)
	}
}

// The shown part of an id is enough to name it.
func TestBeginnings(t *testing.T) {
	ids := []string{"ask_ab", "ask_abcd", "ask_0000"}
	for i := range 300 {
		ids = append(ids, fmt.Sprintf("ask_0000%x", i*7919))
	}
	all := beginnings(ids)
	for _, id := range ids {
		short := all[id]
		if got, err := resolveID(short, "ask_", ids); got != id || err != nil {
			t.Fatalf("%q names %q, %v; want %q", short, got, err, id)
		}
	}
	if all["ask_abcd"] != "ask_abcd" || all["ask_09aa"] != "" {
		t.Errorf("%q and %q", all["ask_abcd"], all["ask_09aa"])
	}
	if one := beginnings([]string{"ask_aabbccdd01"}); one["ask_aabbccdd01"] != "ask_aabb" {
		t.Errorf("a single id is shortened to %q", one)
	}
}
