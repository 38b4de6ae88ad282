package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

var (
	// ErrSound says that the database needs no repair.
	ErrSound = errors.New("the database is not damaged")
	// ErrEmpty says that there is no database, or that its file is empty.
	ErrEmpty = errors.New("the database is empty")
)

// A Salvage is what Repair could save.
type Salvage struct {
	Kept    string    // path of the damaged file now
	CopyAt  time.Time // when the good copy was made from which rows were taken; zero if there is none
	Tables  []Saved   // in the order of the schema
	Journal int64     // number of the last journal entry that was saved
	Gone    int64     // number of later journal entries that are known to be lost
	Paired  bool      // a person is still paired
	Doubts  []Doubt   // what may have been done
}

// A Saved is what became of one table.
type Saved struct {
	Table  string
	Rows   int  // read from the damaged file
	Copied int  // taken from the good copy
	Lost   int  // seen, but not usable
	Torn   bool // an unknown part of the damaged file could not be read
}

// Misses reports whether the damaged file may have had rows of a table that could not be read.
func (s Salvage) Misses(table string) bool {
	return slices.ContainsFunc(s.Tables, func(t Saved) bool { return t.Table == table && (t.Torn || t.Lost > 0) })
}

// A Doubt is a row that is as it was when the good copy was made. What it stands for may have been done
// since, so it counts as done.
type Doubt struct {
	Table, ID string
	Text      string // for people: what may have been done
}

// A Doubter makes all that a database shows as not done count as done, and returns what that is.
type Doubter func(s *Store, now time.Time) ([]Doubt, error)

// A Mender changes a repaired database where tables are not whole.
type Mender func(s *Store, saved *Salvage, now time.Time) error

// Repair makes a new database of what can be read of the damaged one at path. Of a table that cannot be
// read whole, the rows that are missing are taken from the newest good copy, after doubt has seen that. Last,
// mend sees the new database. The damaged files are kept in the same directory. No process may have the
// database open. The journal is saved up to its first gap, with an entry about the repair. On an error
// all files are as they were.
func Repair(path string, now time.Time, doubt Doubter, mend Mender) (Salvage, error) {
	switch err := Check(path); {
	case err == nil && isEmpty(path):
		return Salvage{}, ErrEmpty
	case err == nil:
		return Salvage{}, ErrSound
	case !errors.Is(err, ErrCorrupt):
		return Salvage{}, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".repair-*")
	if err != nil {
		return Salvage{}, fmt.Errorf("repair: %w", err)
	}
	defer os.RemoveAll(dir)
	r := &repair{path: path, to: filepath.Join(dir, "new.db"), dir: dir, now: now, doubt: doubt}
	if err := r.run(mend); err != nil {
		return Salvage{}, fmt.Errorf("repair: %w", err)
	}
	err = r.replace(now)
	return r.salvage, err
}

// A repair works on copies; only replace touches path.
type repair struct {
	path, to, dir string
	now           time.Time
	doubt         Doubter
	doubts        []Doubt // of the good copy
	salvage       Salvage
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}

func (r *repair) run(mend Mender) error {
	old, err := r.openDamaged()
	if err != nil {
		return err
	}
	defer old.Close()
	version := newest
	var said int
	if old.QueryRow("PRAGMA user_version").Scan(&said) == nil && said >= firstVersion && said < newest {
		version = said
	}
	if _, err := r.prepare(r.to, version, false); err != nil {
		return err
	}
	good, err := r.openGood(version)
	if err != nil {
		return err
	}
	if good != nil {
		defer good.Close()
	}
	if err := r.copyAll(old, good); err != nil {
		return err
	}
	return r.finish(mend)
}

// openDamaged opens a copy of the damaged files for reading. Without its log a database is only as new as
// its last checkpoint.
func (r *repair) openDamaged() (*sql.DB, error) {
	path := filepath.Join(r.dir, "damaged.db")
	err := copyFile(r.path, path)
	if err == nil && !lostCommits(r.path) {
		err = copyFile(r.path+"-wal", path+"-wal")
	}
	if err != nil {
		return nil, err
	}
	return connect(path, damaged)
}

// openGood opens the newest good copy that this program can read, as doubt leaves it. It returns nil if there
// is none.
func (r *repair) openGood(version int) (*sql.DB, error) {
	for n, path := range copies(r.path) {
		to := filepath.Join(r.dir, fmt.Sprintf("good%d.db", n))
		if Check(path) != nil {
			continue
		}
		err := copyFile(path, to)
		if err == nil {
			r.doubts, err = r.prepare(to, version, true)
		}
		if err != nil {
			return nil, err
		}
		r.salvage.CopyAt = copiedAt(path)
		return connect(to, "ro")
	}
	return nil, nil
}

// prepare makes or brings a database to a version. With inDoubt all that it shows as not done counts as done.
func (r *repair) prepare(path string, version int, inDoubt bool) (doubts []Doubt, err error) {
	db, err := connect(path, "rwc")
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, path: path, ready: map[string]*sql.Stmt{}, level: synced}
	if err = s.migrate(version); err == nil && inDoubt {
		doubts, err = r.doubt(s, r.now)
	}
	return doubts, errors.Join(err, db.Close()) // closing writes the log into the file
}

// copyFile copies a file that may be absent.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// tablesOf returns the tables of a database, in the order of the schema.
func tablesOf(db *sql.DB) (names []string, err error) {
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
		ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (r *repair) copyAll(old, good *sql.DB) error {
	db, err := connect(r.to, "rw")
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := tablesOf(db)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if name == "head" {
			continue // it follows from the journal
		}
		t, err := tableOf(db, name)
		if err != nil {
			return err
		}
		copyTable := r.copyTable
		if name == "journal" {
			copyTable = r.copyJournal
		}
		saved, err := copyTable(old, good, db, t)
		if err != nil {
			return err
		}
		r.salvage.Tables = append(r.salvage.Tables, saved)
	}
	return nil
}

// A column describes a column of a table in the new database.
type column struct {
	name, kind string
	key        bool
}

// A table is one that is copied. order lists what its rows are ordered by.
type table struct {
	name, list string
	order      []string
	columns    []column
}

func tableOf(db *sql.DB, name string) (t table, err error) {
	t = table{name: name, order: []string{"rowid"}}
	rows, err := db.Query(`SELECT name, type, pk > 0 FROM pragma_table_info(?)`, name)
	if err != nil {
		return t, err
	}
	defer rows.Close()
	var names, keys []string
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind, &c.key); err != nil {
			return t, err
		}
		t.columns, names = append(t.columns, c), append(names, c.name)
		if c.key {
			keys = append(keys, c.name)
		}
	}
	t.list = strings.Join(names, ", ")
	var hasNoID bool
	err = errors.Join(rows.Err(), rows.Close(),
		db.QueryRow(`SELECT wr FROM pragma_table_list(?)`, name).Scan(&hasNoID))
	if hasNoID {
		t.order = keys
	}
	return t, err
}

// A tableRow is one row of a table. key holds the values of its primary key, with blanks between them.
type tableRow struct {
	key    string
	values []any
}

// copyTable copies the rows that can be read of a table, and those of the good copy that are not among
// them if the table is not whole. The rows of the copy come first, because they are older.
func (r *repair) copyTable(old, good, db *sql.DB, t table) (saved Saved, err error) {
	rows, lost, torn := t.read(old)
	saved = Saved{Table: t.name, Torn: torn}
	has, fromGood := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		has[row.key] = true
	}
	var more []tableRow
	if good != nil && (torn || lost > 0) {
		all, _, _ := t.read(good)
		more = slices.DeleteFunc(all, func(row tableRow) bool { return has[row.key] })
	}
	for _, row := range more {
		fromGood[row.key] = true
	}
	for _, d := range r.doubts {
		if d.Table == t.name && fromGood[d.ID] {
			r.salvage.Doubts = append(r.salvage.Doubts, d)
		}
	}
	if saved.Copied, err = t.insert(db, more); err == nil {
		saved.Rows, err = t.insert(db, rows)
	}
	saved.Lost = lost + len(rows) - saved.Rows
	return saved, err
}

// insert adds rows to a table of the new database, and returns how many it took.
func (t table) insert(db *sql.DB, rows []tableRow) (taken int, err error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing
	statement, err := tx.Prepare(fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)",
		t.name, t.list, strings.Repeat(", ?", len(t.columns)-1)))
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	for _, row := range rows {
		if _, err := statement.Exec(row.values...); err == nil {
			taken++
		}
	}
	return taken, tx.Commit()
}

// read returns the usable rows of a table, as far as plain SQL reads them: from its beginning up to the
// first damage, and from its end back to the last. lost counts the other rows that it saw. torn reports
// whether more may be missing: rows of a damaged page may be missing without an error.
func (t table) read(db *sql.DB) (rows []tableRow, lost int, torn bool) {
	seen := map[string]bool{}
	from := func(direction string) (found []tableRow, err error) {
		query := "SELECT " + t.list + " FROM " + t.name + " NOT INDEXED ORDER BY " +
			strings.Join(t.order, direction+", ") + direction
		err = eachRow(db, query, len(t.columns), func(values []any) {
			row := tableRow{t.keyOf(values), values}
			switch {
			case seen[row.key]:
			case usable(t.columns, values):
				found = append(found, row)
			default:
				lost++
			}
			seen[row.key] = true
		})
		return found, err
	}
	rows, err := from(" ASC")
	if err == nil {
		return rows, lost, !isWhole(db, t.name)
	}
	ends, _ := from(" DESC")
	slices.Reverse(ends)
	return append(rows, ends...), lost, true
}

// eachRow calls f with every row of a query, and returns the error that ended it.
func eachRow(db *sql.DB, query string, width int, f func([]any)) error {
	rows, err := db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, into := make([]any, width), make([]any, width)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		f(values)
	}
	return rows.Err()
}

func (t table) keyOf(values []any) string {
	var key []string
	for i, c := range t.columns {
		if c.key {
			key = append(key, fmt.Sprint(values[i]))
		}
	}
	return strings.Join(key, " ")
}

// isWhole reports whether SQLite finds no damage in the pages of a table. Rows of a damaged page may
// be missing without an error.
func isWhole(old *sql.DB, table string) bool {
	var verdict string
	err := old.QueryRow("PRAGMA quick_check(" + table + ")").Scan(&verdict)
	return err == nil && verdict == "ok"
}

// usable reports whether the values of a row fit its columns: a damaged page may be
// read without an error.
func usable(columns []column, values []any) bool {
	for i, c := range columns {
		if _, whole := values[i].(int64); (c.kind == "INTEGER") != whole {
			return false
		}
		if holdsJSON(c, columns) && !validJSON(values[i]) {
			return false
		}
	}
	return true
}

// holdsJSON reports whether a column holds JSON. The data of actions, which have a
// lane, are often a bare word.
func holdsJSON(c column, all []column) bool {
	isLane := func(c column) bool { return c.name == "lane" }
	return c.name == "data" && !slices.ContainsFunc(all, isLane)
}

func validJSON(v any) bool {
	switch v := v.(type) {
	case string:
		return json.Valid([]byte(v))
	case []byte:
		return json.Valid(v)
	}
	return false
}

// copyJournal copies the journal up to its first gap: the chain does not hold after it. An entry that cannot
// be read is taken from the good copy.
func (r *repair) copyJournal(old, good, db *sql.DB, t table) (saved Saved, err error) {
	saved.Table = t.name
	sources, last := []map[int64][]any{{}, {}}, int64(0)
	note := func(source map[int64][]any, rows []tableRow) {
		for _, row := range rows {
			seq := row.values[0].(int64) // it is usable
			source[seq], last = row.values, max(last, seq)
		}
	}
	rows, _, torn := t.read(old)
	note(sources[0], rows)
	if saved.Torn = torn; good != nil && torn {
		rows, _, _ = t.read(good)
		note(sources[1], rows)
	}
	rows = nil
	for head, seq := "", int64(1); ; seq++ {
		n := slices.IndexFunc(sources, func(of map[int64][]any) bool {
			e, ok := entry(of[seq])
			return ok && e.Chain(head) == e.Hash
		})
		if n < 0 {
			break
		}
		e, _ := entry(sources[n][seq])
		rows, head = append(rows, tableRow{values: sources[n][seq]}), e.Hash
		saved.Copied += n
	}
	taken, err := t.insert(db, rows)
	saved.Rows = taken - saved.Copied
	var written int64
	if old.QueryRow(`SELECT seq FROM head`).Scan(&written) == nil {
		last = max(last, written)
	}
	r.salvage.Journal, r.salvage.Gone = int64(taken), max(0, last-int64(taken))
	saved.Lost = int(r.salvage.Gone)
	return saved, err
}

// entry returns a journal row as an event. ok is false if its values are not an event.
func entry(values []any) (e event.Event, ok bool) {
	if len(values) != 7 {
		return e, false
	}
	seq, isSeq := values[0].(int64)
	at, isAt := values[1].(int64)
	if !isSeq || !isAt {
		return e, false
	}
	e.Seq, e.At = seq, time.UnixMilli(at)
	var texts [5]string
	for i := range texts {
		switch v := values[2+i].(type) {
		case string:
			texts[i] = v
		case []byte:
			texts[i] = string(v)
		default:
			return e, false
		}
	}
	e.Kind, e.Subject, e.Text, e.Hash = event.Kind(texts[0]), texts[2], texts[3], texts[4]
	e.Session = session.ID(texts[1])
	return e, true
}

// finish brings the new database to this program's version, has mend see it, and adds an entry about
// the repair to its journal.
func (r *repair) finish(mend Mender) error {
	s, err := Open(r.to)
	if err != nil {
		return err
	}
	accounts, _, err := Accounts.Load(s, r.now)
	if err == nil && lostCommits(r.path) { // the damaged file is itself only as new as its last checkpoint
		r.salvage.Doubts, err = r.doubt(s, r.now)
	}
	if err == nil {
		r.salvage.Paired = slices.ContainsFunc(accounts, func(a channel.Account) bool { return a.Person != nil })
		err = mend(s, &r.salvage, r.now)
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	text := "the database was repaired after " + fmt.Sprint(r.salvage.Journal) + " entries"
	if r.salvage.Gone > 0 {
		text += fmt.Sprintf("; %d entries behind them are lost", r.salvage.Gone)
	}
	b := Batch{Events: []event.Event{{At: r.now, Kind: event.Repaired, Text: text}}}
	for _, d := range r.salvage.Doubts {
		b.Events = append(b.Events, event.Event{At: r.now, Kind: event.Repaired, Subject: d.ID, Text: d.Text})
	}
	if err := s.Commit(&b); err != nil {
		return errors.Join(err, s.Close())
	}
	n, broken, _, err := s.Verify()
	if err == nil && broken != 0 {
		err = fmt.Errorf("the new journal of %d entries breaks at %d", n, broken)
	}
	return errors.Join(err, s.Close())
}

// DoubtActions makes the actions and the updates of channels that are not done count as done, and returns
// them as doubts. why is kept with the actions.
func (s *Store) DoubtActions(why string) ([]Doubt, error) {
	doubts, err := collect(s, "actions", func(rows *sql.Rows, d *Doubt) error {
		return rows.Scan(&d.Table, &d.ID, &d.Text)
	}, `SELECT 'actions', key, 'action ' || kind || ' in ' || lane || ': ' || substr(data, 1, 200)
			FROM actions WHERE done < gen
		UNION ALL SELECT 'inbox', channel || ' ' || id, 'what came on ' || channel || ' as ' || id
			FROM inbox WHERE done = 0`)
	if err != nil {
		return nil, err
	}
	return doubts, s.tx(func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE actions SET done = gen, error = ? WHERE done < gen`, why)
		_, failed := tx.Exec(`UPDATE inbox SET done = 1`)
		return errors.Join(err, failed)
	})
}

// replace moves the new database to the path of the damaged one, which is kept under a
// name with the time.
func (r *repair) replace(now time.Time) error {
	r.salvage.Kept = r.path + ".damaged-" + now.Format("20060102-150405")
	for _, end := range []string{"", "-wal"} {
		if err := os.Rename(r.path+end, r.salvage.Kept+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("keep the damaged database: %w", err)
		}
	}
	_ = os.Remove(r.path + "-shm") // SQLite makes a new one
	if err := os.Rename(r.to, r.path); err != nil {
		back := os.Rename(r.salvage.Kept, r.path)
		return fmt.Errorf("put the new database in place: %w", errors.Join(err, back))
	}
	if dir, err := os.Open(filepath.Dir(r.path)); err == nil {
		_ = dir.Sync() // some systems cannot
		dir.Close()
	}
	return nil
}

// walMagic are the first bytes of every log of SQLite. The bit after them varies.
var walMagic = []byte{0x37, 0x7f, 0x06}

// lostCommits reports whether the log of a database is not a log of SQLite. SQLite
// would delete its content silently.
func lostCommits(path string) bool {
	f, err := os.Open(path + "-wal")
	if err != nil {
		return false
	}
	defer f.Close()
	var head [32]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false // it is too short for a commit
	}
	return !bytes.HasPrefix(head[:], walMagic) && head != [32]byte{}
}
