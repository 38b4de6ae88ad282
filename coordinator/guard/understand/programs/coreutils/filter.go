package coreutils

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
)

// Filters print some lines or columns of a text that is known in part. What comes behind a hole has
// no known column, so such a line is printed as it is.

// eachLine returns a text with each line changed.
func eachLine(text string, change func(line string) string) string {
	body, ends := strings.CutSuffix(text, "\n")
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		lines[i] = change(line)
	}
	if ends {
		lines = append(lines, "")
	}
	return strings.Join(lines, "\n")
}

// sampleLines returns some lines of a text. One that stands for all files of a directory becomes one of them.
func sampleLines(text string) string { return eachLine(text, sampleLine) }

func sampleLine(line string) string {
	base, everything := fspath.GlobBase(line)
	switch {
	case !everything:
		return line
	case base == "/" && line[0] != '/':
		return partial.Unknown
	}
	return strings.TrimSuffix(base, "/") + "/" + partial.Unknown
}

// matchingLines returns the lines that a pattern may match: all that begin with it, and some of the others.
func matchingLines(pattern, text string) string {
	begin, anchored := strings.CutPrefix(pattern, "^")
	begin = strings.ReplaceAll(begin, `\`, "")
	if !anchored || begin == "" {
		return sampleLines(text)
	}
	return eachLine(text, func(line string) string {
		if strings.HasPrefix(line, begin) {
			return line
		}
		return sampleLine(line)
	})
}

// cutLines returns the columns that cut prints of each line.
func cutLines(args []string, text string) string {
	o := argv.ParseOptions(args, "c b d f characters bytes delimiter fields output-delimiter")
	chars, byChars := o.Get("c", "characters", "b", "bytes")
	fields, _ := o.Get("f", "fields")
	delimiter, _ := o.Get("d", "delimiter")
	from, to, ok := columns(cmp.Or(chars, fields))
	switch delimiter = cmp.Or(delimiter, "\t"); {
	case !ok:
		return text
	case byChars:
		delimiter = ""
	}
	return eachLine(text, func(line string) string { return cutLine(line, delimiter, from, to) })
}

// columns reads a range of columns, such as "2", "4-" or "1-3". The end of an open one is negative.
func columns(text string) (from, to int, ok bool) {
	first, last, several := strings.Cut(text, "-")
	from, err := strconv.Atoi(cmp.Or(first, "1"))
	switch {
	case err != nil, from < 1, text == "":
		return 0, 0, false
	case !several:
		return from, from, true
	case last == "":
		return from, -1, true
	}
	to, err = strconv.Atoi(last)
	return from, to, err == nil
}

// cutLine returns columns of a line: characters without a delimiter. A line that lacks it stays as it is.
func cutLine(line, delimiter string, from, to int) string {
	parts := strings.SplitN(line, delimiter, maxColumns)
	if len(parts) == 1 && delimiter != "" {
		return line
	}
	if to < 0 || to > len(parts) {
		to = len(parts)
	}
	before := strings.Join(parts[:min(from-1, len(parts))], "")
	switch {
	case partial.HasHole(before), len(parts) == maxColumns:
		return line
	case from > to:
		return ""
	}
	return strings.Join(parts[from-1:to], delimiter)
}

const maxColumns = 4096

// awkColumn returns the only column that an awk program prints, as in '{print $2}' and '/x/ {print $NF}'.
func awkColumn(program, separator, text string) (string, bool) {
	condition, action, _ := strings.Cut(strings.TrimSpace(program), "{")
	action, closed := strings.CutSuffix(strings.TrimSpace(action), "}")
	field, prints := strings.CutPrefix(strings.TrimSpace(action), "print")
	field, one := strings.CutPrefix(strings.TrimSpace(field), "$")
	n, err := strconv.Atoi(field)
	switch {
	case !closed, !prints, !one, err != nil && field != "NF", n < 0:
		return "", false
	}
	if condition != "" {
		text = matchingLines(strings.Trim(strings.TrimSpace(condition), "/"), text)
	}
	return eachLine(text, func(line string) string { return awkField(line, separator, n, field == "NF") }), true
}

// awkField returns the n-th field of a line, or the last one. Field 0 is the line.
func awkField(line, separator string, n int, last bool) string {
	fields := strings.Fields(line)
	if cmp.Or(separator, " ") != " " {
		fields = strings.Split(line, separator)
	}
	switch {
	case last:
		n = len(fields)
	case n > len(fields), n > 0 && partial.HasHole(strings.Join(fields[:n-1], "")):
		return partial.Unknown
	}
	if n == 0 {
		return line
	}
	return fields[n-1]
}

// sedPrint returns the output of s/a/b/ with literal texts, with ^ and dots before one, or unknown text.
func sedPrint(scripts []string, in string) string {
	if len(scripts) != 1 {
		return partial.Unknown
	}
	parts := SedParts(scripts[0])
	if len(parts) != 4 || strings.ContainsAny(parts[2], `\&`) {
		return partial.Unknown
	}
	from, to := parts[1], parts[2]
	begin, anchored := strings.CutPrefix(from, "^")
	skipped := len(begin) - len(strings.TrimLeft(begin, "."))
	switch begin = begin[skipped:]; {
	case from == "$":
		return eachLine(in, func(line string) string { return line + to })
	case strings.ContainsAny(begin, `.*[]^$\`), !anchored && skipped > 0:
		return partial.Unknown
	case anchored:
		return eachLine(in, func(line string) string {
			if rest := line[min(skipped, len(line)):]; strings.HasPrefix(rest, begin) {
				return to + rest[len(begin):]
			}
			return line
		})
	case strings.Contains(parts[3], "g"):
		return strings.ReplaceAll(in, from, to)
	}
	return eachLine(in, func(line string) string { return strings.Replace(line, from, to, 1) })
}
