package git

import (
	"bytes"
	"context"
	"strings"
)

// maxPatch bounds what is read of a patch before binary files are taken out.
const maxPatch = 64 << 20

// Diff returns what the branch changes over its base, at most max bytes of it,
// ended at a line; cut says that there is more. It shows each file by its
// content: no attribute of the repository hides one. Of files that are not text
// it says so.
func (w Worktree) Diff(ctx context.Context, max int) (text string, cut bool, err error) {
	r := Trusted(w.Path)
	b, err := r.Base(ctx, w.Base)
	if err != nil {
		return "", false, err
	}
	start, err := r.start(ctx, b)
	if err != nil {
		return "", false, err
	}
	from, err := r.Line(ctx, "merge-base", start, "HEAD")
	if err != nil {
		return "", false, err
	}
	out, err := r.Call(
		ctx, Call{Most: maxPatch}, "diff-tree", "-p", "-r", "-M", "--text", "--full-index", "--no-color",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=none", from, "HEAD",
	)
	if err != nil {
		return "", false, err
	}
	text = strings.ToValidUTF8(string(textOnly(out)), "\uFFFD")
	if len(text) <= max {
		return text, len(out) == maxPatch, nil
	}
	return text[:strings.LastIndexByte(text[:max], '\n')+1], true, nil
}

var fileHeader = []byte("diff --git ")

// textOnly takes the content of binary files out of a patch and leaves their
// names. Text is told from binary as git does it by itself: by a NUL.
func textOnly(patch []byte) []byte {
	var out, file []byte
	keep := func() {
		if i := bytes.Index(file, []byte("\n--- ")); i >= 0 && bytes.IndexByte(file, 0) >= 0 {
			file = append(file[:i:i], "\nbinary content, not shown\n"...)
		}
		out, file = append(out, file...), nil
	}
	for line := range bytes.Lines(patch) {
		if bytes.HasPrefix(line, fileHeader) {
			keep()
		}
		file = append(file, line...)
	}
	keep()
	return out
}
