package wire

// Operations of the page.
const (
	OpOpen    Op[OpenRequest, OpenReply] = "open"     // make a one-time link that signs a browser in
	OpSignOut Op[Named, None]            = "sign-out" // end the sign-in of a browser
)

// Page says where the page is served. It is empty while it is not.
type Page struct {
	URL   string `json:"url,omitempty"`
	Where string `json:"where,omitempty"` // where the address works, such as "on this machine alone"
}

// OpenRequest names the place to open: a session, a run, a task, a question, or a path of the page;
// "" is its first page.
type OpenRequest struct {
	Place string `json:"place,omitempty"`
}

// OpenReply is the link. It counts once, until ExpiresAt.
type OpenReply struct {
	URL       string `json:"url"`
	ExpiresAt int64  `json:"expires_at"`
}
