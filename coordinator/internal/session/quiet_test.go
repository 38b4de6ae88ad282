package session

import (
	"testing"
	"time"
)

func TestQuiet(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	night := Quiet{From: 22 * time.Hour, To: 7*time.Hour + 30*time.Minute, Zone: berlin}
	noon := Quiet{From: 12 * time.Hour, To: 13 * time.Hour, Zone: berlin}
	early := Quiet{From: 2*time.Hour + 30*time.Minute, To: 5 * time.Hour, Zone: berlin}
	for _, c := range []struct {
		name  string
		q     Quiet
		now   string
		until string // "" is not quiet
	}{
		{"never", Quiet{Zone: berlin}, "2026-06-01T23:00:00+02:00", ""},
		{"no zone", Quiet{From: 1, To: 2}, "2026-06-01T23:00:00+02:00", ""},
		{"before it", night, "2026-06-01T21:59:59+02:00", ""},
		{"its first moment", night, "2026-06-01T22:00:00+02:00", "2026-06-02T07:30:00+02:00"},
		{"behind midnight", night, "2026-06-02T03:00:00+02:00", "2026-06-02T07:30:00+02:00"},
		{"its last moment", night, "2026-06-02T07:29:59+02:00", "2026-06-02T07:30:00+02:00"},
		{"over", night, "2026-06-02T07:30:00+02:00", ""},
		{"from another zone", night, "2026-06-01T20:00:00Z", "2026-06-02T07:30:00+02:00"},
		{"over the year", night, "2026-12-31T23:30:00+01:00", "2027-01-01T07:30:00+01:00"},
		{"within a day", noon, "2026-06-01T12:30:00+02:00", "2026-06-01T13:00:00+02:00"},
		{"a day's hours, at night", noon, "2026-06-01T23:30:00+02:00", ""},
		// clocks go from 02:00 to 03:00 on 2026-03-29, from 03:00 to 02:00 on 2026-10-25
		{"a night that is an hour shorter", night, "2026-03-28T23:00:00+01:00", "2026-03-29T07:30:00+02:00"},
		{"a night that is an hour longer", night, "2026-10-24T23:00:00+02:00", "2026-10-25T07:30:00+01:00"},
		{"an end by the new clock", night, "2026-03-29T06:45:00+02:00", "2026-03-29T07:30:00+02:00"},
		{"a beginning that does not exist", early, "2026-03-29T04:00:00+02:00", "2026-03-29T05:00:00+02:00"},
		{"the hour that comes twice", early, "2026-10-25T02:45:00+01:00", "2026-10-25T05:00:00+01:00"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if at := c.q.Until(now); !at.IsZero() {
			got = at.In(berlin).Format(time.RFC3339)
		}
		if got != c.until {
			t.Errorf("%s: until %q, want %q", c.name, got, c.until)
		}
	}
}
