package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// A Line is one line of a document as it is compared.
type Line struct {
	N     int      // its number in the document, counted from 1
	Label []string // the terms before a colon, such as who speaks
	Terms []string // all terms, those of the label excepted
}

// maxLabel is how many words before a colon label a line at most.
const maxLabel = 3

// ReadLine returns a line of a text in the form in which it is compared.
func ReadLine(text string) Line {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || strings.Count(label, " ") >= maxLabel {
		return Line{Terms: Terms(text)}
	}
	return Line{Label: Terms(label), Terms: Terms(rest)}
}

// String returns a line in a form that ParseLine reads.
func (l Line) String() string {
	if len(l.Label) == 0 {
		return strings.Join(l.Terms, " ")
	}
	return strings.Join(l.Label, " ") + " : " + strings.Join(l.Terms, " ")
}

// ParseLine reads what String has written of the line with a number.
func ParseLine(n int, s string) Line {
	label, terms, ok := strings.Cut(s, " : ")
	if !ok {
		return Line{N: n, Terms: strings.Fields(s)}
	}
	return Line{N: n, Label: strings.Fields(label), Terms: strings.Fields(terms)}
}

// Empty reports whether a line has no terms.
func (l Line) Empty() bool { return len(l.Label)+len(l.Terms) == 0 }

// A Candidate is a document that may answer a question.
type Candidate struct {
	Title []string // its terms
	Lines []Line   // in order, without empty ones
}

// A Corpus says what all documents have together.
type Corpus struct {
	Docs, Lines int
	Words       int              // the terms of all lines
	In          map[string]Count // for the terms of a question
}

// A Count says in how many documents and lines a term is.
type Count struct{ Docs, Lines int }

// A Question is what is searched for.
type Question struct {
	Terms []string // each once, in order
	asks  kind
}

// A kind says what sort of answer a question wants.
type kind int

const (
	anything kind = iota
	aTime
	aNumber
)

// NewQuestion reads a question or some words.
func NewQuestion(text string) Question {
	q := Question{asks: kindOf(text)}
	for _, term := range Terms(text) {
		if !slices.Contains(q.Terms, term) {
			q.Terms = append(q.Terms, term)
		}
	}
	return q
}

func kindOf(text string) kind {
	lower := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), isGap), " ") + " "
	for _, words := range []string{
		" when ", " what date ", " which date ", " what day ", " which year ", " what year ", " which month ",
	} {
		if strings.Contains(lower, words) {
			return aTime
		}
	}
	for _, words := range []string{" how many ", " how much ", " how long ", " how old ", " how often "} {
		if strings.Contains(lower, words) {
			return aNumber
		}
	}
	return anything
}

// weights say what counts how much. They were found on one half of a set of questions and
// checked on the other.
type weights struct {
	Saturation float64 // how many more occurrences of a term still add
	LineLength float64 // how much a long line is held to be less about a term
	DocLength  float64 // the same for a document
	Label      float64 // a term in the label of a line, where one in the line counts 1
	Before     float64 // a term in the line before
	Before2    float64 // a term in the line before that one
	After      float64 // a term in the line behind
	Title      float64 // a term in the title of the document
	Within     float64 // a term elsewhere in the document
	Pair       float64 // two terms of the question that are neighbours in a line
	Fits       float64 // a line that has a time or a number where the question asks for one
	Document   float64 // what the score of its document adds to a line
	Best       float64 // what the best line adds to the score of a document
}

var usual = weights{
	Saturation: 1.2,
	LineLength: 0,
	DocLength:  0.5,
	Label:      2,
	Before:     0.4,
	Before2:    0.15,
	After:      0.2,
	Title:      0.1,
	Within:     0.1,
	Pair:       0.3,
	Fits:       0.5,
	Document:   0.5,
	Best:       0.5,
}

// A Hit is a document or one of its lines, with how well it answers a question.
type Hit struct {
	Doc   int // its place among the candidates
	Line  int // the number of the best line, or of the line that is meant; 0 for the title
	Score float64
}

// Rank returns the documents and the lines that have something of a question, the best first.
func Rank(q Question, c Corpus, docs []Candidate) (whole, lines []Hit) {
	return usual.rank(q, c, docs)
}

func (w weights) rank(q Question, c Corpus, docs []Candidate) (whole, lines []Hit) {
	a := newAsked(q, c)
	for i, d := range docs {
		m := a.match(d)
		best := w.lines(m)
		top := Hit{Doc: i}
		for k, score := range best {
			if score > top.Score {
				top.Line, top.Score = d.Lines[k].N, score
			}
		}
		score := w.document(m) + w.Best*top.Score
		if score == 0 {
			continue
		}
		for k, s := range best {
			if s > 0 {
				lines = append(lines, Hit{Doc: i, Line: d.Lines[k].N, Score: s + w.Document*score})
			}
		}
		top.Score = score
		whole = append(whole, top)
	}
	byScore := func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Line, b.Line))
	}
	slices.SortFunc(whole, byScore)
	slices.SortFunc(lines, byScore)
	return whole, lines
}

// A match is what a document has of a question.
type match struct {
	*asked
	doc   Candidate
	terms [][]float64 // how often each term of the question is in each line, nil for a line with none
	label [][]float64 // and in its label
	title []float64
	all   []float64 // in the whole document
	words int
}

// asked is a question among all documents.
type asked struct {
	Question
	place    map[string]int // of each term
	rareDoc  []float64      // the weight of each term among documents
	rareLine []float64      // and among lines
	meanDoc  float64
	meanLine float64
	none     []float64
}

func newAsked(q Question, c Corpus) *asked {
	a := &asked{
		Question: q,
		place:    map[string]int{},
		meanDoc:  max(1, float64(c.Words)/float64(max(c.Docs, 1))),
		meanLine: max(1, float64(c.Words)/float64(max(c.Lines, 1))),
		none:     make([]float64, len(q.Terms)),
	}
	for i, term := range q.Terms {
		a.place[term] = i
		a.rareDoc = append(a.rareDoc, rarity(c.Docs, c.In[term].Docs))
		a.rareLine = append(a.rareLine, rarity(c.Lines, c.In[term].Lines))
	}
	return a
}

// count returns how often each term of the question is among others, nil if none is.
func (a *asked) count(terms []string) (counts []float64) {
	for _, term := range terms {
		i, ok := a.place[term]
		if !ok {
			continue
		}
		if counts == nil {
			counts = make([]float64, len(a.Terms))
		}
		counts[i]++
	}
	return counts
}

func (a *asked) match(d Candidate) match {
	m := match{asked: a, doc: d, all: make([]float64, len(a.Terms)), title: a.count(d.Title)}
	add := func(counts []float64) []float64 {
		if counts == nil {
			return a.none
		}
		for i, n := range counts {
			m.all[i] += n
		}
		return counts
	}
	m.title = add(m.title)
	for _, line := range d.Lines {
		m.terms = append(m.terms, add(a.count(line.Terms)))
		m.label = append(m.label, add(a.count(line.Label)))
		m.words += len(line.Terms) + len(line.Label)
	}
	return m
}

// rarity returns how much a term that n of all texts have says about one of them.
func rarity(all, n int) float64 {
	return math.Log(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
}

func (w weights) document(m match) (score float64) {
	norm := 1 - w.DocLength + w.DocLength*float64(m.words)/m.meanDoc
	for i, count := range m.all {
		score += m.rareDoc[i] * count / (count + w.Saturation*norm)
	}
	return score
}

// lines returns the score of each line.
func (w weights) lines(m match) []float64 {
	scores := make([]float64, len(m.terms))
	for k := range scores {
		scores[k] = w.line(m, k)
	}
	return scores
}

func (w weights) line(m match, k int) (score float64) {
	line := m.doc.Lines[k]
	norm := 1 - w.LineLength + w.LineLength*float64(len(line.Terms))/m.meanLine
	near, own := false, 0
	for i := range m.Terms {
		if m.all[i] == 0 {
			continue
		}
		count := m.terms[k][i] + w.Label*m.label[k][i]
		count += w.Before*m.count(k-1, i) + w.Before2*m.count(k-2, i) + w.After*m.count(k+1, i)
		near = near || count > 0
		if m.terms[k][i] > 0 {
			own++
		}
		x := count + w.Title*m.title[i] + w.Within
		score += m.rareLine[i] * x / (x + w.Saturation*norm)
	}
	if !near {
		return 0
	}
	if own > 1 {
		score += w.Pair * m.pairs(line.Terms)
	}
	if m.asks.fits(line.Terms) {
		score *= 1 + w.Fits
	}
	return score
}

// count returns how often term i is in line k, label included.
func (m match) count(k, i int) float64 {
	if k < 0 || k >= len(m.terms) {
		return 0
	}
	return m.terms[k][i] + m.label[k][i]
}

// pairs adds up the weights of the terms of the question that follow each other in a line as
// they do in the question.
func (m match) pairs(terms []string) (sum float64) {
	for i := 1; i < len(m.Terms); i++ {
		for k := 1; k < len(terms); k++ {
			if terms[k-1] == m.Terms[i-1] && terms[k] == m.Terms[i] {
				sum += min(m.rareLine[i-1], m.rareLine[i])
				break
			}
		}
	}
	return sum
}

// timeTerms are terms that tell when something was.
var timeTerms = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`yesterday today tonight tomorrow last next ago week weekend month year
		day night morning evening monday tuesday wednesday thursday friday saturday sunday january february
		march april june july august september october november december spring summer autumn fall winter
		recently soon since`) {
		set[stem(word)] = true
	}
	return set
}()

// numberTerms are words for numbers.
var numberTerms = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`one two three four five six seven eight nine ten eleven twelve twenty thirty
		forty fifty hundred thousand million dozen couple few several half twice year month week day hour minute`) {
		set[stem(word)] = true
	}
	return set
}()

// fits reports whether a line may have what a kind of question asks for.
func (k kind) fits(terms []string) bool {
	if k == anything {
		return false
	}
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(terms, func(term string) bool {
			return set[term] || term[0] >= '0' && term[0] <= '9'
		})
	}
	if k == aTime {
		return has(timeTerms)
	}
	return has(numberTerms)
}

// A Result is something that a search has found.
type Result struct {
	Kind  string // fact, journal, task, run or session
	ID    string // its name, date or token
	Title string
	At    time.Time // when it changed last
	Line  int       // of the best line, counted from 1; 0 where the title says it
	Text  string    // that line
	Score float64
}
