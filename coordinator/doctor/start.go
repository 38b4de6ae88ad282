package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/repair"
	"github.com/afar-sh/afar/coordinator/wire"
)

// config checks that the settings file is valid. A running coordinator may have read an
// older one.
func (x Exam) config() wire.Check {
	path := x.Dirs.ConfigFile()
	if x.unset != nil {
		return bad("config", x.unset.Error(),
			"mend that line; docs/config.md lists the keys, and `afar config` shows what is in force")
	}
	if _, err := os.Stat(path); err != nil {
		return ok("config", "no config.toml: every setting has its default")
	}
	return ok("config", "%s", path)
}

// probeSize is how many bytes must fit on the disk: the database writes in pages.
const probeSize = 64 << 10

// disk checks that the coordinator can write into its directories.
func (x Exam) disk() wire.Check {
	for _, dir := range []string{x.Dirs.State, filepath.Dir(x.Dirs.Socket())} {
		if err := takes(dir); err != nil {
			return bad("disk", dir+" takes nothing: "+err.Error(), "make room there, or make it writable")
		}
	}
	return ok("disk", "%s can be written", x.Dirs.State)
}

// takes writes a file into dir and removes it. If dir does not exist yet, the nearest
// existing path above it must be a directory.
func takes(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		return nearest(filepath.Dir(dir))
	}
	if err != nil {
		return withoutCall(err)
	}
	if !info.IsDir() {
		return errors.New("it is not a directory")
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return withoutCall(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, probeSize))
	return withoutCall(errors.Join(err, f.Close()))
}

func nearest(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		return nearest(filepath.Dir(dir))
	case err != nil:
		return withoutCall(err)
	case !info.IsDir():
		return errors.New(dir + " is not a directory")
	}
	return nil
}

// withoutCall removes the name of the system call from an error.
func withoutCall(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// database checks the database while no coordinator has it open.
func (x Exam) database() wire.Check {
	path := x.Dirs.Database()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ok("database", "none yet: it comes with the first start")
	}
	err := repair.Check(x.Dirs)
	switch {
	case errors.Is(err, repair.ErrNewer):
		return bad("database", err.Error(), "run install.sh of the newest Afar that you had")
	case errors.Is(err, repair.ErrOlder):
		return bad("database", err.Error(), "mv "+path+" "+path+".old sets it aside; afar start begins with a new one")
	case errors.Is(err, repair.ErrDamaged):
		return bad("database", err.Error(), "afar doctor --repair saves what can be read, and keeps the damaged file")
	case err != nil:
		return bad("database", err.Error(), "make "+filepath.Dir(path)+" readable for you")
	}
	return ok("database", "%s", path)
}

// lastWords checks the last line that the last coordinator logged.
func (x Exam) lastWords() wire.Check {
	if words := crashed(x.Dirs); words != "" {
		return bad("log", "the last coordinator crashed: "+words, "look into "+x.Dirs.CrashLog()+", then afar start")
	}
	words, failed := lastLine(x.Dirs.Log())
	if failed {
		return bad("log", "its last words are an error: "+words, "mend that, then afar start; all of it: "+x.Dirs.Log())
	}
	if reason, at := x.Dirs.Failure(); reason != "" {
		return bad("log", "the last start failed at "+at.Format(time.DateTime)+": "+reason,
			"mend that, then afar start")
	}
	return ok("log", "%s ends without an error", x.Dirs.Log())
}

// tailSize is how much of the end of a log is read.
const tailSize = 64 << 10

// endOf returns the end of a log, or nothing if the file cannot be read.
func endOf(path string) []byte {
	raw, err := logfile.Tail(path, tailSize)
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(raw)
}

// lastLine returns the last line of a log in words, and whether it is an error.
func lastLine(path string) (words string, failed bool) {
	raw := endOf(path)
	var last struct{ Level, Msg, Err string }
	if json.Unmarshal(raw[bytes.LastIndexByte(raw, '\n')+1:], &last) != nil || last.Level != "ERROR" {
		return "", false
	}
	if last.Err != "" {
		last.Msg += ": " + last.Err
	}
	return line(last.Msg, 300), true
}

// crashed returns how a coordinator crashed, or "" if something was logged since.
func crashed(d home.Dirs) string {
	path := d.CrashLog()
	crash, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if later, err := os.Stat(d.Log()); err == nil && later.ModTime().After(crash.ModTime()) {
		return ""
	}
	raw := endOf(path)
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if i := bytes.LastIndex(raw, []byte(mark)); i >= 0 {
			first, _, _ := strings.Cut(string(raw[i:]), "\n")
			return line(first, 200)
		}
	}
	return ""
}
