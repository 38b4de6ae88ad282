package taskwork

import (
	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// yours is the name of a state.md that a person wrote while the file changed.
const yours = "state-yours.md"

// Edit saves the state.md that a person wrote in a form. base is the digest of the text that
// the form showed. If the file has changed since then, the file stays, and the person's text
// is kept beside it: kept is its name.
func (f Folders) Edit(slug task.Slug, base, edited string) (kept string, err error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	now, err := f.State(slug)
	if err != nil {
		return "", err
	}
	text := markdown.Restore(now.Text, edited)
	switch {
	case text == now.Text:
		return "", nil
	case base == markdown.Digest(now.Text):
		return "", f.write(slug, stateFile, text)
	}
	return f.keep(slug, ".", yours, []byte(text))
}
