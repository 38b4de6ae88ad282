package botapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"
)

const (
	maxUpload = 50 << 20
	maxBody   = maxUpload + 1<<20
)

// Params are a request's fields as text: strings as they are, composite values
// as their JSON.
type params map[string]string

// A request holds the fields that a bot sent, in any of the three body formats.
type request struct {
	params
	files map[string]Document // by field
}

// readRequest reads the query and the body. On an error it returns what it read
// so far, for the log.
func readRequest(w http.ResponseWriter, r *http.Request) (request, error) {
	req := request{params: params{}, files: map[string]Document{}}
	req.addValues(r.URL.Query())
	body := http.MaxBytesReader(w, r.Body, maxBody)
	err := req.readBody(body, r.Header.Get("Content-Type"))
	if err == nil {
		// Read to the end, because only then net/http notices that a client hung up.
		_, err = io.Copy(io.Discard, body)
	}
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return req, &apiError{code: http.StatusRequestEntityTooLarge, text: "Request Entity Too Large"}
	case err != nil:
		return req, fmt.Errorf("%w: %w", badRequest("can't read the request"), err)
	}
	for _, v := range req.params {
		if !utf8.ValidString(v) {
			return req, badRequest("strings must be encoded in UTF-8")
		}
	}
	return req, nil
}

func (req request) readBody(body io.Reader, contentType string) error {
	kind, args, err := mime.ParseMediaType(contentType)
	if err != nil && contentType != "" {
		return badRequest("can't read Content-Type: %v", err)
	}
	switch kind {
	case "multipart/form-data":
		return req.readMultipart(multipart.NewReader(body, args["boundary"]))
	case "application/json":
		return req.readJSON(body)
	case "application/x-www-form-urlencoded":
		return req.readForm(body)
	}
	return nil // as Telegram does, other bodies are not looked at
}

func (req request) readMultipart(mr *multipart.Reader) error {
	for first := true; ; first = false {
		part, err := mr.NextPart()
		if errors.Is(err, io.EOF) && (first || err == io.EOF) {
			return nil // a call without parameters may have an empty body
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		if name := part.FileName(); name != "" {
			req.files[part.FormName()] = Document{Name: name, Data: data}
			continue
		}
		req.params[part.FormName()] = string(data)
	}
}

func (req request) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if len(raw) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return badRequest("can't parse JSON object: %v", err)
	}
	for name, value := range fields {
		req.params[name] = plainText(value)
	}
	return nil
}

// plainText returns a JSON value in the form of the other body formats.
func plainText(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil { // null, too, is empty
		return s
	}
	return string(value)
}

func (req request) readForm(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(string(raw))
	if err != nil {
		return badRequest("can't parse form: %v", err)
	}
	req.addValues(values)
	return nil
}

func (req request) addValues(values url.Values) {
	for name, v := range values {
		req.params[name] = v[0]
	}
}

// integer returns a number, 0 if it is absent.
func (p params) integer(name string) (int64, error) {
	raw := p[name]
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		return 0, badRequest("parameter %q must be an integer", name)
	}
	return n, nil
}

func (p params) yes(name string) bool {
	switch p[name] {
	case "true", "True", "yes", "1":
		return true
	}
	return false
}
