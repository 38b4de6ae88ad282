package store

import (
	"cmp"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/memory"
)

//go:embed memory.sql
var indexSchema string

// indexVersion changes with the schema of the index and with the form of its terms.
const indexVersion = 2

// An Index finds documents by their words. It has a database of its own, which holds nothing
// that is not somewhere else: one that is missing, damaged or of another version is empty.
type Index struct {
	db *sql.DB

	mu  sync.Mutex
	all *memory.Corpus // what is known of all documents, nil after a change
}

// An Indexed is a document of the index.
type Indexed struct {
	Key   string // unique
	Stamp string // changes when the document does
	At    time.Time
	Title string
	Also  string // further words by which it is found; not kept
	Text  string
}

// A Found is a document that has something of a question, with its best line.
type Found struct {
	Indexed
	Line  int // counted from 1, 0 for the title
	Score float64
}

// OpenIndex opens the index at path, or begins an empty one.
func OpenIndex(path string) (*Index, error) {
	x, err := openIndex(path)
	if err == nil {
		return x, nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("open the search index: %w", err)
		}
	}
	if x, err = openIndex(path); err != nil {
		return nil, fmt.Errorf("open the search index: %w", err)
	}
	return x, nil
}

func openIndex(path string) (x *Index, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := connect(path, "rwc")
	if err != nil {
		return nil, err
	}
	if err := prepareIndex(db); err != nil {
		db.Close()
		return nil, err
	}
	return &Index{db: db}, nil
}

// prepareIndex makes the tables of an empty index, and refuses one of another version.
func prepareIndex(db *sql.DB) error {
	var version, tables int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if _, err := db.Exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000"); err != nil {
		return err
	}
	if tables == 0 {
		_, err := db.Exec(fmt.Sprintf("BEGIN; %s PRAGMA user_version = %d; COMMIT", indexSchema, indexVersion))
		return err
	}
	if version != indexVersion {
		return fmt.Errorf("the search index has version %d; want %d", version, indexVersion)
	}
	return nil
}

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }

// Stamps returns the stamp of each document, by its key.
func (x *Index) Stamps() (map[string]string, error) {
	rows, err := x.db.Query(`SELECT key, stamp FROM docs`)
	if err != nil {
		return nil, fmt.Errorf("read the search index: %w", err)
	}
	defer rows.Close()
	stamps := map[string]string{}
	for rows.Next() {
		var key, stamp string
		if err := rows.Scan(&key, &stamp); err != nil {
			return nil, fmt.Errorf("read the search index: %w", err)
		}
		stamps[key] = stamp
	}
	return stamps, rows.Err()
}

// Change puts documents into the index, or in the place of those with the same key, and drops
// others, in one transaction.
func (x *Index) Change(put []Indexed, drop []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all = nil
	tx, err := x.db.Begin()
	if err != nil {
		return fmt.Errorf("change the search index: %w", err)
	}
	for _, key := range drop {
		err = errors.Join(err, dropIndexed(tx, key))
	}
	for _, d := range put {
		err = errors.Join(err, dropIndexed(tx, d.Key), putIndexed(tx, d))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("change the search index: %w", err), tx.Rollback())
	}
	return tx.Commit()
}

func dropIndexed(tx *sql.Tx, key string) error {
	if _, err := tx.Exec(`DELETE FROM terms WHERE rowid = (SELECT id FROM docs WHERE key = ?1)`, key); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM docs WHERE key = ?1`, key)
	return err
}

func putIndexed(tx *sql.Tx, d Indexed) error {
	var body []string
	words := 0
	for line := range strings.SplitSeq(d.Text, "\n") {
		read := memory.ReadLine(line)
		words += len(read.Label) + len(read.Terms)
		body = append(body, read.String())
	}
	done, err := tx.Exec(`INSERT INTO docs (key, stamp, at, title, lines, words, text) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		d.Key, d.Stamp, d.At.UnixMilli(), d.Title, len(body), words, d.Text)
	if err != nil {
		return err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return err
	}
	title := strings.Join(memory.Terms(d.Title+" "+d.Also), " ")
	_, err = tx.Exec(`INSERT INTO terms (rowid, title, body) VALUES (?, ?, ?)`, id, title, strings.Join(body, "\n"))
	return err
}

// Bounds of a search: how many documents are compared in full, and in how many documents the
// words are that choose them. A word that is in more of them tells little.
const (
	mostCompared = 50
	mostMatches  = 1500
)

// Search returns the documents that have something of a question, and single lines of them, at
// most n of each, the best first.
func (x *Index) Search(question string, n int) (docs, lines []Found, err error) {
	q := memory.NewQuestion(question)
	c, err := x.corpus(q)
	if err != nil {
		return nil, nil, fmt.Errorf("search: %w", err)
	}
	chosen := choose(q, c)
	if len(chosen) == 0 {
		return nil, nil, nil
	}
	ids, candidates, err := x.compared(chosen)
	if err != nil {
		return nil, nil, fmt.Errorf("search: %w", err)
	}
	whole, single := memory.Rank(q, c, candidates)
	if docs, err = x.found(ids, whole[:min(n, len(whole))]); err == nil {
		lines, err = x.found(ids, single[:min(n, len(single))])
	}
	return docs, lines, err
}

// found returns the documents of hits; ids are those of the candidates.
func (x *Index) found(ids []int64, hits []memory.Hit) (all []Found, err error) {
	for _, h := range hits {
		f := Found{Line: h.Line, Score: h.Score}
		var at int64
		row := x.db.QueryRow(`SELECT key, stamp, at, title, text FROM docs WHERE id = ?`, ids[h.Doc])
		if err := row.Scan(&f.Key, &f.Stamp, &at, &f.Title, &f.Text); errors.Is(err, sql.ErrNoRows) {
			continue // it has just changed
		} else if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		f.At = time.UnixMilli(at)
		all = append(all, f)
	}
	return all, nil
}

// mostKnown is of how many terms the counts are kept.
const mostKnown = 1000

// corpus returns what all documents have together, and where the terms of a question are.
func (x *Index) corpus(q memory.Question) (c memory.Corpus, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil || len(x.all.In) > mostKnown {
		all := memory.Corpus{In: map[string]memory.Count{}}
		row := x.db.QueryRow(`SELECT count(*), ifnull(sum(lines), 0), ifnull(sum(words), 0) FROM docs`)
		if err := row.Scan(&all.Docs, &all.Lines, &all.Words); err != nil {
			return c, err
		}
		x.all = &all
	}
	c = *x.all
	c.In = map[string]memory.Count{}
	for _, term := range q.Terms {
		n, known := x.all.In[term]
		if !known {
			err := x.db.QueryRow(`SELECT doc, cnt FROM vocab WHERE term = ?`, term).Scan(&n.Docs, &n.Lines)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return c, err
			}
			x.all.In[term] = n
		}
		c.In[term] = n
	}
	return c, nil
}

// choose returns the terms of a question that are in documents, without the most frequent ones
// where they are in too many.
func choose(q memory.Question, c memory.Corpus) (chosen []string) {
	terms := slices.DeleteFunc(slices.Clone(q.Terms), func(term string) bool { return c.In[term].Docs == 0 })
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(c.In[a].Docs, c.In[b].Docs) })
	matches := 0
	for _, term := range terms {
		if matches += c.In[term].Docs; matches > mostMatches && len(chosen) > 0 {
			break
		}
		chosen = append(chosen, `"`+term+`"`)
	}
	return chosen
}

// compared returns the documents that are compared in full.
func (x *Index) compared(terms []string) (ids []int64, candidates []memory.Candidate, err error) {
	rows, err := x.db.Query(
		`SELECT rowid, title, body FROM terms WHERE terms MATCH ? ORDER BY bm25(terms, 2, 1) LIMIT ?`,
		strings.Join(terms, " OR "), mostCompared)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var title, body string
		if err := rows.Scan(&id, &title, &body); err != nil {
			return nil, nil, err
		}
		ids, candidates = append(ids, id), append(candidates, candidate(title, body))
	}
	return ids, candidates, rows.Err()
}

// candidate reads the terms of a document.
func candidate(title, body string) memory.Candidate {
	c := memory.Candidate{Title: strings.Fields(title)}
	n := 0
	for line := range strings.SplitSeq(body, "\n") {
		n++
		if read := memory.ParseLine(n, line); !read.Empty() {
			c.Lines = append(c.Lines, read)
		}
	}
	return c
}
