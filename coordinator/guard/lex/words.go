package lex

import (
	"strings"
)

// ContainsAny reports whether one of words is in the blank-separated list.
func ContainsAny(words []string, list string) bool {
	for _, w := range words {
		if OneOf(w, list) {
			return true
		}
	}
	return false
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// ContainsPrefix reports whether one of list begins with prefix.
func ContainsPrefix(list []string, prefix string) bool {
	for _, s := range list {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// IsNameByte reports whether c can be part of a name in program text.
func IsNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || IsLetter(c) || c >= 0x80
}

// After returns the arguments from n places after the first occurrence of mark,
// or nil if mark is not there.
func After(args []string, mark string, n int) []string {
	for i, a := range args {
		if a == mark {
			return args[min(len(args), i+n):]
		}
	}
	return nil
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
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
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
		if (i == 0 || list[i-1] == ' ') && (end == len(list) || list[end] == ' ') && strings.IndexByte(s, ' ') < 0 {
			return true
		}
		from = i + 1
	}
}

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

// Noun returns the words other than verb, joined with dashes.
func Noun(words []string, verb string) string {
	var rest []string
	for _, w := range words {
		if w != verb {
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, "-")
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
