package wire

// Operations of topics: what sessions and their person write for each other.
const (
	OpPost   = "topic.post" // Post, with Topic and Text; reply: Post
	OpRead   = "topic.read" // Read; reply: Posts
	OpTopics = "topics"     // reply: Topics
)

// A Post is one text in a topic.
type Post struct {
	ID    string `json:"id"` // its number; posts of all topics are numbered in one row
	Topic string `json:"topic"`
	At    int64  `json:"at"`
	By    string `json:"by"` // a session's token, person or afar
	Text  string `json:"text"`
}

// Read asks for posts of a topic after a number, oldest first.
type Read struct {
	Topic   string `json:"topic"`
	After   int64  `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`   // at most; 0 is 100
	Last    bool   `json:"last,omitempty"`    // the newest Limit posts instead of the oldest
	WaitMS  int64  `json:"wait_ms,omitempty"` // wait for the first
	Session string `json:"session,omitempty"` // of loop:current and loop:anchor: whose loop
}

// Posts are some posts of a topic, oldest first.
type Posts struct {
	Posts []Post `json:"posts"`
}

// Topics are all topics, the one with the newest post first.
type Topics struct {
	Topics []Topic `json:"topics"`
}

// A Topic is a name with how much stands under it.
type Topic struct {
	ID    string `json:"id"` // its name
	Posts int64  `json:"posts"`
	At    int64  `json:"at"` // of the newest
}
