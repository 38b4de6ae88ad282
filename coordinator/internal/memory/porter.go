package memory

import "strings"

// porter returns the stem of an English word in lower case, by Porter's algorithm of 1980. The
// digests of facts that were deleted while Afar used it were made with it; nothing else needs it.
func porter(word string) string {
	if len(word) < 3 {
		return word
	}
	w := plural(word)
	w = pastOrGerund(w)
	if s, ok := strings.CutSuffix(w, "y"); ok && hasVowel(s) {
		w = s + "i"
	}
	w = replaceSuffix(w, longSuffixes, 0)
	w = replaceSuffix(w, shortSuffixes, 0)
	w = replaceSuffix(withoutIon(w), lastSuffixes, 1)
	return withoutFinalE(w)
}

// A suffix is replaced where the rest of the word is long enough.
type suffix struct{ from, to string }

// The suffixes of steps 2, 3 and 4 of the algorithm. A suffix that ends another one comes
// behind it.
var (
	longSuffixes = []suffix{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
		{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
		{"iviti", "ive"}, {"biliti", "ble"},
	}
	shortSuffixes = []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	lastSuffixes = []suffix{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
		{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""},
		{"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
	}
)

// replaceSuffix replaces the first suffix that w has, if the rest has more than least
// syllables.
func replaceSuffix(w string, suffixes []suffix, least int) string {
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(w, s.from); ok {
			if syllables(rest) > least {
				return rest + s.to
			}
			return w
		}
	}
	return w
}

// plural returns w without the s of a plural or of a verb.
func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ies"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// pastOrGerund returns w without -ed or -ing, mended where that leaves half a word.
func pastOrGerund(w string) string {
	if rest, ok := strings.CutSuffix(w, "eed"); ok {
		if syllables(rest) > 0 {
			return rest + "ee"
		}
		return w
	}
	rest, ok := strings.CutSuffix(w, "ed")
	if !ok {
		rest, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(rest) {
		return w
	}
	return mend(rest)
}

func mend(w string) string {
	for _, end := range []string{"at", "bl", "iz"} {
		if strings.HasSuffix(w, end) {
			return w + "e"
		}
	}
	last := w[len(w)-1]
	if len(w) > 1 && last == w[len(w)-2] && !isVowel(w, len(w)-1) {
		if strings.IndexByte("lsz", last) >= 0 {
			return w
		}
		return w[:len(w)-1]
	}
	if syllables(w) == 1 && endsShort(w) {
		return w + "e"
	}
	return w
}

// withoutIon returns w without the ending of adoption and of tension.
func withoutIon(w string) string {
	rest, ok := strings.CutSuffix(w, "ion")
	if !ok || rest == "" || syllables(rest) < 2 || !strings.Contains("st", rest[len(rest)-1:]) {
		return w
	}
	return rest
}

func withoutFinalE(w string) string {
	if rest, ok := strings.CutSuffix(w, "e"); ok {
		if n := syllables(rest); n > 1 || n == 1 && !endsShort(rest) {
			w = rest
		}
	}
	if strings.HasSuffix(w, "ll") && syllables(w) > 1 {
		return w[:len(w)-1]
	}
	return w
}

// isVowel reports whether the letter i of w is a vowel; a y is one behind a consonant.
func isVowel(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !isVowel(w, i-1)
	}
	return w[i] >= 0x80 // of a letter outside ASCII
}

func hasVowel(w string) bool {
	for i := range len(w) {
		if isVowel(w, i) {
			return true
		}
	}
	return false
}

// syllables counts the vowels of w that a consonant follows, each run of vowels once.
func syllables(w string) (n int) {
	vowel := false
	for i := range len(w) {
		v := isVowel(w, i)
		if vowel && !v {
			n++
		}
		vowel = v
	}
	return n
}

// endsShort reports whether w ends with consonant, vowel and consonant, as hop does.
func endsShort(w string) bool {
	n := len(w)
	if n < 3 || isVowel(w, n-1) || !isVowel(w, n-2) || isVowel(w, n-3) {
		return false
	}
	return strings.IndexByte("wxy", w[n-1]) < 0
}
