package wire

// Operations of standing permissions.
const (
	OpGrants Op[None, GrantsReply] = "grants"
	OpRevoke Op[Named, Grant]      = "revoke"
)

// GrantsReply lists standing permissions.
type GrantsReply struct {
	Grants []Grant `json:"grants"`
}

// A Grant is what a person allowed for the rest of a session, within a time.
type Grant struct {
	ID        string   `json:"id"`
	Session   string   `json:"session"`
	Token     string   `json:"token"`
	Project   string   `json:"project"`
	Permits   []string `json:"permits"` // in words for people, without secrets
	Ask       string   `json:"ask"`     // the question that it was given for
	By        string   `json:"by"`
	Channel   string   `json:"channel"`
	At        int64    `json:"at"`
	ExpiresAt int64    `json:"expires_at"`
	EndedAt   int64    `json:"ended_at,omitempty"`
	How       string   `json:"how,omitempty"`   // how it ended
	Files     []string `json:"files,omitempty"` // settings of Claude Code that keep it; it has no end then
}
