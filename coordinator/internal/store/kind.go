package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// A Kind is one kind of state: values of type V, each in a row of its own. The
// table has a column for the id, the Columns, and the value as JSON in the column
// data. Make one with NewKind.
type Kind[K ~string, V any] struct {
	Table   string      // its name
	Key     string      // the column of the id; "" means id
	ID      func(V) K   // the id of a value
	Columns []Column[V] // what rows are selected by

	// Wanted is the condition of the rows that Load reads; ?1 is its time in ms, and "" reads all.
	Wanted string
	// Old is the condition of the rows that Forget drops; ?1 is 30 days ago in ms, and "" drops none.
	// docs/storage.md has the ages.
	Old string

	Check func(V) error         // refuses a value that no program has written; nil accepts all
	Life  func(V) string        // changes when a value is another thing under the same id; nil: it never is
	put   string                // the statement that writes a row
	also  func(writer, V) error // writes what a value leaves in other tables; nil: nothing
	of    string                // the table whose unknown fields the values share; "" is Table
}

// A Column holds something of a value where SQL can see it.
type Column[V any] struct {
	Name string
	Of   func(V) any
}

// NewKind returns k, ready for use.
func NewKind[K ~string, V any](k Kind[K, V]) *Kind[K, V] {
	if k.Key == "" {
		k.Key = "id"
	}
	names, places, sets := []string{k.Key}, []string{"?1"}, []string{}
	for i, name := range append(columnNames(k.Columns), "data") {
		place := fmt.Sprintf("?%d", i+2)
		names, places = append(names, name), append(places, place)
		sets = append(sets, name+" = "+place)
	}
	k.put = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s",
		k.Table, strings.Join(names, ", "), strings.Join(places, ", "), k.Key, strings.Join(sets, ", "))
	if k.Old != "" {
		oldRows[k.Table] = k.Old
	}
	return &k
}

// oldRows holds for each table which of its rows Forget drops. ?1 is 30 days ago, in unix ms.
var oldRows = map[string]string{
	"actions": "done >= gen AND due < ?1",
}

func columnNames[V any](columns []Column[V]) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// millis returns a column that holds a time.
func millis[V any](name string, at func(V) time.Time) Column[V] {
	return Column[V]{Name: name, Of: func(v V) any { return at(v).UnixMilli() }}
}

// oneOf returns an error unless state is one of states.
func oneOf[S ~string](state S, states ...S) error {
	if slices.Contains(states, state) {
		return nil
	}
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return fmt.Errorf("unknown state %q; want %s", state, strings.Join(names, ", "))
}

// A row is one value of a batch, of any kind.
type row interface {
	write(w writer) error
}

type valueRow[K ~string, V any] struct {
	kind  *Kind[K, V]
	value V
}

// Put adds values to a batch. Of several with one id the last counts.
func (k *Kind[K, V]) Put(b *Batch, values ...V) {
	for _, v := range values {
		b.rows = append(b.rows, valueRow[K, V]{kind: k, value: v})
	}
}

// In returns the values of k in a batch, in the order in which they were put.
func (k *Kind[K, V]) In(b *Batch) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, r := range b.rows {
			if r, ok := r.(valueRow[K, V]); ok && r.kind == k && !yield(r.value) {
				return
			}
		}
	}
}

// Changes reports whether a batch has values of k.
func (k *Kind[K, V]) Changes(b *Batch) bool {
	for range k.In(b) {
		return true
	}
	return false
}

// Last returns the value that a batch leaves under an id; ok is false when the
// batch does not change it.
func (k *Kind[K, V]) Last(b *Batch, id K) (v V, ok bool) {
	for _, r := range slices.Backward(b.rows) {
		if r, is := r.(valueRow[K, V]); is && r.kind == k && k.ID(r.value) == id {
			return r.value, true
		}
	}
	return v, false
}

func (r valueRow[K, V]) write(w writer) error {
	k, v := r.kind, r.value
	data, err := w.store.encode(cmp.Or(k.of, k.Table), k.life(v), v)
	if err != nil {
		return fmt.Errorf("put into %s: %w", k.Table, err)
	}
	args := []any{string(k.ID(v))}
	for _, c := range k.Columns {
		args = append(args, c.Of(v))
	}
	if _, err := w.Exec(k.put, append(args, data)...); err != nil {
		return fmt.Errorf("put into %s: %w", k.Table, err)
	}
	if k.also == nil {
		return nil
	}
	return k.also(w, v)
}

func (k *Kind[K, V]) life(v V) string {
	if k.Life == nil {
		return string(k.ID(v))
	}
	return string(k.ID(v)) + "/" + k.Life(v)
}

// Load reads the values that are wanted since a time. Rows that cannot be read are
// bad and stay in the database.
func (k *Kind[K, V]) Load(s *Store, since time.Time) (values []V, bad []Bad, err error) {
	if k.Wanted == "" {
		return k.query(s, "")
	}
	return k.query(s, "WHERE "+k.Wanted, since.UnixMilli())
}

// Needed returns the ids of the values that Load would read.
func (k *Kind[K, V]) Needed(s *Store, since time.Time) (map[K]bool, error) {
	ids, err := collect(s, k.Table, func(rows *sql.Rows, id *K) error { return rows.Scan(id) },
		"SELECT "+k.Key+" FROM "+k.Table+" WHERE "+k.Wanted, since.UnixMilli())
	needed := make(map[K]bool, len(ids))
	for _, id := range ids {
		needed[id] = true
	}
	return needed, err
}

// Get returns the value with an id. ok is false if there is none. A row that
// cannot be read is an error.
func (k *Kind[K, V]) Get(s *Store, id K) (v V, ok bool, err error) {
	values, bad, err := k.query(s, "WHERE "+k.Key+" = ?1", string(id))
	switch {
	case err != nil:
		return v, false, err
	case len(bad) > 0:
		return v, false, bad[0]
	case len(values) == 0:
		return v, false, nil
	}
	return values[0], true, nil
}

// query reads the rows that the rest of a SELECT names.
func (k *Kind[K, V]) query(s *Store, rest string, args ...any) (values []V, bad []Bad, err error) {
	type stored struct {
		id   string
		data []byte
	}
	rows, err := collect(s, k.Table, func(rows *sql.Rows, r *stored) error { return rows.Scan(&r.id, &r.data) },
		"SELECT "+k.Key+", data FROM "+k.Table+" "+rest, args...)
	for _, r := range rows {
		v, err := k.decode(s, r.id, r.data)
		if err != nil {
			bad = append(bad, Bad{Table: k.Table, ID: r.id, Err: err})
			continue
		}
		values = append(values, v)
	}
	return values, bad, err
}

// decode reads the value of a row, and keeps its unknown fields for the next write.
func (k *Kind[K, V]) decode(s *Store, id string, data []byte) (v V, err error) {
	unknown, err := decode(data, &v)
	if err == nil && string(k.ID(v)) != id {
		err = errors.New("its data are those of another row")
	}
	if err == nil && k.Check != nil {
		err = k.Check(v)
	}
	if err != nil {
		return v, err
	}
	if k.of == "" {
		s.remember(k.Table, k.life(v), unknown)
	}
	return v, nil
}

// A Bad row could not be decoded. It stays in the database as it is.
type Bad struct {
	Table, ID string
	Err       error
}

// Error says which row is bad, and why.
func (b Bad) Error() string {
	return "a row of " + b.Table + " cannot be read: " + b.ID + ": " + b.Err.Error()
}
func (b Bad) Unwrap() error { return b.Err }
