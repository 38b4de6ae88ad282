package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
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
	Kept    string  // path of the damaged file now
	Tables  []Saved // in the order of the schema
	Journal int64   // number of the last journal entry that was saved
	Gone    int64   // number of later journal entries that are known to be lost
	Paired  bool    // a person is still paired
}

// A Saved is what became of one table.
type Saved struct {
	Table string
	Rows  int  // saved
	Lost  int  // seen, but not usable
	Torn  bool // an unknown part of it could not be read
}

// Repair makes a new database of what can be read of the damaged one at path, and
// keeps the damaged files in the same directory. No process may have the database
// open. The journal is saved up to the damage, with an entry about the repair. On an
// error all files are as they were.
func Repair(path string, now time.Time) (Salvage, error) {
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
	r := &repair{path: path, to: filepath.Join(dir, "new.db"), dir: dir}
	if err := r.run(now); err != nil {
		return Salvage{}, fmt.Errorf("repair: %w", err)
	}
	err = r.replace(now)
	return r.salvage, err
}

// A repair works on copies; only replace touches path.
type repair struct {
	path, to, dir string
	from          string // the copy that is read
	replaced      bool   // its beginning is not that of the damaged file
	salvage       Salvage
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}

func (r *repair) run(now time.Time) error {
	if err := r.makeReadable(); err != nil {
		return err
	}
	old, err := connect(r.from, damaged)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := create(r.to, r.version(old)); err != nil {
		return err
	}
	if err := r.copyAll(old); err != nil {
		return err
	}
	return r.finish(now)
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

// What SQLite's file format says of the first page.
const (
	pageSize   = 4096 // of every database that Afar made
	headerSize = 100
	countAt    = 28 // number of pages
	freeAt     = 32 // first page and number of the free ones
)

// makeReadable makes the copy from which most tables can be read. The first one is the damaged file as
// it is. The others have the beginning of an empty database in place of their own: the header, or the
// whole first page, which says where each table begins.
func (r *repair) makeReadable() error {
	template := filepath.Join(r.dir, "template.db")
	if err := create(template, newest); err != nil {
		return err
	}
	tables, err := tablesOf(template)
	if err != nil {
		return err
	}
	most := -1
	for i, try := range []struct {
		replaced int // bytes of the beginning
		log      bool
	}{{0, true}, {headerSize, true}, {pageSize, true}, {pageSize, false}} {
		path := filepath.Join(r.dir, fmt.Sprintf("damaged%d.db", i))
		if err := r.imitate(path, template, try.replaced, try.log); err != nil {
			return err
		}
		if n := readable(path, tables); n > most {
			r.from, r.replaced, most = path, try.replaced > 0, n
		}
		if most == len(tables) {
			break
		}
	}
	return nil
}

// imitate copies the damaged files to path, the log only if it is wanted.
func (r *repair) imitate(path, template string, replaced int, log bool) error {
	err := copyFile(r.path, path)
	if err == nil && log {
		err = copyFile(r.path+"-wal", path+"-wal")
	}
	if err == nil && replaced > 0 {
		err = graft(template, path, replaced)
	}
	return err
}

// readable returns how many of the tables can be opened in a damaged database. It returns all of them if
// the database says without damage which ones it has: one of an older version has fewer.
func readable(path string, tables []string) (n int) {
	db, err := connect(path, damaged)
	if err != nil {
		return 0
	}
	defer db.Close()
	for _, table := range tables {
		if _, err := db.Exec("SELECT 1 FROM " + table + " LIMIT 0"); err == nil {
			n++
		}
	}
	if n > 0 && schemaOf(db) != "" {
		return len(tables)
	}
	return n
}

// graft overwrites the first bytes of a copy with those of the template.
func graft(template, path string, size int) error {
	head := make([]byte, size)
	in, err := os.Open(template)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.ReadFull(in, head); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	info, err := out.Stat()
	if err != nil {
		return err
	}
	pages := max(1, (info.Size()+pageSize-1)/pageSize)
	binary.BigEndian.PutUint32(head[countAt:], uint32(pages))
	binary.BigEndian.PutUint64(head[freeAt:], 0)
	_, err = out.WriteAt(head, 0)
	return err
}

// schemaOf returns the definitions of all tables of a database, "" when they cannot be
// read.
func schemaOf(db *sql.DB) string {
	const query = `SELECT group_concat(sql, char(10))
		FROM (SELECT sql FROM sqlite_schema WHERE sql != '' ORDER BY name)`
	var all sql.NullString
	if err := db.QueryRow(query).Scan(&all); err != nil {
		return ""
	}
	return all.String
}

// create makes a database of a version at path.
func create(path string, version int) error {
	db, err := connect(path, "rwc")
	if err != nil {
		return err
	}
	s := &Store{db: db, path: path}
	err = s.migrate(version)
	return errors.Join(err, db.Close()) // closing writes the log into the file
}

// version returns the version of the damaged database as far as its header says it, else the newest one.
func (r *repair) version(old *sql.DB) int {
	var said int
	err := old.QueryRow("PRAGMA user_version").Scan(&said)
	if err == nil && !r.replaced && said >= firstVersion && said < newest {
		return said
	}
	return newest
}

// tablesOf returns the tables of a sound database, in the order of the schema.
func tablesOf(path string) (names []string, err error) {
	db, err := connect(path, "ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
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

func (r *repair) copyAll(old *sql.DB) error {
	tables, err := tablesOf(r.to)
	if err != nil {
		return err
	}
	db, err := connect(r.to, "rw")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, table := range tables {
		if table == "journal" || table == "head" {
			continue // copied by itself, with its head
		}
		columns, err := columnsOf(db, table)
		if err != nil {
			return err
		}
		saved, err := copyTable(old, db, table, columns)
		if err != nil {
			return err
		}
		r.salvage.Tables = append(r.salvage.Tables, saved)
	}
	return r.copyJournal(old, db)
}

// A column describes a column of a table in the new database.
type column struct{ name, kind string }

func columnsOf(db *sql.DB, table string) (all []column, err error) {
	rows, err := db.Query(`SELECT name, type FROM pragma_table_info(?)`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// copyTable copies what can be read of a table.
func copyTable(old, db *sql.DB, table string, columns []column) (saved Saved, err error) {
	saved.Table = table
	tx, err := db.Begin()
	if err != nil {
		return saved, err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	list := strings.Join(names, ", ")
	insert := fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (?%s)",
		table, list, strings.Repeat(", ?", len(names)-1))
	saved.Torn = eachRow(old, table, list, len(columns), func(values []any) {
		if !usable(columns, values) {
			saved.Lost++
			return
		}
		if done, err := tx.Exec(insert, values...); err != nil {
			saved.Lost++
		} else if n, _ := done.RowsAffected(); n > 0 {
			saved.Rows++
		}
	}) || !isWhole(old, table)
	return saved, tx.Commit()
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
	return c == column{"data", "TEXT"} && !slices.ContainsFunc(all, isLane)
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

// eachRow calls f with every readable row of a table, in the order of row ids. It
// reports whether it met damage. After a damaged page it goes on at the next row that
// it can find.
func eachRow(old *sql.DB, table, list string, width int, f func([]any)) (torn bool) {
	from := int64(-1 << 62)
	for skip := int64(0); ; {
		last, err := readFrom(old, table, list, width, from, f)
		if err == nil {
			return torn
		}
		torn = true
		if last >= from {
			from, skip = last+1, 0
		}
		if skip = max(1, 2*skip); skip > 1<<40 {
			return true
		}
		from = max(from, 0) + skip
	}
}

// readFrom reads the rows from a row id on, and returns the id of the last one.
func readFrom(old *sql.DB, table, list string, width int, from int64, f func([]any)) (last int64, err error) {
	last = from - 1
	query := fmt.Sprintf("SELECT rowid, %s FROM %s NOT INDEXED WHERE rowid >= ? ORDER BY rowid", list, table)
	rows, err := old.Query(query, from)
	if err != nil {
		return last, err
	}
	defer rows.Close()
	for rows.Next() {
		values, into := make([]any, width), []any{&last}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return last, err
		}
		f(values)
	}
	return last, rows.Err()
}

// copyJournal copies the journal up to the damage: the chain does not hold after it.
func (r *repair) copyJournal(old, db *sql.DB) error {
	columns, err := columnsOf(db, "journal")
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing
	last, head, whole, most := int64(0), "", true, int64(0)
	torn := eachRow(old, "journal", "seq, at, kind, session, subject, text, hash", len(columns), func(values []any) {
		e, ok := entry(values)
		most = max(most, e.Seq)
		if whole = whole && ok && e.Seq == last+1 && e.Chain(head) == e.Hash; !whole {
			return
		}
		_, failed := tx.Exec(insertEntry, values...)
		if whole = failed == nil; whole {
			last, head = e.Seq, e.Hash
		}
	}) || !isWhole(old, "journal")
	var written int64
	if old.QueryRow(`SELECT seq FROM head`).Scan(&written) == nil {
		most = max(most, written)
	}
	r.salvage.Journal, r.salvage.Gone = last, most-last
	saved := Saved{Table: "journal", Rows: int(last), Lost: int(most - last), Torn: torn}
	r.salvage.Tables = append(r.salvage.Tables, saved)
	return tx.Commit()
}

// entry returns a journal row as an event. ok is false if its values are not an event.
func entry(values []any) (e event.Event, ok bool) {
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

// finish brings the new database to this program's version, and adds an entry about
// the repair to its journal.
func (r *repair) finish(now time.Time) error {
	s, err := Open(r.to)
	if err != nil {
		return err
	}
	accounts, _, err := Accounts.Load(s, now)
	if err == nil {
		r.salvage.Paired = slices.ContainsFunc(accounts, func(a channel.Account) bool { return a.Person != nil })
	}
	text := "the database was repaired after " + fmt.Sprint(r.salvage.Journal) + " entries"
	if r.salvage.Gone > 0 {
		text += fmt.Sprintf("; %d entries behind them are lost", r.salvage.Gone)
	}
	b := Batch{Events: []event.Event{{At: now, Kind: event.Repaired, Text: text}}}
	if err := s.Commit(&b); err != nil {
		return errors.Join(err, s.Close())
	}
	n, broken, _, err := s.Verify()
	if err == nil && broken != 0 {
		err = fmt.Errorf("the new journal of %d entries breaks at %d", n, broken)
	}
	return errors.Join(err, s.Close())
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
