package hookinput

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// ReadElicitation reads the input of an Elicitation hook. It returns ask.ErrForm for a
// request that Afar does not know how to show.
func ReadElicitation(raw []byte) (r ask.Request, err error) {
	var in struct {
		Server  string          `json:"mcp_server_name"`
		Message string          `json:"message"`
		Mode    string          `json:"mode"`
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requested_schema"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return r, fmt.Errorf("%w: %w", ask.ErrForm, err)
	}
	if in.Server == "" || !slices.Contains([]string{"", "form", "url"}, in.Mode) {
		return r, fmt.Errorf("%w: no server, or mode %.20q", ask.ErrForm, in.Mode)
	}
	r = ask.Request{Server: in.Server, Message: in.Message, Page: in.Mode == "url", URL: in.URL, Schema: in.Schema}
	if r.Bound, err = json.Marshal(in); err != nil { // stored: the names and their order must stay
		return r, fmt.Errorf("%w: %w", ask.ErrForm, err)
	}
	return r, nil
}
