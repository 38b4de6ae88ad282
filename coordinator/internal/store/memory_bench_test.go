package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// wordsLikePeople returns words that are as frequent as those of people: the most frequent one
// is in most lines, and most words are in few documents.
func wordsLikePeople(random *rand.Rand) func(n int) string {
	zipf := rand.NewZipf(random, 1.07, 8, 40000)
	return func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		return b.String()
	}
}

// fill puts n documents of 4 to 23 lines into an index.
func fill(tb testing.TB, x *Index, n int, random *rand.Rand) {
	tb.Helper()
	words := wordsLikePeople(random)
	var docs []Indexed
	for i := range n {
		var text strings.Builder
		for range 4 + random.IntN(20) {
			text.WriteString(words(5+random.IntN(20)) + "\n")
		}
		docs = append(docs, Indexed{Key: fmt.Sprint("fact/", i), Title: words(4), Text: text.String()})
	}
	for part := range slices.Chunk(docs, 200) {
		if err := x.Change(part, nil); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkSearch searches 10,000 documents. Its yardstick is a plain search of FTS5 for the same
// words, with five results.
func BenchmarkSearch(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	x, err := OpenIndex(filepath.Join(b.TempDir(), "search.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	fill(b, x, 10_000, random)
	words := wordsLikePeople(random)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took, worked, yard []time.Duration
	for b.Loop() {
		question := words(3 + random.IntN(5))
		began, work := time.Now(), threadTime()
		if _, _, err := x.Search(question, 5); err != nil {
			b.Fatal(err)
		}
		took, worked = append(took, time.Since(began)), append(worked, threadTime()-work)
		began = time.Now()
		match := strings.Join(strings.Fields(question), " OR ")
		rows, err := x.db.Query(`SELECT title, body FROM terms WHERE terms MATCH ? ORDER BY bm25(terms) LIMIT 5`, match)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
		}
		rows.Close()
		yard = append(yard, time.Since(began))
	}
	slices.Sort(took)
	slices.Sort(worked)
	slices.Sort(yard)
	at := func(times []time.Duration, n int) float64 { return times[(len(times)-1)*n/100].Seconds() * 1000 }
	b.ReportMetric(at(took, 50), "ms-p50")
	b.ReportMetric(at(took, 95), "ms-p95")
	b.ReportMetric(at(worked, 95), "cpu-ms-p95") // what it takes on a machine that does nothing else
	b.ReportMetric(at(took, 95)/at(yard, 95), "x-plain-p95")
}
