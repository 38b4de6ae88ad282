package approved_test

import (
	"errors"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
)

// TestLife: what was approved counts until its content changes, and counts again with the approved content.
func TestLife(t *testing.T) {
	now := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	f := approved.File{}
	if f.State("h", nil) != approved.Proposed || f.Live() {
		t.Errorf("before a person has approved it: %+v", f)
	}
	f = f.Approve("h", "Ana", now)
	if f.State("h", nil) != approved.On || f.By != "Ana" || !f.At.Equal(now) {
		t.Errorf("approved: %+v", f)
	}
	held := f.Hold("its file was changed", later)
	if held.Live() || !held.On || held.State("other", nil) != approved.Proposed || !held.At.Equal(later) {
		t.Errorf("changed: %+v", held)
	}
	if again := held.Hold("its file was changed", later.Add(time.Hour)); again != held {
		t.Errorf("a second look at the same change: %+v", again)
	}
	if back := held.Hold("", later); !back.Live() || back.State("h", nil) != approved.On || back.Hash != "h" {
		t.Errorf("changed back: %+v", back)
	}
	off := held.Off()
	if off.State("h", nil) != approved.Off || off.Held != "" || off.Hash != "h" {
		t.Errorf("switched off: %+v", off)
	}
	if off.Hold("its file was changed", later) != off {
		t.Error("what is off was held")
	}
	if f.State("h", errors.New("no such file")) != approved.Broken {
		t.Error("a content that cannot be read is not broken")
	}
	if other := held.Approve("h2", "Bob", later); other.State("h2", nil) != approved.On || other.Held != "" {
		t.Errorf("another content approved: %+v", other)
	}
}
