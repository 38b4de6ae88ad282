package trigger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestNext lists the instants of rules after a time: ordinary ones, both changes of summer time
// in several zones, and days that do not exist.
func TestNext(t *testing.T) {
	for _, c := range []struct{ on, after, want string }{
		{"cron 0 7 * * 1-5 Europe/Berlin", "2026-11-20T06:00:00Z", "2026-11-23T06:00:00Z 2026-11-24T06:00:00Z"},
		{"cron 0 7 * * * Europe/Berlin", "2026-03-27T07:00:00Z", "2026-03-28T06:00:00Z 2026-03-29T05:00:00Z"},
		{"cron 0 7 * * * Europe/Berlin", "2026-10-24T06:00:00Z", "2026-10-25T06:00:00Z 2026-10-26T06:00:00Z"},
		// The clock skips 02:30: the rule is due when it has skipped it, and on the next day as usual.
		{"cron 30 2 * * * America/New_York", "2026-03-07T08:00:00Z", "2026-03-08T07:00:00Z 2026-03-09T06:30:00Z"},
		// It skips two times of the rule: due once.
		{"cron 15,45 2 * * * America/New_York", "2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z 2026-03-09T06:15:00Z"},
		// It shows 01:30 twice: due the first time.
		{"cron 30 1 * * * America/New_York", "2026-10-31T06:00:00Z", "2026-11-01T05:30:00Z 2026-11-02T06:30:00Z"},
		{"cron 30 1 * * * America/New_York", "2026-11-01T06:10:00Z", "2026-11-02T06:30:00Z"},
		// A rule of intervals is due each time.
		{
			"cron */30 * * * * America/New_York", "2026-11-01T05:00:00Z",
			"2026-11-01T05:30:00Z 2026-11-01T06:00:00Z 2026-11-01T06:30:00Z 2026-11-01T07:00:00Z",
		},
		{"cron */30 1-3 * * * America/New_York", "2026-03-08T06:00:00Z", "2026-03-08T06:30:00Z 2026-03-08T07:00:00Z"},
		{"cron 0 */6 * * * Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T05:00:00Z 2026-10-25T11:00:00Z"},
		// Lord Howe moves its clock by half an hour.
		{"cron 45 1 * * * Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-04T14:45:00Z 2026-04-05T15:15:00Z"},
		{"cron 15 2 * * * Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z 2026-10-04T15:15:00Z"},
		// Midnight does not exist on the day of the change in Havana and Beirut.
		{"cron 0 0 * * * America/Havana", "2026-03-07T06:00:00Z", "2026-03-08T05:00:00Z 2026-03-09T04:00:00Z"},
		{"cron */15 0-1 * * * Asia/Beirut", "2026-03-28T21:44:00Z", "2026-03-28T22:00:00Z 2026-03-28T22:15:00Z"},
		// Both days are given: one of them is enough.
		{"cron 0 9 13 * 5 UTC", "2026-11-01T00:00:00Z",
			"2026-11-06T09:00:00Z 2026-11-13T09:00:00Z 2026-11-20T09:00:00Z"},
		{"cron 0 9 */2 * 5 UTC", "2026-11-01T10:00:00Z", "2026-11-13T09:00:00Z 2026-11-27T09:00:00Z"},
		{"cron 0 0 29 feb * UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z 2032-02-29T00:00:00Z"},
		{"cron */20 0 29 2 * UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z 2028-02-29T00:20:00Z"},
		{"cron 0 12 * * sun UTC", "2026-11-22T11:59:59Z", "2026-11-22T12:00:00Z 2026-11-29T12:00:00Z"},
		{"cron 0 12 * * 7 UTC", "2026-11-22T12:00:00Z", "2026-11-29T12:00:00Z"},
		{"cron 5-50/15 8 1 1,7 * UTC", "2026-06-30T23:00:00Z", "2026-07-01T08:05:00Z 2026-07-01T08:20:00Z"},
		{"once 2026-12-01 09:00 Europe/Berlin", "2026-11-01T00:00:00Z", "2026-12-01T08:00:00Z"},
		{"once 2026-12-01 09:00 Europe/Berlin", "2026-12-01T08:00:00Z", ""},
		{"once 2026-03-08 02:30 America/New_York", "2026-03-01T00:00:00Z", "2026-03-08T07:00:00Z"},
		{"every 90m", "2026-11-23T10:00:00Z", "2026-11-23T10:30:00Z 2026-11-23T12:00:00Z"},
		{"every 90m", "2026-11-23T08:59:00Z", "2026-11-23T09:00:00Z 2026-11-23T10:30:00Z"},
		{"every 1d12h", "2026-11-22T00:00:00Z", "2026-11-23T09:00:00Z 2026-11-24T21:00:00Z"},
	} {
		w, err := trigger.ParseWhen(c.on, time.LoadLocation)
		if err != nil {
			t.Errorf("%s: %v", c.on, err)
			continue
		}
		anchor, after := at(t, "2026-11-23T09:00:00Z"), at(t, c.after)
		var have []string
		for range strings.Fields(c.want) {
			i, ok := w.Next(after, anchor)
			if !ok {
				break
			}
			have, after = append(have, i.At.UTC().Format(time.RFC3339)), i.At
		}
		if i, ok := w.Next(after, anchor); c.want == "" && ok {
			t.Errorf("%s after %s: due at %v", c.on, c.after, i)
		}
		if got := strings.Join(have, " "); got != c.want {
			t.Errorf("%s after %s:\nhave %s\nwant %s", c.on, c.after, got, c.want)
		}
	}
}

// TestOncePerDay: over years and in many zones, a rule for a time of the day has exactly one
// instant on each day of its clock, and no key twice.
func TestOncePerDay(t *testing.T) {
	for _, zone := range []string{
		"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut",
		"Africa/Casablanca", "Pacific/Apia", "America/Sao_Paulo", "Asia/Kathmandu",
	} {
		for _, clock := range []string{"0 0", "30 0", "30 1", "15 2", "59 2", "0 3", "59 23"} {
			w, err := trigger.ParseWhen("cron "+clock+" * * * "+zone, time.LoadLocation)
			if err != nil {
				t.Fatal(err)
			}
			keys := map[string]bool{}
			i, ok := w.Next(at(t, "2025-12-31T23:59:00Z"), time.Time{})
			for end := at(t, "2029-01-01T00:00:00Z"); ok && i.At.Before(end); {
				if keys[i.Key] {
					t.Fatalf("%s %s: %s twice", clock, zone, i.Key)
				}
				keys[i.Key] = true
				i, ok = w.Next(i.At, time.Time{})
			}
			if n := len(keys); n < 1095 || n > 1097 { // 1096 days
				t.Errorf("%s %s: %d instants in three years", clock, zone, n)
			}
		}
	}
}

// TestZoneRulesChange: the rules of a zone change between two looks. The day's time has the
// same key before and after, so it does not fire again.
func TestZoneRulesChange(t *testing.T) {
	zone := time.FixedZone("Land/Capital", 2*3600)
	zones := func(string) (*time.Location, error) { return zone, nil }
	before, err := trigger.ParseWhen("cron 0 7 * * * Land/Capital", zones)
	if err != nil {
		t.Fatal(err)
	}
	zone = time.FixedZone("Land/Capital", 3600)
	after, _ := trigger.ParseWhen("cron 0 7 * * * Land/Capital", zones)
	fired, _ := before.Next(at(t, "2026-11-23T00:00:00Z"), time.Time{})
	again, _ := after.Next(fired.At, time.Time{})
	if !again.At.Equal(at(t, "2026-11-23T06:00:00Z")) || again.Key != fired.Key {
		t.Errorf("fired %v, then %v", fired, again)
	}
}

// TestMovedMachine: a daily rule without a zone fires once on a day on which the machine moves to
// another zone, however the system names that.
func TestMovedMachine(t *testing.T) {
	for _, c := range []struct{ from, to, fired, next string }{
		{"Europe/Berlin", "America/New_York", "2026-11-23T06:00:00Z", "2026-11-24T12:00:00Z"},
		{"America/New_York", "Europe/Berlin", "2026-11-23T12:00:00Z", "2026-11-24T06:00:00Z"},
		{"Pacific/Auckland", "Pacific/Honolulu", "2026-11-22T18:00:00Z", "2026-11-24T17:00:00Z"},
	} {
		here := c.from
		zones := func(string) (*time.Location, error) { return time.LoadLocation(here) }
		before, err := trigger.ParseWhen("cron 0 7 * * *", zones)
		if err != nil {
			t.Fatal(err)
		}
		fired, _ := before.Next(at(t, c.fired).Add(-time.Second), time.Time{})
		here = c.to
		after, _ := trigger.ParseWhen("cron 0 7 * * *", zones)
		next, _ := after.Next(fired.At, time.Time{})
		if next.Key == fired.Key {
			next, _ = after.Next(next.At, time.Time{})
		}
		if !fired.At.Equal(at(t, c.fired)) || !next.At.Equal(at(t, c.next)) || next.Key == fired.Key {
			t.Errorf("%s to %s: fired %v, then %v", c.from, c.to, fired, next)
		}
	}
}

func TestWhenRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "on is empty",
		"cron":                     "cron has 0 fields",
		"cron 0 7 * *":             "cron has 4 fields",
		"cron 0 0 7 * * 1 UTC":     "cron has 7 fields",
		"cron 60 7 * * *":          `unknown minute "60"; want *, or numbers from 0 to 59`,
		"cron -1 7 * * *":          "unknown minute",
		"cron 0 24 * * *":          "unknown hour",
		"cron 0 0 0 * *":           "from 1 to 31",
		"cron 0 0 * 13 *":          "from 1 to 12",
		"cron 0 0 * * 8":           "from 0 to 7",
		"cron 0 0 30 2 *":          "want a day that exists",
		"cron */90 * * * *":        `unknown minute "*/`,
		"cron */0 * * * *":         `unknown minute "*/`,
		"cron 9-5 * * * *":         `unknown minute "9-5"`,
		"cron 1,,2 * * * *":        "unknown minute",
		"cron * * * * * Nowhere":   "unknown time zone",
		"cron * * * * * Local":     "unknown time zone",
		"cron * * * * * ../../etc": "unknown time zone",
		"cron @daily":              "cron has 1 fields",
		"once":                     "want once",
		"once 2026-02-30 09:00":    "unknown time",
		"once 2026-12-01 9":        "unknown time",
		"every":                    "one length of time",
		"every 2h 3m":              "one length of time",
		"every 10ms":               "unknown length of time",
		"every -2h":                "unknown length of time",
		"every 999999999999d":      "unknown length of time",
		"every dd":                 "unknown length of time",
		"webhook x":                `unknown "x" after webhook`,
		"hourly":                   `unknown on "hourly"`,
		"file":                     "file needs a pattern",
	} {
		if _, err := trigger.ParseWhen(text, time.LoadLocation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzWhen: no text breaks the reader, and the next instant of a rule is after the time that
// was asked about.
func FuzzWhen(f *testing.F) {
	for _, seed := range []string{
		"cron 0 7 * * 1-5 Europe/Berlin", "cron */7,3-9/2 * 29 feb 7 UTC", "once 2026-12-01 09:00", "every 1d2h",
		"cron 0 0 31 * 1",
	} {
		f.Add(seed, int64(1795428000))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		w, err := trigger.ParseWhen(text, time.LoadLocation)
		if err != nil || seconds < 0 || seconds > 1<<33 {
			return
		}
		now := time.Unix(seconds, 0)
		if i, ok := w.Next(now, time.Unix(1795428000, 0)); ok && (!i.At.After(now) || i.Key == "") {
			t.Errorf("%q after %v: %v", text, now, i)
		}
	})
}
