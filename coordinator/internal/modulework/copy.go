package modulework

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
)

// approved returns the folder from which the programs of a module run: a copy of what the person
// has enabled. The hash of the copy itself is compared, so a program that changes the folder of the
// module at the right moment does not run in its place. A copy that was changed is made again.
// The error is feature.ErrDisabled if the folder of the module is not the one with this hash.
func (w *Worker) approved(name module.Name, hash string) (dir string, err error) {
	w.copying.Lock()
	defer w.copying.Unlock()
	if hash == "" {
		return "", feature.ErrDisabled
	}
	dir = filepath.Join(w.cfg.Dirs.ModuleCopies(string(name)), hash)
	if c, err := readFolder(dir); err == nil && c.Hash == hash {
		return dir, nil
	}
	if err := remove(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return "", err
	}
	defer remove(made) //nolint:errcheck // it is gone if all went well
	if err := copyFolder(w.cfg.Folder.Path(name), made); err != nil {
		return "", fmt.Errorf("copy the folder: %w", err)
	}
	c, err := readFolder(made)
	if c.Hash != hash {
		return "", errors.Join(feature.ErrDisabled, err)
	}
	return dir, errors.Join(err, os.Rename(made, dir))
}

// dropCopies removes the copies of all modules. No program of a module runs then.
func (w *Worker) dropCopies() {
	if err := remove(w.cfg.Dirs.ModuleCopies("")); err != nil {
		w.cfg.Log.Error("remove the copies of modules", "err", err)
	}
}

// remove removes a folder, also if the modes of those below forbid it.
func remove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil // RemoveAll returns what goes wrong
	})
	return os.RemoveAll(dir)
}

// copyFolder copies the files, folders and links of a folder with their modes, and nothing else. It
// returns an error for a folder that is larger than a module's may be.
func copyFolder(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	left, entries := int64(module.MaxContent), 0
	files := root.FS()
	var folders []func() error // their modes, which may forbid to write: set at the end
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > module.MaxEntries+1 {
			return fmt.Errorf("it has more than %d files", module.MaxEntries)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(path))
		switch info.Mode().Type() {
		case fs.ModeDir:
			folders = append(folders, func() error { return os.Chmod(target, info.Mode()) })
			return os.MkdirAll(target, 0o700)
		case fs.ModeSymlink:
			link, err := fs.ReadLink(files, path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case 0:
			n, err := copyFile(files, path, target, info.Mode(), left)
			left -= n
			return err
		}
		return nil
	})
	for i := len(folders) - 1; i >= 0 && err == nil; i-- {
		err = folders[i]()
	}
	return err
}

// copyFile copies at most most bytes of a file. It returns how many it has copied.
func copyFile(files fs.FS, path, target string, mode fs.FileMode, most int64) (n int64, err error) {
	in, err := files.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(out, io.LimitReader(in, most+1))
	err = errors.Join(err, out.Close(), os.Chmod(target, mode))
	if err == nil && n > most {
		err = fmt.Errorf("its files are larger than %d MB together", module.MaxContent>>20)
	}
	return n, err
}
