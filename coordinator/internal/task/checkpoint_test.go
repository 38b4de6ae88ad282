package task

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const seedCheckpoint = `# Checkpoint: Awaiting Validation

## What I Did
Created 2 invoices.

## What I Need From You
Validate the invoices before sending.

## Details
- April: artifacts/invoice-2025-04.pdf

## Options
1. [Send both] → I'll email them
2. [Modify] → tell me what to change
3) Cancel -> nothing is sent
4. Wait
`

func TestCheckpoint(t *testing.T) {
	want := Checkpoint{
		Title:   "Awaiting Validation",
		Did:     "Created 2 invoices.",
		Need:    "Validate the invoices before sending.",
		Details: "- April: artifacts/invoice-2025-04.pdf",
		Options: []Option{
			{"Send both", "I'll email them"}, {"Modify", "tell me what to change"}, {"Cancel", "nothing is sent"},
			{"Wait", ""},
		},
	}
	got := ParseCheckpoint(seedCheckpoint)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBadCheckpoint: what is no checkpoint has no need, and is shown as it is.
func TestBadCheckpoint(t *testing.T) {
	for _, text := range []string{"", "\x00\xff", "# Checkpoint", "please help", "## Options\n1. [a]\n"} {
		if c := ParseCheckpoint(text); c.Complete() {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(seedCheckpoint)
	f.Fuzz(func(t *testing.T, text string) {
		c := ParseCheckpoint(text)
		if len(c.Options) > maxOptions {
			t.Fatalf("%+v", c)
		}
		for _, o := range c.Options {
			if o.Label == "" {
				t.Fatal("an option without a label")
			}
		}
	})
}
