// Package store keeps the coordinator's state in SQLite. It is the machine's
// truth: what Commit returned without an error survives kill -9 and loss of
// power, what Write did survives kill -9. The package owns the database file and
// the form in which values are stored; it decides nothing about them.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"sync"
	"time"

	_ "modernc.org/sqlite"
)

//go:embed schema.sql
var schema string

// firstVersion is the version of schema, the oldest one that this program knows.
const firstVersion = 19

// migrations[i] takes a database from version firstVersion+i to the next one. One that has landed is
// never changed.
var migrations = []string{ageIndexes, fleetTables}

// newest is the version of this program.
var newest = firstVersion + len(migrations)

// Errors of Open. The files are left as they were.
var (
	ErrNewer   = errors.New("the database was written by a newer Afar")
	ErrOlder   = errors.New("the database was written by an Afar from before the first release")
	ErrCorrupt = errors.New("the database is damaged")
)

// repairHint ends the errors about damage.
const repairHint = "`afar doctor --repair` saves what can be read"

// A Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	db   *sql.DB // one connection: SQLite has one writer
	path string
	// checked is when the whole database was last checked.
	checked time.Time

	mu      sync.Mutex           // held by Commit; guards those below
	head    string               // hash of the newest journal entry
	seq     int64                // its number
	ready   map[string]*sql.Stmt // see writer
	level   level                // of the connection
	carried Batch                // see Carry

	unknownMu sync.Mutex          // guards unknown
	unknown   map[string]*unknown // fields of stored values, see remember
}

// A level says what a commit waits for. Its text is SQLite's name for it.
type level string

const (
	synced   level = "FULL"   // its bytes are on the disk
	unsynced level = "NORMAL" // its bytes are in the log
)

// Open opens the database at path, creating it 0600 when it is absent, and
// brings it to this program's version. A database of a newer version and a
// damaged one are refused and not written to. See checkEvery for when damage is looked for.
func Open(path string) (*Store, error) {
	checked := lastCheck(path)
	if err := finish(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := inspect(path, checked.IsZero()); err != nil {
		return nil, err
	}
	if checked.IsZero() {
		checked = time.Now()
	}
	db, err := connect(path, "rwc")
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{db: db, path: path, checked: checked, ready: map[string]*sql.Stmt{}, level: synced}
	if err := s.prepare(); err != nil {
		db.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return err
	}
	_ = noteClean(s.path, s.checked) // without the note the next start checks it
	return nil
}

// Sync brings what Write wrote to the disk. After an error, a loss of power may still
// lose it.
func (s *Store) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.level == synced {
		return nil // a Commit has synced it
	}
	if err := s.setLevel(synced); err != nil {
		return err
	}
	log, err := os.OpenFile(s.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := errors.Join(log.Sync(), log.Close()); err != nil {
		return fmt.Errorf("sync: %w: %w", ErrUnwritable, err)
	}
	return nil
}

// setLevel sets what later commits wait for; s.mu is held.
func (s *Store) setLevel(to level) error {
	if s.level == to {
		return nil
	}
	if _, err := s.db.Exec("PRAGMA synchronous = " + string(to)); err != nil {
		return fmt.Errorf("set what a commit waits for: %w", err)
	}
	s.level = to
	return nil
}

func (s *Store) prepare() error {
	if err := os.Chmod(s.path, 0o600); err != nil {
		return err
	}
	version, err := s.version()
	if err == nil && version > 0 && version < newest {
		err = makeCopy(s.path, time.Now())
	}
	if err == nil {
		err = s.migrate(newest)
	}
	if err != nil {
		return err
	}
	return s.readHead()
}

// damaged is the mode of a connection that only reads, and that reads what it can where the file is
// shorter than its header says, or where some tables cannot be found.
const damaged = "damaged"

// connect opens one connection. synchronous=FULL syncs the log at each commit:
// an answer that was acknowledged must not be lost with the power.
func connect(path, mode string) (*sql.DB, error) {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
	}}
	switch mode {
	case "ro":
		q["_pragma"] = []string{"busy_timeout(5000)"}
	case damaged:
		q["mode"], q["_pragma"] = []string{"ro"}, []string{"busy_timeout(5000)", "writable_schema(1)"}
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// inspect looks at an existing database without writing to it, and creates a missing one. With whole
// it checks all of it.
func inspect(path string, whole bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return begin(path)
	}
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	db, err := connect(path, "ro")
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	defer db.Close()
	if lostCommits(path) {
		return fmt.Errorf("%w: %s-wal is not a log of SQLite; %s", ErrCorrupt, path, repairHint)
	}
	if whole {
		if err := check(db, path); err != nil {
			return err
		}
	}
	return checkVersion(db, path)
}

// Check returns the error with which Open would refuse the database at path, or nil. It
// changes nothing.
func Check(path string) error {
	if isEmpty(path) {
		return lostLog(path)
	}
	if isHalfMade(path) {
		return nil // Open deals with it
	}
	return inspect(path, true)
}

// isHalfMade reports whether a database has a journal and one page at most: whoever made it was killed before it had a
// log, which each table is written to.
func isHalfMade(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() <= 4096 && !isEmpty(path+"-journal")
}

// finish takes back what a half-made database has. What only reads it could not.
func finish(path string) error {
	if !isHalfMade(path) {
		return nil
	}
	db, err := connect(path, "rwc")
	if err != nil {
		return err
	}
	return errors.Join(db.Ping(), db.Close())
}

// begin creates an empty database.
func begin(path string) error {
	if err := lostLog(path); err != nil {
		return err
	}
	return precreate(path)
}

// lostLog refuses an empty database that has a log: the log holds commits, and SQLite
// would delete it.
func lostLog(path string) error {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return fmt.Errorf("%w: %s is empty, but its log is not; %s", ErrCorrupt, path, repairHint)
	}
	return nil
}

// precreate creates the file before SQLite does, so that its mode is 0600 from the
// start.
func precreate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	return f.Close()
}

func check(db *sql.DB, path string) error {
	var verdict string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("%w: %s: %w; %s", ErrCorrupt, path, err, repairHint)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s: %s; %s", ErrCorrupt, path, verdict, repairHint)
	}
	return nil
}

func checkVersion(db *sql.DB, path string) error {
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("%w: %s: %w; %s", ErrCorrupt, path, err, repairHint)
	}
	if version > newest {
		return fmt.Errorf("%w: %s has version %d, this program knows %d; update Afar", ErrNewer, path, version, newest)
	}
	if version > 0 && version < firstVersion {
		return fmt.Errorf("%w: %s has version %d, this program knows %d and later; `mv %s %s.old` sets it aside",
			ErrOlder, path, version, firstVersion, path, path)
	}
	return nil
}

// version returns the version of the database, 0 if it is empty.
func (s *Store) version() (version int, err error) {
	if err = s.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		err = fmt.Errorf("read version: %w", err)
	}
	return version, err
}

// migrate makes the tables of an empty database, and runs the migrations that are missing up to a
// version, each in its own transaction.
func (s *Store) migrate(to int) error {
	version, err := s.version()
	if err != nil {
		return err
	}
	if version == 0 {
		version = firstVersion
		if err := s.migrateTo(version, schema); err != nil {
			return err
		}
	}
	for ; version < to; version++ {
		if err := s.migrateTo(version+1, migrations[version-firstVersion]); err != nil {
			return err
		}
	}
	return nil
}

// migrateTo runs the statements that make a version.
func (s *Store) migrateTo(version int, statements string) error {
	err := s.tx(func(tx *sql.Tx) error {
		if _, err := tx.Exec(statements); err != nil {
			return err
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
	if err != nil {
		return fmt.Errorf("migrate to version %d: %w", version, err)
	}
	return nil
}

func (s *Store) tx(f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return s.explain(err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return s.explain(err)
	}
	return s.explain(tx.Commit())
}
