package loop

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrNoTask is returned for a loop without a task. Parse then also returns the options.
var ErrNoTask = errors.New("no task; try /loop --max 5 make the tests pass")

// Options are what a person asks of a loop.
type Options struct {
	Max          int           // iterations
	For          time.Duration // 0 for no limit
	Budget       float64       // in USD; 0 for no limit
	Tokens       int64         // 0 for no limit
	Check        string        // the shell command that decides whether the work is done
	CheckTimeout time.Duration // set if Check is
	Greens       int           // green results in a row that prove the work; 0 means one
	Task         string        // the goal, byte for byte
	Every        string        // such as "5m": the person wants a schedule, not a loop

	// The caller sets the following fields; they are not options of the person.
	Dir     string // where the check runs
	Outside bool   // started from outside the session, which must be told
	Read    int64  // the present length of the transcript
	Repo    string // the top of a repository whose issues are worked through, instead of a Task
}

const (
	defaultMax          = 10
	highestMax          = 1000
	defaultCheckTimeout = 10 * time.Minute
	longestFor          = 30 * 24 * time.Hour
	longestCheck        = 6 * time.Hour
	mostGreens          = 20
	highestBudget       = 100_000
	highestTokens       = 1_000_000_000_000
)

const accepted = "--max N, --for 3h, --budget 2.50, --tokens 500k, --check 'COMMAND', --check-timeout 10m, " +
	"--check-greens 1"

// Parse reads the text after /loop: first the options, then the task. The task is taken
// byte for byte, with its quotes and line breaks; only option values are unquoted. "--"
// ends the options. If the first word is an interval such as 5m, it sets Every, and the
// rest is the task.
func Parse(args string) (Options, error) {
	o := Options{Max: defaultMax}
	rest := trimLeft(args)
	if word, tail := cutWord(rest); isInterval(word) {
		o.Every, rest = word, trimLeft(tail)
		return o.withTask(rest)
	}
	seen := map[string]bool{}
	for strings.HasPrefix(rest, "--") {
		name, tail := cutName(rest)
		if name == "--" {
			rest = trimLeft(tail)
			break
		}
		if seen[name] {
			return Options{}, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		var err error
		if rest, err = o.take(name, tail); err != nil {
			return Options{}, err
		}
	}
	if o.Check == "" && (o.CheckTimeout > 0 || o.Greens > 0) {
		return Options{}, errors.New("--check-timeout and --check-greens need --check 'COMMAND'")
	}
	if o.Check != "" && o.CheckTimeout == 0 {
		o.CheckTimeout = defaultCheckTimeout
	}
	return o.withTask(rest)
}

func (o Options) withTask(task string) (Options, error) {
	if strings.TrimSpace(task) == "" {
		return o, ErrNoTask
	}
	o.Task = task
	return o, nil
}

// take reads one option's value from tail and returns what follows it.
func (o *Options) take(name, tail string) (rest string, err error) {
	set, takes := o.setter(name)
	if set == nil {
		return "", fmt.Errorf("unknown option %s; accepted are %s (\"--\" before a task that begins with dashes)",
			line(name, 40), accepted)
	}
	value, rest, err := cutValue(tail)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if value == "" {
		return "", fmt.Errorf("%s needs a value: %s", name, takes)
	}
	if !set(value) {
		return "", fmt.Errorf("%s takes %s, not %q", name, takes, line(value, 40))
	}
	return rest, nil
}

// setter returns how to set an option, and what the option takes in words. It returns nil for
// an unknown option.
func (o *Options) setter(name string) (set func(string) bool, takes string) {
	switch name {
	case "--max":
		takes, set = "a whole number from 1 to 1000", func(v string) bool { return parseCount(v, highestMax, &o.Max) }
	case "--for":
		takes, set = "a time such as 90m or 3h, at most 720h",
			func(v string) bool { return parseSpan(v, longestFor, &o.For) }
	case "--budget":
		takes, set = "an amount in US dollars such as 2.50", func(v string) bool { return parseBudget(v, &o.Budget) }
	case "--tokens":
		takes, set = "a number such as 200000, 500k or 2M", func(v string) bool { return parseTokens(v, &o.Tokens) }
	case "--check":
		takes, set = "a shell command in quotes",
			func(v string) bool { o.Check = strings.TrimSpace(v); return o.Check != "" }
	case "--check-timeout":
		takes, set = "a time such as 10m, at most 6h",
			func(v string) bool { return parseSpan(v, longestCheck, &o.CheckTimeout) }
	case "--check-greens":
		takes, set = "a whole number from 1 to 20", func(v string) bool { return parseCount(v, mostGreens, &o.Greens) }
	}
	return set, takes
}

// valid guards Start against options that did not come from Parse.
func (o Options) valid() error {
	switch {
	case !within(o.Max, 1, highestMax):
		return errors.New("max must be from 1 to 1000")
	case !within(o.For, 0, longestFor):
		return errors.New("for must be at most 720h")
	case !within(o.Budget, 0, highestBudget):
		return errors.New("budget must be an amount in US dollars")
	case !within(o.Tokens, 0, highestTokens):
		return errors.New("tokens must be a number such as 200000, 500k or 2M")
	case o.Check != "" && !within(o.CheckTimeout, 1, longestCheck):
		return errors.New("check timeout must be at most 6h")
	case !within(o.Greens, 0, mostGreens):
		return errors.New("check greens must be at most 20")
	}
	return nil
}

func within[T cmp.Ordered](v, low, high T) bool { return low <= v && v <= high }

func parseCount(v string, most int64, to *int) bool {
	n, ok := parseWhole(v, most)
	*to = int(n)
	return ok
}

// parseWhole reads a number from 1 to most that is written in digits only.
func parseWhole(v string, most int64) (n int64, ok bool) {
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil && digits(v) && within(n, 1, most)
}

func parseSpan(v string, longest time.Duration, to *time.Duration) bool {
	d, err := time.ParseDuration(v)
	*to = d
	return err == nil && within(d, 1, longest)
}

func parseBudget(v string, to *float64) bool {
	v = strings.TrimPrefix(v, "$")
	n, err := strconv.ParseFloat(v, 64)
	*to = n
	return err == nil && digits(strings.Replace(v, ".", "", 1)) && n > 0 && n <= highestBudget
}

// parseTokens reads a number; a k or M after it means thousands or millions.
func parseTokens(v string, to *int64) bool {
	times := int64(1)
	switch {
	case strings.HasSuffix(v, "k"):
		v, times = v[:len(v)-1], 1000
	case strings.HasSuffix(v, "M"):
		v, times = v[:len(v)-1], 1_000_000
	}
	n, ok := parseWhole(v, highestTokens/times)
	*to = n * times
	return ok
}

// isInterval reports whether word is an interval such as 5m, 90s or 1h30m.
func isInterval(word string) bool {
	if word == "" {
		return false
	}
	for word != "" {
		unit := strings.IndexAny(word, "smhd")
		if unit < 1 || !digits(word[:unit]) {
			return false
		}
		word = word[unit+1:]
	}
	return true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

const blanks = " \t\r\n"

func trimLeft(s string) string { return strings.TrimLeft(s, blanks) }

func cutWord(s string) (word, rest string) {
	if i := strings.IndexAny(s, blanks); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutName splits "--max 3 …" and "--max=3 …" after the name.
func cutName(s string) (name, rest string) {
	word, rest := cutWord(s)
	if name, value, ok := strings.Cut(word, "="); ok && name != "--" {
		return name, value + rest
	}
	return word, rest
}

var errQuote = errors.New("a quote is opened and never closed")

// cutValue reads one word in the way of a shell and returns the unchanged rest. A bare word
// that begins with dashes is the next option, so the value is missing.
func cutValue(s string) (value, rest string, err error) {
	s = trimLeft(s)
	if strings.HasPrefix(s, "--") {
		return "", s, nil
	}
	var b strings.Builder
	for s != "" && !strings.ContainsRune(blanks, rune(s[0])) {
		part, tail, ok := cutPart(s)
		if !ok {
			return "", "", errQuote
		}
		b.WriteString(part)
		s = tail
	}
	return b.String(), trimLeft(s), nil
}

// cutPart reads one quoted part or one character.
func cutPart(s string) (part, rest string, ok bool) {
	switch s[0] {
	case '\'':
		return strings.Cut(s[1:], "'")
	case '"':
		return cutDouble(s[1:])
	case '\\':
		if len(s) > 1 {
			return s[1:2], s[2:], true
		}
	}
	return s[:1], s[1:], true
}

// cutDouble reads up to the closing quote. It unquotes \" and \\. Other backslashes are
// kept for the shell that will run the command.
func cutDouble(s string) (part, rest string, ok bool) {
	var b strings.Builder
	for ; s != ""; s = s[1:] {
		switch {
		case s[0] == '"':
			return b.String(), s[1:], true
		case strings.HasPrefix(s, `\"`), strings.HasPrefix(s, `\\`):
			s = s[1:]
		}
		b.WriteByte(s[0])
	}
	return "", "", false
}
