package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Terms returns the words of a text in order, in the form in which they are compared: in
// lower case, without accents and endings, an irregular form as its base, a date as one term
// more. Words that stand in every text are left out.
func Terms(text string) []string { return termsBy(stem, text) }

// termsBy returns the terms of a text with the stems that a stemmer gives.
func termsBy(stem func(string) string, text string) (terms []string) {
	for _, word := range words(text) {
		if parts := split(word); len(parts) > 1 {
			for _, part := range parts {
				terms = appendTerm(terms, stem, part)
			}
		}
		terms = appendTerm(terms, stem, word)
	}
	return append(terms, daysIn(text)...)
}

func appendTerm(terms []string, stem func(string) string, word string) []string {
	word = fold(word)
	if word == "" || isStopWord(word) {
		return terms
	}
	if base, ok := irregular[word]; ok {
		word = base
	}
	return append(terms, stem(word))
}

// words returns the runs of letters and digits of a text. An apostrophe belongs to its word,
// and an 's at the end does not. Each pair of signs is a word in scripts without spaces.
func words(text string) (all []string) {
	for _, run := range strings.FieldsFunc(text, isGap) {
		run = strings.Trim(strings.ReplaceAll(run, "’", "'"), "'")
		run = strings.TrimSuffix(strings.TrimSuffix(run, "'s"), "'S")
		if run = strings.ReplaceAll(run, "'", ""); run == "" {
			continue
		}
		if signs := []rune(run); len(signs) > 1 && isSign(signs[0]) {
			for i := range len(signs) - 1 {
				all = append(all, string(signs[i:i+2]))
			}
			continue
		}
		all = append(all, run)
	}
	return all
}

func isGap(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’'
}

func isSign(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// split returns the parts of a name such as parseState or HTTPServer2.
func split(word string) (parts []string) {
	begin := 0
	signs := []rune(word)
	for i := 1; i < len(signs); i++ {
		if startsPart(signs, i) {
			parts = append(parts, string(signs[begin:i]))
			begin = i
		}
	}
	return append(parts, string(signs[begin:]))
}

func startsPart(signs []rune, i int) bool {
	before, here := signs[i-1], signs[i]
	if !unicode.IsUpper(here) {
		return false
	}
	return unicode.IsLower(before) || i+1 < len(signs) && unicode.IsUpper(before) && unicode.IsLower(signs[i+1])
}

// plainLetters are letters of Latin scripts, each behind its plain form.
const plainLetters = "aàáâãäåāăą cçćĉċč dďđð eèéêëēĕėęě gĝğġģ hĥħ iìíîïĩīĭįı jĵ kķ lĺļľŀł nñńņňŋ oòóôõöøōŏő rŕŗř " +
	"sśŝşš tţťŧþ uùúûüũūŭůűų wŵ yýÿŷ zźżž"

var plainOf = func() map[rune]rune {
	plain := map[rune]rune{}
	for _, group := range strings.Fields(plainLetters) {
		signs := []rune(group)
		for _, r := range signs[1:] {
			plain[r] = signs[0]
		}
	}
	return plain
}()

// fold returns a word in lower case and without accents.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		switch plain, ok := plainOf[r]; {
		case ok:
			return plain
		case unicode.Is(unicode.Mn, r):
			return -1
		}
		return r
	}, strings.ReplaceAll(word, "ß", "ss"))
}

// stopWords stand in every text and tell nothing about it.
var stopWords = strings.Fields(`
a about after all also am an and any are as at be because been before being but by can could did do does doing dont
down for from further had has have having he her here hers him his how i id if ill im in into is isnt it its itself ive
just me might more most much must my no nor not of off on once only or other our ours out over own shall she should so
some such than that thats the their theirs them then there these they theyre this those through to too under until up
us very was wasnt we were weve what when where which while who whom whose why will with would you your youre yours
didnt doesnt youve lets theres hes shes itd itll
der die das ein eine einer einen und oder aber ist sind war nicht mit von zu im den dem des auf fur
le la les un une des et ou mais est sont dans pour avec que qui du au aux`)

var isStop = func() map[string]bool {
	stop := map[string]bool{}
	for _, word := range stopWords {
		stop[word] = true
	}
	return stop
}()

func isStopWord(word string) bool { return isStop[word] }

// irregularForms has verbs and nouns whose forms no ending shows, each line one word, its base first.
const irregularForms = `
arise arose arisen|awake awoke|become became|begin began begun|bend bent|bet betting|bite bit bitten|bleed bled
blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught
choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled
fly flew flown|forbid forbade|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten
give gave given|go went gone goes going|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
know knew known|lay laid|lead led|learn learnt|leave left|lend lent|lie lay lain|lose lost|make made|mean meant
meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought
sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank|sing sang sung
sink sank|sit sat|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen
stick stuck|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught
tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn
weep wept|win won|write wrote written|withdraw withdrew|child children kid kids|man men|woman women|person people
foot feet|tooth teeth|mouse mice|life lives|wife wives|mother mom mum mommy|father dad daddy|good better best
bad worse worst`

var irregular = func() map[string]string {
	base := map[string]string{}
	for _, group := range strings.FieldsFunc(irregularForms, func(r rune) bool { return r == '|' || r == '\n' }) {
		forms := strings.Fields(group)
		for _, form := range forms[1:] {
			base[form] = forms[0]
		}
	}
	return base
}()

// daysIn returns a term for each date in a text (2026-11-23, 23 November 2026, Nov 23rd, 2026)
// and one for its month, each once.
func daysIn(text string) (days []string) {
	lower := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range lower {
		day := dayAt(lower, i)
		if day == "" || slices.Contains(days, day) {
			continue
		}
		days = append(days, day)
		if month := day[:len("d202611")]; month != day && !slices.Contains(days, month) {
			days = append(days, month)
		}
	}
	return days
}

// dayAt returns the term of the date that begins at word i, "" for none.
func dayAt(words []string, i int) string {
	at := func(k int) string {
		if i+k < len(words) {
			return words[i+k]
		}
		return ""
	}
	if year, month := number(at(0), 4), number(at(1), 2); year > 0 && month > 0 && number(at(2), 2) > 0 {
		return dayTerm(year, month, number(at(2), 2))
	}
	if month := months[at(0)]; month > 0 {
		if year := number(at(1), 4); year > 0 {
			return dayTerm(year, month, 0)
		}
		return dayTerm(number(at(2), 4), month, ordinal(at(1)))
	}
	if month := months[at(1)]; month > 0 && ordinal(at(0)) > 0 {
		return dayTerm(number(at(2), 4), month, ordinal(at(0)))
	}
	return ""
}

// dayTerm returns the term of a date; without its day it is that of a month.
func dayTerm(year, month, day int) string {
	if year < 1000 || month > 12 || day > 31 {
		return ""
	}
	term := "d" + strconv.Itoa(year*100+month)
	if day == 0 {
		return term
	}
	return term + strconv.Itoa(100 + day)[1:]
}

// number returns a number of at most n digits, exactly n where n is 4; 0 for anything else.
func number(word string, n int) int {
	if len(word) > n || n == 4 && len(word) < n {
		return 0
	}
	v, err := strconv.Atoi(word)
	if err != nil {
		return 0
	}
	return v
}

// ordinal returns the day of a month: 3, 03 or 3rd.
func ordinal(word string) int {
	return number(strings.TrimRight(word, "stndrh"), 2)
}

// months has the number of each month by its English name and the first three letters of it.
var months = func() map[string]int {
	numbers := map[string]int{}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		numbers[name], numbers[name[:3]] = int(m), int(m)
	}
	return numbers
}()
