package git

import (
	"bytes"
	"context"
	"strings"
)

// maxPatch bounds how much of a patch is read, binary files included.
const maxPatch = 64 << 20

// Diff returns what the branch changes compared with its base: whole lines, at most
// max bytes. cut reports that there is more. No attribute of the repository can hide
// a file from the diff. A binary file appears without its content.
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

// textOnly removes the content of binary files from a patch and keeps their names. A
// file with a NUL is binary, as for git itself.
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
