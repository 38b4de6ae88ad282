// Recall measures how well the search of memory finds what answers a question:
//
//	go run ./coordinator/internal/recall DIRECTORY
//
// The directory holds a set of documents and questions. A line of documents.jsonl is {id, date,
// text}; a line of questions.jsonl is {question, evidence, turns}: the ids of the documents that
// answer it, and of their lines, as ID:NUMBER. All documents are searched at once, by the same code
// as `afar memory search`.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/store"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./coordinator/internal/recall DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

type document struct{ ID, Date, Text string }

type question struct {
	Question        string
	Evidence, Turns []string
}

// results is how many results of a search count.
const results = 5

func run(out io.Writer, dir string) error {
	docs, err := readLines[document](filepath.Join(dir, "documents.jsonl"))
	if err != nil {
		return err
	}
	questions, err := readLines[question](filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		return err
	}
	index, err := newIndex(docs)
	if err != nil {
		return err
	}
	defer index.Close()
	var whole, lines score
	var took []time.Duration
	for _, q := range questions {
		began := time.Now()
		found, single, err := index.Search(q.Question, results)
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
		whole.add(found, q.Evidence, func(f store.Found) string { return f.Key })
		lines.add(single, q.Turns, func(f store.Found) string { return f.Key + ":" + strconv.Itoa(f.Line) })
	}
	fmt.Fprintf(out, "%d documents, %d questions, %d results each\n", len(docs), len(questions), results)
	fmt.Fprintf(out, "documents     hit %.3f  recall %.3f\n", whole.hits/whole.asked, whole.recall/whole.asked)
	fmt.Fprintf(out, "single lines  hit %.3f  recall %.3f\n", lines.hits/lines.asked, lines.recall/lines.asked)
	slices.Sort(took)
	_, err = fmt.Fprintf(out, "search        p50 %.1f ms  p95 %.1f ms\n", part(took, 50), part(took, 95))
	return err
}

// part returns the time within which n of a hundred searches end, in milliseconds.
func part(took []time.Duration, n int) float64 {
	return took[(len(took)-1)*n/100].Seconds() * 1000
}

// readLines reads a file with a JSON value in each line.
func readLines[T any](path string) (all []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := json.NewDecoder(f); ; {
		var v T
		err := lines.Decode(&v)
		if errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: value %d: %w", path, len(all)+1, err)
		}
		all = append(all, v)
	}
}

// newIndex returns an index of documents, in a file that is removed at once.
func newIndex(docs []document) (*store.Index, error) {
	dir, err := os.MkdirTemp("", "recall-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	index, err := store.OpenIndex(filepath.Join(dir, "search.db"))
	if err != nil {
		return nil, err
	}
	var all []store.Indexed
	for _, d := range docs {
		all = append(all, store.Indexed{Key: d.ID, Title: d.Date, Text: d.Text})
	}
	return index, index.Change(all, nil)
}

// A score adds up how often and how much of what answers the questions was found.
type score struct{ asked, hits, recall float64 }

func (s *score) add(found []store.Found, want []string, key func(store.Found) string) {
	s.asked++
	has := 0
	for _, w := range want {
		if slices.ContainsFunc(found, func(f store.Found) bool { return key(f) == w }) {
			has++
		}
	}
	if has > 0 {
		s.hits++
		s.recall += float64(has) / float64(len(want))
	}
}
