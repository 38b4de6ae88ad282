package calls

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// A File lies in the project of a case. In a file of cases, a line "file NAME TEXT" adds one to
// the cases up to the next empty line. "kept NAME TEXT" adds one that is committed since before
// the session. ⏎ is a line break, ⇥ a tab, and ⊘ what makes a file no text.
type File struct {
	Name string // below the project
	Text string
	Kept bool // the last commit before the session has this text
}

func newFile(line string, kept bool) File {
	name, text, _ := strings.Cut(line, " ")
	text = strings.NewReplacer("⏎", "\n", "⇥", "\t", "⊘", "\x7fELF\x00").Replace(text)
	return File{Name: name, Text: text + "\n", Kept: kept}
}

// At runs judge while the files of the case lie in the project.
func (c Case) At(project string, judge func()) error {
	var errs []error
	for _, f := range c.Files {
		path := filepath.Join(project, f.Name)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o700))
		errs = append(errs, os.WriteFile(path, []byte(f.Text), 0o700)) // git runs only hooks that are executable
	}
	judge()
	for _, f := range c.Files {
		top, _, _ := strings.Cut(f.Name, "/")
		errs = append(errs, os.RemoveAll(filepath.Join(project, top)))
	}
	return errors.Join(errs...)
}
