package web

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/wire"
)

// filePolicy takes every right from a file of a task or a module: it was made by an agent, or came
// from elsewhere, and must not act in the name of the page.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action " +
	"'none'; frame-ancestors 'none'; sandbox"

// pictures are the types of the images that a browser shows. They hold no scripts.
var pictures = map[string]string{
	".gif":  "image/gif",
	".jpeg": "image/jpeg",
	".jpg":  "image/jpeg",
	".png":  "image/png",
	".webp": "image/webp",
}

// plainText is the type of every text, HTML and SVG among them: a browser shows the source.
const plainText = "text/plain; charset=utf-8"

// taskFile answers with a file of a task. A browser shows pictures and texts, and saves all else.
func (c *Channel) taskFile(w http.ResponseWriter, r *http.Request) {
	q, name := c.query(r), r.PathValue("path")
	in := wire.TaskFileRequest{ID: r.PathValue("slug"), Path: name}
	out, err := read(q.reader, wire.OpTaskFile, in)
	if err != nil {
		c.fail(w, q, err)
		return
	}
	sendFile(w, name, out.Data)
}

// sendFile answers with a file.
func sendFile(w http.ResponseWriter, name string, data []byte) {
	kind, how := typeOf(name, data)
	h := w.Header()
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", cmp.Or(mime.FormatMediaType(how, map[string]string{"filename": path.Base(name)}), how))
	h.Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) // a browser that is gone needs no file
}

// typeOf returns the content type of a file, and whether a browser shows or saves it.
func typeOf(name string, data []byte) (kind, how string) {
	if kind := pictures[strings.ToLower(path.Ext(name))]; kind != "" {
		return kind, "inline"
	}
	if utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
		return plainText, "inline"
	}
	return "application/octet-stream", "attachment"
}
