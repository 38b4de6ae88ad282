// Package modulework reads the folders of modules, and keeps the sources of the enabled ones
// running.
package modulework

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/module"
)

// A Folder is the folder with a folder for each module.
type Folder struct{ dir string }

// NewFolder returns the folder at dir.
func NewFolder(dir string) Folder { return Folder{dir: dir} }

// Path returns the folder of a module.
func (f Folder) Path(name module.Name) string { return filepath.Join(f.dir, string(name)) }

// List returns the names of all folders that can be modules, in order.
func (f Folder) List() (all []module.Name, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() && module.CheckName(e.Name()) == nil {
			all = append(all, module.Name(e.Name()))
		}
	}
	return all, err
}

// Read reads the whole folder of a module. The error for a missing folder is fs.ErrNotExist. After
// another error, the hash may be known even so.
func (f Folder) Read(name module.Name) (c module.Content, err error) { return readFolder(f.Path(name)) }

func readFolder(dir string) (c module.Content, err error) {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return c, err
	case !info.IsDir():
		return c, fmt.Errorf("%s is not a folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c, err
	}
	defer root.Close()
	r := reading{files: root.FS()}
	if err := fs.WalkDir(r.files, ".", r.add); err != nil {
		return c, err
	}
	c.Files, c.Entries = r.count, r.entries
	if c.Hash, err = module.Hash(r.entries); err != nil {
		return c, err
	}
	if r.manifest == nil {
		return c, fmt.Errorf("it has no file %s", module.File)
	}
	if c.Manifest, err = module.Parse(r.manifest); err != nil {
		err = fmt.Errorf("%s, %w", module.File, err)
	}
	return c, err
}

// maxShown bounds a file of a module that is shown, in bytes.
const maxShown = 1 << 20

// errChanged says that a folder is not the one with a hash.
var errChanged = errors.New("the folder has changed since you looked; look at it again")

// File returns what a file in the folder of a module holds. With a hash, it is what the file holds in
// the folder with that hash, or the error is errChanged: a folder may change while a person reads its
// files one after the other. The error for a missing file is fs.ErrNotExist.
func (f Folder) File(name module.Name, file, hash string) ([]byte, error) {
	data, err := f.file(name, file)
	if err != nil || hash == "" {
		return data, err
	}
	c, err := f.Read(name)
	if c.Hash != hash {
		return nil, errors.Join(errChanged, err)
	}
	sum := sha256.Sum256(data)
	same := func(e module.Entry) bool {
		return e.Path == path.Clean(file) && e.Sum == hex.EncodeToString(sum[:])
	}
	if !slices.ContainsFunc(c.Entries, same) {
		return nil, errChanged
	}
	return data, nil
}

func (f Folder) file(name module.Name, path string) ([]byte, error) {
	root, err := os.OpenRoot(f.Path(name))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%.80q is no file", path)
	case info.Size() > maxShown:
		return nil, fmt.Errorf("%s has %d bytes; want at most %d: open it in %s", path, info.Size(), maxShown,
			f.Path(name))
	}
	return root.ReadFile(path)
}

// A reading collects what a folder holds.
type reading struct {
	files    fs.FS
	entries  []module.Entry
	count    int
	size     int64
	manifest []byte // nil without the file
}

func (r *reading) add(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	if len(r.entries) > module.MaxEntries {
		return fmt.Errorf("it has more than %d files", module.MaxEntries)
	}
	e := module.Entry{Path: path, Mode: info.Mode()}
	switch info.Mode().Type() {
	case 0:
		r.count++
		e.Size = info.Size()
		e.Sum, err = r.digest(path, e.Size)
	case fs.ModeSymlink:
		e.Link, err = fs.ReadLink(r.files, path)
	}
	r.entries = append(r.entries, e)
	return err
}

// digest returns the hash of a file, and keeps the text of the manifest.
func (r *reading) digest(path string, size int64) (string, error) {
	if r.size += size; r.size > module.MaxContent {
		return "", fmt.Errorf("its files have more than %d MB", module.MaxContent>>20)
	}
	file, err := r.files.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum, text := sha256.New(), &strings.Builder{}
	into := io.Writer(sum)
	if path == module.File {
		into = io.MultiWriter(sum, text)
	}
	n, err := io.Copy(into, io.LimitReader(file, size+1))
	switch {
	case err != nil:
		return "", err
	case n != size:
		return "", fmt.Errorf("%s changes while it is read", path)
	case path == module.File:
		r.manifest = []byte(text.String())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
