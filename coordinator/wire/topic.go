package wire

// Operations of topics: what sessions and their person write for each other.
const (
	OpPost   Op[PostRequest, Post]      = "topic.post"
	OpRead   Op[ReadRequest, ReadReply] = "topic.read"
	OpTopics Op[None, TopicsReply]      = "topics"
)

// PostRequest is a text for a topic.
type PostRequest struct {
	Topic string `json:"topic"`
	Text  string `json:"text"`
}

// A Post is one text in a topic.
type Post struct {
	ID    string `json:"id"` // its number; the posts of all topics are numbered together
	Topic string `json:"topic"`
	At    int64  `json:"at"`
	By    string `json:"by"` // a session's token, person or afar
	Text  string `json:"text"`
}

// ReadRequest asks for posts of a topic after a number, oldest first.
type ReadRequest struct {
	Topic   string `json:"topic"`
	After   int64  `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`   // at most; 0 is 100
	Last    bool   `json:"last,omitempty"`    // the newest Limit posts instead of the oldest
	WaitMS  int64  `json:"wait_ms,omitempty"` // wait for the first
	Session string `json:"session,omitempty"` // for loop:current and loop:anchor: the session of the loop
}

// ReadReply holds posts of a topic, oldest first.
type ReadReply struct {
	Posts []Post `json:"posts"`
}

// TopicsReply lists all topics, the one with the newest post first.
type TopicsReply struct {
	Topics []Topic `json:"topics"`
}

// A Topic is a name with the number of its posts.
type Topic struct {
	ID    string `json:"id"` // its name
	Posts int64  `json:"posts"`
	At    int64  `json:"at"` // of the newest
}
