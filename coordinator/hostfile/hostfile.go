// Package hostfile edits the settings files of other programs as text, so that their person's own formatting
// survives. It knows the form of a file, JSON, and no setting.
package hostfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
)

// maxSize is the largest file that is edited.
const maxSize = 1 << 20

// A File is a settings file as it was read.
type File struct {
	Text []byte // nil if it does not exist

	path string // with links resolved
	mode fs.FileMode
}

// Open reads a file. It returns an error for one that is not a regular file, or too large.
func Open(path string) (File, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linked := os.Readlink(path); linked == nil {
			return File{}, fmt.Errorf("%s is a link to a file that does not exist", path)
		}
		return File{path: path, mode: 0o600}, nil
	}
	if err != nil {
		return File{}, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return File{}, err
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxSize:
		return File{}, fmt.Errorf("%s is larger than %d bytes", path, maxSize)
	}
	text, err := os.ReadFile(real)
	return File{text, real, info.Mode().Perm()}, err
}

// Replace writes the file with a new text. It returns an error if the file has changed
// since it was read.
func (f File) Replace(text []byte) error {
	now, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, f.Text) {
		return fmt.Errorf("%s changed meanwhile, so it was left as it is", f.path)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	return home.Replace(f.path, text, f.mode)
}

// A member is one key of the file's object, with the position of its value.
type member struct {
	key        string
	start, end int // of the value
	keyStart   int
}

// members returns the keys of the object in the file, in their order.
func (f File) members() (all []member, err error) {
	if len(bytes.TrimSpace(f.Text)) == 0 {
		return nil, nil
	}
	if !json.Valid(f.Text) {
		return nil, errors.New("it is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(f.Text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		keyEnd := int(d.InputOffset())
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		all = append(all, member{fmt.Sprint(key), end - len(value), end, f.keyStart(keyEnd)})
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return all, nil
}

// keyStart returns the position where the string that ends at end begins.
func (f File) keyStart(end int) int {
	for at := end - 2; at >= 0; at-- {
		if f.Text[at] != '"' {
			continue
		}
		slashes := 0
		for at-slashes > 0 && f.Text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
	return 0
}

// Value returns the value of a key, nil if the file does not have it.
func (f File) Value(key string) (json.RawMessage, error) {
	at, err := f.find(key)
	if at == nil {
		return nil, err
	}
	return f.Text[at.start:at.end], nil
}

// find returns where a key is, nil if the file does not have it. It returns an error if the file has the key twice.
func (f File) find(key string) (at *member, err error) {
	all, err := f.members()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.key != key {
			continue
		}
		if at != nil {
			return nil, fmt.Errorf("it has %q twice", key)
		}
		at = &m
	}
	return at, nil
}

// With returns the file's text with a value of a key, in JSON. A new key is the first.
func (f File) With(key, value string) ([]byte, error) {
	at, err := f.find(key)
	switch {
	case err != nil:
		return nil, err
	case at != nil:
		return f.spliced(at.start, at.end, value), nil
	}
	entry := fmt.Sprintf("%q: %s", key, value)
	open := bytes.IndexByte(f.Text, '{')
	if open < 0 {
		return []byte("{\n  " + entry + "\n}\n"), nil
	}
	first := open + 1
	for first < len(f.Text) && strings.IndexByte(" \t\r\n", f.Text[first]) >= 0 {
		first++
	}
	if f.Text[first] == '}' {
		return f.spliced(open+1, first, "\n  "+entry+"\n"), nil
	}
	return f.spliced(first, first, entry+","+string(f.Text[open+1:first])), nil
}

// Without returns the file's text without a key.
func (f File) Without(key string) ([]byte, error) {
	all, err := f.members()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(m member) bool { return m.key == key })
	switch {
	case i < 0:
		return f.Text, nil
	case i+1 < len(all):
		return f.spliced(all[i].keyStart, all[i+1].keyStart, ""), nil
	case i > 0:
		return f.spliced(all[i-1].end, all[i].end, ""), nil
	}
	open := bytes.IndexByte(f.Text, '{')
	return f.spliced(open+1, bytes.LastIndexByte(f.Text, '}'), ""), nil
}

func (f File) spliced(from, to int, text string) []byte {
	return slices.Concat(f.Text[:from], []byte(text), f.Text[to:])
}
