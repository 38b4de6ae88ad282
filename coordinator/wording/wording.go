// Package wording says in words what the wire's replies hold, so that the command line and
// the page use the same ones. It is pure. The texts may hold what a session wrote: whoever
// shows them makes that harmless, as a terminal or a browser needs it.
package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// Span returns a duration in its largest unit.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Ago says how long ago something was.
func Ago(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return Span(d) + " ago"
}

// Left says how long it is until something.
func Left(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return "in " + Span(d)
}

// Tokens returns a number of tokens in three digits or less.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d tokens", n)
	case n < 999_500:
		return fmt.Sprintf("%dk tokens", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM tokens", float64(n)/1e6)
}

// USD returns an amount of dollars.
func USD(amount float64) string { return fmt.Sprintf("$%.2f", amount) }

// On returns " on " and the channel through which somebody acted. It returns "" where the name of
// who acted has the channel already, such as "ann at the terminal" and "trigger night".
func On(by, channel string) string {
	if channel == "" || strings.Contains(by, " at the ") || strings.HasPrefix(by, channel+" ") {
		return ""
	}
	return " on " + channel
}

// line folds a text into one line of at most most characters.
func line(s string, most int) string { return text.Clip(text.Fold(s), most) }
