package session

import "strings"

// NoReply is the answer of an agent that has nothing to say.
const NoReply = "NO_REPLY"

// Silent reports whether an answer of an agent is NoReply alone, so that it is sent to nobody.
func Silent(answer string) bool { return strings.TrimSpace(answer) == NoReply }
