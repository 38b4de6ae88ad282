package home

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// usedPrograms are the programs of others that Afar starts by their names.
var usedPrograms = [...]string{"git", "gh", "gzip", "claude", "codex", "gemini", "opencode", "notify-send", "osascript"}

// A UsedProgram is a program of others that Afar starts.
type UsedProgram struct {
	Name string // as settings and Afar name it
	File string // its absolute path
}

// IsSystems reports whether only an administrator writes where a program lies.
func (p UsedProgram) IsSystems() bool {
	below, _, _ := strings.Cut(strings.TrimPrefix(p.File, "/"), "/")
	return slices.Contains([]string{"usr", "bin", "sbin", "snap", "nix", "System"}, below)
}

// programsFile returns the path of the list of the programs that Afar starts.
func (d Dirs) programsFile() string { return filepath.Join(d.State, "programs") }

// FindPrograms finds the programs of others that Afar starts, and notes where they are. named are
// absolute paths that the settings name. A program that was found before stays where it is: a file
// of its name that appears in another folder, perhaps because a session wrote it, does not take its
// place.
func (d Dirs) FindPrograms(named []string) error {
	text := ""
	for _, p := range append(d.usedByName(d.noted()), asUsed(named)...) {
		if !strings.Contains(p.File, "\n") {
			text += p.Name + "\t" + p.File + "\n"
		}
	}
	if err := atomicfile.Write(d.programsFile(), text); err != nil {
		return fmt.Errorf("note the programs that Afar starts: %w", err)
	}
	return nil
}

// ForgetPrograms has them found anew, as at an installation.
func (d Dirs) ForgetPrograms() { _ = os.Remove(d.programsFile()) } // it is rarely there

// Programs returns the programs of others that Afar starts, as far as they are installed. One that
// is not noted, or not there any more, is looked up in the PATH of the installation.
func (d Dirs) Programs() []UsedProgram {
	noted := d.noted()
	all := d.usedByName(noted)
	for _, p := range noted {
		if filepath.IsAbs(p.Name) {
			all = append(all, p)
		}
	}
	return all
}

// Program returns the path of a program with a name, "" if it is not installed.
func (d Dirs) Program(name string) string { return d.find(name, d.noted()) }

func (d Dirs) find(name string, noted []UsedProgram) string {
	for _, p := range noted {
		if p.Name == name && isProgram(p.File) {
			return p.File
		}
	}
	return LookIn(d.Path, name)
}

func (d Dirs) usedByName(noted []UsedProgram) (all []UsedProgram) {
	for _, name := range usedPrograms {
		if file := d.find(name, noted); file != "" {
			all = append(all, UsedProgram{name, file})
		}
	}
	return all
}

func asUsed(files []string) (all []UsedProgram) {
	for _, file := range files {
		if filepath.IsAbs(file) {
			all = append(all, UsedProgram{file, file})
		}
	}
	return all
}

// noted returns what FindPrograms noted last.
func (d Dirs) noted() (all []UsedProgram) {
	raw, _ := slurp(d.programsFile()) // without it nothing is noted
	for line := range strings.Lines(string(raw)) {
		name, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && filepath.IsAbs(file) {
			all = append(all, UsedProgram{name, file})
		}
	}
	return all
}

// LookIn returns the path of a program in a list of directories like PATH, "" if it is in none.
func LookIn(list, name string) string {
	for _, dir := range filepath.SplitList(list) {
		if file := Program(dir, name); filepath.IsAbs(dir) && isProgram(file) {
			return file
		}
	}
	return ""
}

func isProgram(file string) bool {
	found, err := exec.LookPath(file)
	return err == nil && found == file
}
