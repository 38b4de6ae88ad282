package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// A Choice is a key that people change most, with what it is for.
type Choice struct{ Key, Label string }

// Choices are the keys that people change most. A change of them holds without a new start.
var Choices = []Choice{
	{"quiet.from", "Quiet hours from"}, {"quiet.to", "Quiet hours until"}, {"report.daily", "Morning message at"},
	{"escalation.after", "Remind me of a question after"}, {"asks.grace", "A question goes to the phone after"},
	{"asks.unattended", "With nobody at the terminal, a question waits for"},
	{"loop.day_budget", "Loops may spend a day, in US dollars"},
	{"runs.day_budget", "Runs may spend a day, in US dollars"},
}

// Set writes keys into the file at path, each with a value as Settings shows it, or "" for its default. All other
// lines stay as they are, and so do the comments behind these. It returns the new lines, none for what is in force
// already, and writes nothing if the file would not be valid. Only Choices can be set.
func Set(path string, values map[string]string) (written []string, err error) {
	for key := range values {
		if !slices.ContainsFunc(Choices, func(c Choice) bool { return c.Key == key }) {
			return nil, fmt.Errorf("%s cannot be set here; write it into config.toml, and then: afar restart", key)
		}
	}
	return set(path, values)
}

// SetTelegramAPI writes telegram.api into the file at path. It writes nothing if the value is in force already.
func SetTelegramAPI(path, api string) error {
	_, err := set(path, map[string]string{"telegram.api": api})
	return err
}

func set(path string, values map[string]string) (written []string, err error) {
	now, err := Load(path)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read config: %w", err)
	}
	text := string(raw)
	for _, s := range now.Settings() {
		value, asked := values[s.Key]
		if !asked || value == plain(s.Value) || value == "" && s.Default {
			continue
		}
		table, key, _ := strings.Cut(s.Key, ".")
		line := literal(key, value)
		text, written = setKey(text, table, key, line), append(written, strings.TrimSuffix(s.Key+" = "+line, " = "))
	}
	if len(written) == 0 {
		return nil, nil
	}
	if err := wrote(text, values, now.Settings()); err != nil {
		return nil, fmt.Errorf("%s stays as it is: %w", path, err)
	}
	if err := atomicfile.Write(path, text); err != nil {
		return nil, fmt.Errorf("write config: %w", err)
	}
	return written, nil
}

// plain returns a value that Settings shows as a person writes it.
func plain(shown string) string { return strings.TrimPrefix(shown, "$") }

// literal returns a value as the file writes it, "" for none.
func literal(key, value string) string {
	if _, err := strconv.ParseFloat(value, 64); value == "" || key == "day_budget" && err == nil {
		return value
	}
	return strconv.Quote(value)
}

// wrote returns an error if a text is no valid file, or says something else than before and what was to be written.
func wrote(text string, values map[string]string, before []Setting) error {
	after, err := Parse([]byte(text))
	if err != nil {
		return err
	}
	for i, s := range after.Settings() {
		value, asked := values[s.Key]
		if asked && value == "" && !s.Default || !asked && s != before[i] {
			return fmt.Errorf("the form of %s in it is not known; set it by hand", s.Key)
		}
	}
	return nil
}

// setKey returns text with the line of a key replaced or added in its table, or taken out for the value "". What
// is behind the value in its line stays.
func setKey(text, table, key, value string) string {
	line := key + " = " + value
	in, at := false, -1
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "[") {
			header, _, _ := strings.Cut(trimmed, "#")
			in = strings.Trim(header, "[] \t") == table
			if in {
				at = i
			}
			continue
		}
		if name, _, ok := strings.Cut(trimmed, "="); !in || !ok || strings.TrimSpace(name) != key {
			continue
		}
		rest := comment(l)
		switch {
		case value != "":
			lines[i] = strings.TrimRight(line+" "+rest, " ")
		case rest != "":
			lines[i] = rest
		default:
			lines = slices.Delete(lines, i, i+1)
		}
		return strings.Join(lines, "\n") + "\n"
	}
	switch {
	case value == "":
		return text
	case at < 0:
		return strings.TrimLeft(strings.Join(lines, "\n")+"\n", "\n") + "[" + table + "]\n" + line + "\n"
	}
	return strings.Join(slices.Insert(lines, at+1, line), "\n") + "\n"
}

// comment returns the comment at the end of a line, "" for none.
func comment(line string) string {
	quote := rune(0)
	for i, r := range line {
		switch {
		case quote == 0 && r == '#':
			return line[i:]
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return ""
}
