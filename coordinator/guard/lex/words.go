// Package lex has what the guard does with words: sets of them in one text, and names cut into words.
package lex

import (
	"slices"
	"strings"
)

// ContainsAny reports whether one of words is in the blank-separated list.
func ContainsAny(words []string, list string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return OneOf(w, list) })
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// ContainsPrefix reports whether one of list begins with prefix.
func ContainsPrefix(list []string, prefix string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

// IsNameByte reports whether c can be part of a name in program text.
func IsNameByte(c byte) bool {
	switch {
	case IsLetter(c), '0' <= c && c <= '9', c >= 0x80:
		return true
	}
	return strings.IndexByte("_$@", c) >= 0
}

// After returns the arguments from n places after the first occurrence of mark,
// or nil if mark is not there.
func After(args []string, mark string, n int) []string {
	i := slices.Index(args, mark)
	if i < 0 {
		return nil
	}
	return args[min(len(args), i+n):]
}

// First returns the first item of v, "" if v is empty.
func First(v []string) string {
	if len(v) == 0 {
		return ""
	}
	return v[0]
}

// IsNumber reports whether s consists of decimal digits.
func IsNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// OneOf reports whether s is one of the blank-separated words of list.
func OneOf(s string, list string) bool {
	if s == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], s)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(s)
		switch {
		case i > 0 && list[i-1] != ' ', end < len(list) && list[end] != ' ', strings.IndexByte(s, ' ') >= 0:
			from = i + 1
		default:
			return true
		}
	}
}

// Indent returns the number of blanks before a line.
func Indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// Clip returns at most n bytes of s, cut at the beginning of a character.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// VerbWords cuts a tool or operation name into lower-case words at
// underscores, dashes, colons, dots and camel humps.
func VerbWords(name string) []string {
	var out []string
	start := 0
	flush := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(name[start:i]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case strings.IndexByte("_-:./ ", c) >= 0:
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z':
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return out
}

// testWords are the words in the names of databases and indexes for tests and experiments.
const testWords = "ci e2e playground sandbox scratch scratchpad spec temp test testdata testdb testing tests tmp"

// ForTests reports whether the name of a database or of an index says that it is for tests. Of
// several with commas between them, each has to.
func ForTests(names string) bool {
	for name := range strings.SplitSeq(names, ",") {
		if !forTests(name) {
			return false
		}
	}
	return true
}

// forTests is ForTests for one name.
func forTests(name string) bool {
	if strings.ContainsAny(name, " \n") {
		return false
	}
	return slices.ContainsFunc(VerbWords(name), func(w string) bool {
		return OneOf(strings.TrimRight(w, "0123456789"), testWords) || OneOf(w, testWords)
	})
}

// BeginsWith reports whether a text begins with one of the blank-separated words
// of list.
func BeginsWith(s, list string) bool { return AnyWord(s, list, strings.HasPrefix) }

// EndsWith reports whether a text ends with one of the words of list.
func EndsWith(s, list string) bool { return AnyWord(s, list, strings.HasSuffix) }

// Mentions reports whether a text contains one of the words of list anywhere.
func Mentions(s, list string) bool { return AnyWord(s, list, strings.Contains) }

// AnyWord reports whether a test holds for a text and one of the words of list.
func AnyWord(s, list string, test func(s, word string) bool) bool {
	for more := true; more; {
		var word string
		word, list, more = strings.Cut(list, " ")
		if test(s, word) {
			return true
		}
	}
	return false
}

// IsShellName reports whether a program of that name is a shell.
func IsShellName(name string) bool {
	return OneOf(name, "ash bash bash.bash csh dash elvish fish ksh mksh nu pdksh rbash sh su-sh tcsh xonsh yash zsh")
}

// IsClusterWith reports whether a is a cluster of short flags that has letter.
func IsClusterWith(a string, letter byte) bool {
	return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.IndexByte(a, letter) > 0
}

// IsCluster reports whether a is a cluster of the short flags that letters lists.
func IsCluster(a, letters string) bool {
	flags, ok := strings.CutPrefix(a, "-")
	return ok && flags != "" && strings.Trim(flags, letters) == ""
}

// ProgramName returns the name of a program in the tables: the base name in lower
// case, without ".exe" and, for some programs, without the version.
func ProgramName(arg string) string {
	if i := strings.LastIndexAny(arg, "/\\"); i >= 0 {
		arg = arg[i+1:]
	}
	name := strings.ToLower(arg)
	name = strings.TrimSuffix(name, ".exe")
	trimmed := strings.TrimRight(name, "0123456789.")
	switch trimmed {
	case "python", "pip", "ruby", "perl", "php", "node", "lua", "pypy", "bash", "zsh", "make", "mkfs", "tclsh", "go":
		return trimmed
	}
	return name
}

// Like reports whether a text matches a pattern: "*" is any text, "?" one
// character. Its time is at worst proportional to the product of both lengths.
func Like(pattern, text string) bool {
	star, mark, p := -1, 0, 0
	for t := 0; t < len(text); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
