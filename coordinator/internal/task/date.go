package task

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Day is a date as a file means it.
type Day struct {
	Words string    // as they stand in the file
	From  time.Time // the beginning of the day
	End   bool      // the words mean the end of the day: by, until
}

// passed reports whether d is reached at now: its beginning, or its end where the words
// mean that. No day is never reached.
func (d Day) passed(now time.Time) bool {
	if d.From.IsZero() {
		return false
	}
	at := d.From
	if d.End {
		at = at.AddDate(0, 0, 1)
	}
	return !now.Before(at)
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

const monthName = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|` +
	`sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// A dateForm is one way to write a date. Its reader gets the parts that the pattern found,
// and the day before which the date cannot lie where the words name no year.
type dateForm struct {
	pattern *regexp.Regexp
	read    func(parts []string, base time.Time) time.Time
}

// dateForms are tried in order. A date in numbers alone, like 03/04, is in none of them,
// because it means another day in another country.
var dateForms = []dateForm{
	{form(`(\d{4})-(\d{2})-(\d{2})`), func(p []string, base time.Time) time.Time {
		return date(number(p[1]), number(p[2]), number(p[3]), base.Location())
	}},
	{form(`(\d{1,2})(?:st|nd|rd|th)?\.? ` + monthName + `(?:,? (\d{4}))?`), func(p []string, base time.Time) time.Time {
		return dayOfYear(p[3], month(p[2]), number(p[1]), base)
	}},
	{form(monthName + ` (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?`), func(p []string, base time.Time) time.Time {
		return dayOfYear(p[3], month(p[1]), number(p[2]), base)
	}},
	{form(`in (\d{1,3}) (day|week|month)s?`), func(p []string, base time.Time) time.Time {
		return later(base, number(p[1]), p[2])
	}},
	{form(`tomorrow`), func(_ []string, base time.Time) time.Time { return later(base, 1, "day") }},
	{form(`(?:next )?(mon|tues|wednes|thurs|fri|satur|sun)day`), func(p []string, base time.Time) time.Time {
		return weekday(p[1], base)
	}},
}

func form(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// findDay returns the first date in a text. base is the day on which the text was written,
// zero if that is unknown: then only a date with a year counts.
func findDay(text string, base time.Time) (Day, bool) {
	first, at := Day{}, -1
	for _, f := range dateForms {
		m := f.pattern.FindStringSubmatchIndex(text)
		if m == nil || at >= 0 && at <= m[0] {
			continue
		}
		from := f.read(parts(text, m), base)
		if !from.IsZero() {
			first, at = Day{Words: text[m[0]:m[1]], From: from}, m[0]
		}
	}
	return first, at >= 0
}

// parts returns the texts of a match, "" for a part that is absent.
func parts(text string, m []int) []string {
	found := make([]string, len(m)/2)
	for i := range found {
		if m[2*i] >= 0 {
			found[i] = strings.ToLower(text[m[2*i]:m[2*i+1]])
		}
	}
	return found
}

// number returns the value of some digits that a pattern has found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most four digits
	return n
}

func month(name string) int { return 1 + slices.Index(months, name[:3]) }

// date returns the beginning of a day, or zero if there is no such day.
func date(year, month, day int, loc *time.Location) time.Time {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, loc)
	if t.Month() != time.Month(month) || t.Day() != day {
		return time.Time{}
	}
	return t
}

// dayOfYear returns the day in a year, or its next one from base where the year is "".
func dayOfYear(year string, month, day int, base time.Time) time.Time {
	if year != "" {
		return date(number(year), month, day, base.Location())
	}
	if base.IsZero() {
		return time.Time{}
	}
	t := date(base.Year(), month, day, base.Location())
	if t.Before(base) {
		t = date(base.Year()+1, month, day, base.Location())
	}
	return t
}

// later returns the day some days, weeks or months after base.
func later(base time.Time, n int, unit string) time.Time {
	if base.IsZero() {
		return time.Time{}
	}
	switch unit {
	case "day":
		return base.AddDate(0, 0, n)
	case "week":
		return base.AddDate(0, 0, 7*n)
	}
	return base.AddDate(0, n, 0)
}

// weekday returns the next day with a name after base.
func weekday(name string, base time.Time) time.Time {
	if base.IsZero() {
		return time.Time{}
	}
	for n := 1; n <= 7; n++ {
		if t := base.AddDate(0, 0, n); strings.HasPrefix(strings.ToLower(t.Weekday().String()), name) {
			return t
		}
	}
	return time.Time{}
}

// until finds the words after which a date says when something is over or to be done again.
var until = regexp.MustCompile(`(?i)\b(by|until|till|before|after|from|on or after|not before|d'ici|avant)\b`)

// endOfDay are those of them that mean the end of the day.
var endOfDay = []string{"by", "until", "till", "after", "d'ici"}

// findDue returns the last date in a text that such a word announces.
func findDue(text string, base time.Time) Day {
	var due Day
	for _, m := range until.FindAllStringIndex(text, -1) {
		word, rest := strings.ToLower(text[m[0]:m[1]]), strings.TrimLeft(text[m[1]:], " :\t")
		line, _, _ := strings.Cut(rest, "\n")
		d, ok := findDay(line, base)
		if !ok || !strings.HasPrefix(strings.TrimPrefix(strings.ToLower(line), "the "), strings.ToLower(d.Words)) {
			continue
		}
		d.Words, d.End = text[m[0]:m[1]]+" "+d.Words, slices.Contains(endOfDay, word)
		due = d
	}
	return due
}

// dueOf returns when a task goes on that waits: the date of a line NEXT ACTION, else the
// date that the words of the section announce.
func dueOf(section string, base time.Time) Day {
	if value, ok := lineOf(section, "NEXT ACTION"); ok {
		d, _ := findDay(value, base)
		d.Words = cmp.Or(d.Words, value)
		return d
	}
	return findDue(section, base)
}
