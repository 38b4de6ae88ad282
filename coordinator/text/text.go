// Package text holds the small helpers for texts that people read. It is pure.
package text

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count returns a number with its noun in the right form: "1 file", "2 files",
// "3 stashes", "4 entries".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "ss"):
		noun += "es"
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Some returns a list of names, the first most of them: "a, b and 3 more".
func Some(names []string, most int) string {
	over := len(names) - most
	if over <= 0 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(over) + " more"
}

// Length returns a duration to the second, without empty parts: 2h, 12m5s.
func Length(d time.Duration) string {
	length := max(d, 0).Round(time.Second).String()
	if strings.HasSuffix(length, "m0s") {
		length = strings.TrimSuffix(length, "0s")
	}
	if strings.HasSuffix(length, "h0m") {
		length = strings.TrimSuffix(length, "0m")
	}
	return length
}

// Near returns a path as it is from a directory, else with ~ for one below the person's home.
func Near(path, dir, home string) string {
	if below, inside := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); inside && dir != "" {
		return below
	}
	if rest, inside := strings.CutPrefix(path+"/", home+"/"); inside && home != "" {
		return strings.TrimSuffix("~/"+rest, "/")
	}
	return path
}

// Only returns a text where it holds, "" elsewhere.
func Only(holds bool, s string) string {
	if holds {
		return s
	}
	return ""
}

// Series returns the texts that say anything, as one.
func Series(between string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), between)
}

// Fold returns s in one line, with one blank for each run of white space.
func Fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip returns s in at most most characters. A text that is cut ends with "…".
func Clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// ClipBytes returns at most most bytes of s, whole characters of them, with "…"
// behind a text that is cut.
func ClipBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// OnOff returns the word for a switch.
func OnOff(isOn bool) string {
	if isOn {
		return "on"
	}
	return "off"
}

// ShellQuote returns a word in single quotes, as a POSIX shell reads it.
func ShellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// refusals are what programs print when the kernel refuses them a file or a process.
var refusals = []string{"Permission denied", "permission denied", "EACCES", "Operation not permitted", "EPERM"}

// SaysRefused reports whether the output of a program says that the kernel refused it something.
func SaysRefused(output string) bool {
	return slices.ContainsFunc(refusals, func(r string) bool { return strings.Contains(output, r) })
}

// Capital returns a text with its first letter in upper case.
func Capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[size:]
}
