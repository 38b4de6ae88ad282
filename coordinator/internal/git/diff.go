package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// maxPatch bounds how much of a patch is read, binary files included.
const maxPatch = 64 << 20

// Diff returns what the branch changes since BaseCommit: whole lines, at most max bytes.
// cut reports that there is more. No attribute of the repository can hide a file from
// the diff, and no byte can hide a line, see visible.
func (w Worktree) Diff(ctx context.Context, max int) (text string, cut bool, err error) {
	r := Trusted(w.Path)
	out, err := r.Call(
		ctx, Call{Most: maxPatch}, "diff-tree", "-p", "-r", "-M", "--text", "--full-index", "--no-color",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=none", w.BaseCommit, "HEAD",
	)
	if err != nil {
		return "", false, err
	}
	text = visible(out)
	if len(text) <= max {
		return text, len(out) == maxPatch, nil
	}
	return text[:strings.LastIndexByte(text[:max], '\n')+1], true, nil
}

var fileHeader = []byte("diff --git ")

// visible returns a patch as a reviewer reads it. In a file with a NUL, it escapes each byte
// that is no text. For a file that is mostly such bytes, such as an image, it shows only the
// text and says how many bytes are between.
func visible(patch []byte) string {
	var out strings.Builder
	var file []byte
	for line := range bytes.Lines(patch) {
		if bytes.HasPrefix(line, fileHeader) {
			out.WriteString(visibleFile(file))
			file = nil
		}
		file = append(file, line...)
	}
	out.WriteString(visibleFile(file))
	return out.String()
}

// visibleFile returns the patch of one file as a reviewer reads it.
func visibleFile(file []byte) string {
	if bytes.IndexByte(file, 0) < 0 {
		return strings.ToValidUTF8(string(file), "\uFFFD")
	}
	if isMedia(file) {
		return folded(file)
	}
	var out strings.Builder
	for _, b := range file {
		if isText(b) {
			out.WriteByte(b)
			continue
		}
		fmt.Fprintf(&out, "\\x%02x", b)
	}
	return out.String()
}

// isMedia reports whether a patch with a NUL is that of a media file: it is not executable, and at
// least a third of its bytes are no text.
func isMedia(file []byte) bool {
	head, _, _ := bytes.Cut(file, []byte("\n@@"))
	others := 0
	for _, b := range file {
		if !isText(b) {
			others++
		}
	}
	return others > len(file)/3 && !bytes.Contains(head, []byte(" 100755"))
}

// isText reports whether a byte is a printable ASCII character or white space.
func isText(b byte) bool { return b >= ' ' && b < 0x7f || b == '\n' || b == '\t' }

// shortText is the length of the shortest text that is shown of a media file, in bytes. Shorter
// texts appear in an image by chance.
const shortText = 6

// folded returns the patch of a media file: its text, and the number of bytes between.
func folded(file []byte) string {
	var out strings.Builder
	hidden := 0
	for len(file) > 0 {
		n := bytes.IndexFunc(file, func(r rune) bool { return r >= 0x7f || !isText(byte(r)) })
		switch {
		case n < 0:
			n = len(file)
			fallthrough
		case n >= shortText:
			out.WriteString(hiddenBytes(hidden))
			out.Write(file[:n])
			file, hidden = file[n:], 0
		default:
			file, hidden = file[n+1:], hidden+n+1
		}
	}
	return out.String() + hiddenBytes(hidden)
}

// hiddenBytes says that bytes are not shown.
func hiddenBytes(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("[%d bytes that are no text]", n)
}
