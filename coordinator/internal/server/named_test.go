package server

import (
	"errors"
	"testing"
)

func TestMeant(t *testing.T) {
	ids := []string{"ask_ab", "ask_abcd", "ask_xy01"}
	for typed, want := range map[string]string{
		"ask_ab": "ask_ab", "ask_abc": "ask_abcd", "abc": "ask_abcd", "x": "ask_xy01", "ask_old": "ask_old", "ask": "ask",
	} {
		if got, err := meant(typed, "ask_", ids); got != want || err != nil {
			t.Errorf("meant(%q) = %q, %v; want %q", typed, got, err, want)
		}
	}
	for _, typed := range []string{"", "ask_", "a", "ask_a"} {
		if got, err := meant(typed, "ask_", ids); !errors.Is(err, errUnclear) {
			t.Errorf("meant(%q) = %q, %v; want it to be unclear", typed, got, err)
		}
	}
	if got, err := meant("ask_", "ask_", ids[:1]); !errors.Is(err, errUnclear) {
		t.Errorf("an empty beginning means %q, %v, with one question open; want it to be unclear", got, err)
	}
}
