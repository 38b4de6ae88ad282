package main

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

// maxSettings is the largest settings file of Claude Code that is edited.
const maxSettings = 1 << 20

// prepend is the key of Claude Code's settings with the plugins whose mods come before
// all others.
const prepend = "prependPlugins"

// A hostFile is one of Claude Code's settings files. It is edited as text, so
// that the person's own formatting survives.
type hostFile struct {
	path string // with links resolved
	text []byte // nil if the file does not exist
	mode fs.FileMode
}

// openHostFile reads a settings file. It returns an error if the file is not a regular
// file, is too large, or does not hold a JSON object.
func openHostFile(path string) (hostFile, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linked := os.Readlink(path); linked == nil {
			return hostFile{}, fmt.Errorf("%s is a link to a file that does not exist", path)
		}
		return hostFile{path: path, mode: 0o600}, nil
	}
	if err != nil {
		return hostFile{}, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return hostFile{}, err
	case !info.Mode().IsRegular():
		return hostFile{}, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxSettings:
		return hostFile{}, fmt.Errorf("%s is larger than %d bytes", path, maxSettings)
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return hostFile{}, err
	}
	f := hostFile{real, text, info.Mode().Perm()}
	if _, err := f.members(); err != nil {
		return hostFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// replace writes the file with a new text. It returns an error if the file has changed
// since it was read.
func (f hostFile) replace(text []byte) error {
	now, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, f.text) {
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
func (f hostFile) members() (all []member, err error) {
	if len(bytes.TrimSpace(f.text)) == 0 {
		return nil, nil
	}
	if !json.Valid(f.text) {
		return nil, errors.New("it is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(f.text))
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
func (f hostFile) keyStart(end int) int {
	for at := end - 2; at >= 0; at-- {
		if f.text[at] != '"' {
			continue
		}
		slashes := 0
		for at-slashes > 0 && f.text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
	return 0
}

// value returns where the value of a key is, nil if the file does not have it. It returns an error if
// the file has the key twice.
func (f hostFile) value(key string) (at *member, err error) {
	all, err := f.members()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.key != key {
			continue
		}
		if at != nil {
			return nil, fmt.Errorf("%s has %q twice", f.path, key)
		}
		at = &m
	}
	return at, nil
}

// with returns the file's text with a value of a key, in JSON. A new key is the first.
func (f hostFile) with(key, value string) ([]byte, error) {
	at, err := f.value(key)
	switch {
	case err != nil:
		return nil, err
	case at != nil:
		return f.spliced(at.start, at.end, value), nil
	}
	entry := fmt.Sprintf("%q: %s", key, value)
	open := bytes.IndexByte(f.text, '{')
	if open < 0 {
		return []byte("{\n  " + entry + "\n}\n"), nil
	}
	first := open + 1
	for first < len(f.text) && strings.IndexByte(" \t\r\n", f.text[first]) >= 0 {
		first++
	}
	if f.text[first] == '}' {
		return f.spliced(open+1, first, "\n  "+entry+"\n"), nil
	}
	return f.spliced(first, first, entry+","+string(f.text[open+1:first])), nil
}

// lacking returns the file's text without a key.
func (f hostFile) lacking(key string) ([]byte, error) {
	all, err := f.members()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(m member) bool { return m.key == key })
	switch {
	case i < 0:
		return f.text, nil
	case i+1 < len(all):
		return f.spliced(all[i].keyStart, all[i+1].keyStart, ""), nil
	case i > 0:
		return f.spliced(all[i-1].end, all[i].end, ""), nil
	}
	open := bytes.IndexByte(f.text, '{')
	return f.spliced(open+1, bytes.LastIndexByte(f.text, '}'), ""), nil
}

// prepended returns the plugins in the key prepend, nil if the file does not have it.
func (f hostFile) prepended() (ids []string, err error) {
	at, err := f.value(prepend)
	if err != nil || at == nil {
		return nil, err
	}
	if err := json.Unmarshal(f.text[at.start:at.end], &ids); err != nil {
		return nil, fmt.Errorf("%s: %q is not a list of names", f.path, prepend)
	}
	return ids, nil
}

// withFirst returns the file's text with id as the first of those plugins.
func (f hostFile) withFirst(id string) ([]byte, error) {
	ids, err := f.prepended()
	if err != nil || len(ids) > 0 && ids[0] == id {
		return f.text, err
	}
	return f.with(prepend, list(append([]string{id}, without(ids, id)...)))
}

// without returns the file's text without id in the key prepend. If no plugin is left, it
// removes the key.
func (f hostFile) without(id string) ([]byte, error) {
	ids, err := f.prepended()
	if err != nil || !slices.Contains(ids, id) {
		return f.text, err
	}
	if left := without(ids, id); len(left) > 0 {
		return f.with(prepend, list(left))
	}
	return f.lacking(prepend)
}

func (f hostFile) spliced(from, to int, text string) []byte {
	return slices.Concat(f.text[:from], []byte(text), f.text[to:])
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

func list(ids []string) string {
	raw, _ := json.Marshal(ids) // strings always encode
	return strings.ReplaceAll(string(raw), `","`, `", "`)
}
