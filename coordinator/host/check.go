package host

import (
	"fmt"
	"regexp"
)

// The forms of what comes from outside. Their lengths are checked apart: a pattern that counts
// so far takes half a millisecond to compile, at each start of a program.
var (
	uuid   = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	model  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]*$`)
	thread = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)
)

// The most bytes of a model's name, and of an agent's own id of a conversation.
const (
	maxModel  = 100
	maxThread = 200
)

// CheckConversation returns an error if an id cannot be that of a conversation.
func CheckConversation(id string) error {
	if !uuid.MatchString(id) {
		return fmt.Errorf("unknown form of conversation id %.60q; want a UUID in lower case", id)
	}
	return nil
}

// CheckModel returns an error if a text cannot be the name of a model; "" is none.
func CheckModel(name string) error {
	if name != "" && (len(name) > maxModel || !model.MatchString(name)) {
		return fmt.Errorf("unknown form of model %.60q; want letters, digits and . _ : / @ [ ] -", name)
	}
	return nil
}

// CheckThread returns an error if a text cannot be an agent's own id of a conversation; "" is
// none.
func CheckThread(id string) error {
	if id != "" && (len(id) > maxThread || !thread.MatchString(id)) {
		return fmt.Errorf("unknown form of the agent's conversation id %.60q; want letters, digits and . _ : -", id)
	}
	return nil
}
