package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A newer program may have written fields that this one does not know. They are
// kept aside when a row is read and written again with its value.

// unknown holds the fields of a JSON value that this program does not know. It may be nil.
type unknown struct {
	fields map[string]json.RawMessage // of an object
	inside map[string]*unknown        // by the name of a known field, or the key of an element
}

// decode reads a stored value. It returns the fields that V does not have.
func decode[V any](data []byte, into *V) (*unknown, error) {
	if known(data, into) {
		return nil, nil
	}
	var v V
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	*into = v
	again, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return difference(data, again), nil
}

// known decodes data where V has all fields of it, and reports whether it has. A
// type that decodes itself does not say.
func known[V any](data []byte, into *V) bool {
	if _, own := any(into).(json.Unmarshaler); own {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}

// difference returns the fields that stored has and written lacks. An empty field that
// this program knows may be among them: written again, it still means the same.
func difference(stored, written json.RawMessage) *unknown {
	was, is := parts(stored), parts(written)
	if was == nil || is == nil {
		return nil
	}
	u := &unknown{fields: map[string]json.RawMessage{}, inside: map[string]*unknown{}}
	for name, old := range was {
		if now, ok := is[name]; !ok {
			u.fields[name] = old
		} else if inner := difference(old, now); inner != nil {
			u.inside[name] = inner
		}
	}
	if len(u.fields)+len(u.inside) == 0 {
		return nil
	}
	return u
}

// parts returns the fields of an object, or the elements of an array; nil for any
// other value.
func parts(raw json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		return object
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	elements := map[string]json.RawMessage{}
	for i, e := range list {
		elements[elementKey(list, i)] = e
	}
	return elements
}

// elementKey names an element of an array by its id. An element without an id is named
// by its position and the length of the array.
func elementKey(list []json.RawMessage, i int) string {
	var e struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(list[i], &e) == nil && e.ID != "" {
		return "id " + e.ID
	}
	return fmt.Sprintf("%d of %d", i, len(list))
}

// rejoin returns a value with its unknown fields.
func (u *unknown) rejoin(raw json.RawMessage) (json.RawMessage, error) {
	if u == nil {
		return raw, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return u.rejoinList(list)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return raw, nil // the field holds another kind of value now
	}
	for name, inner := range u.inside {
		old, ok := object[name]
		if !ok {
			continue
		}
		whole, err := inner.rejoin(old)
		if err != nil {
			return nil, err
		}
		object[name] = whole
	}
	for name, field := range u.fields {
		if _, ok := object[name]; !ok {
			object[name] = field
		}
	}
	return json.Marshal(object)
}

func (u *unknown) rejoinList(list []json.RawMessage) (json.RawMessage, error) {
	out := make([]json.RawMessage, len(list))
	for i, e := range list {
		whole, err := u.inside[elementKey(list, i)].rejoin(e)
		if err != nil {
			return nil, err
		}
		out[i] = whole
	}
	return json.Marshal(out)
}

// remember keeps the unknown fields of a row; life names the thing that they belong to.
func (s *Store) remember(table, life string, u *unknown) {
	s.unknownMu.Lock()
	defer s.unknownMu.Unlock()
	key := table + "/" + life
	if u == nil {
		delete(s.unknown, key)
		return
	}
	if s.unknown == nil {
		s.unknown = map[string]*unknown{}
	}
	s.unknown[key] = u
}

// encode returns a value as it is stored: with the fields that remember kept of it.
func (s *Store) encode(table, life string, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	s.unknownMu.Lock()
	u := s.unknown[table+"/"+life]
	s.unknownMu.Unlock()
	return u.rejoin(data)
}
