package telegram

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// A callback is the meaning of a tap on one of the bot's buttons. Telegram keeps its
// encoded form, kind:nonce:value, and returns it with the tap. Encoded callbacks stay on
// phones for years, so every form that a release has sent must still be understood.
type callback struct {
	kind  callbackKind
	nonce string // binds the button to its ask, text or grant
	value string // see callbackKind
}

// A callbackKind says what a button is for.
type callbackKind string

// The kinds of callbacks, with the values that each may have. Those about things are the nouns of view.
const (
	answerAsk     callbackKind = "a"  // a verb
	pickOption    callbackKind = "o"  // <question>:<option>, or <question>:d for Done
	approvePlan   callbackKind = "p"  // y, or e to accept edits too
	revokeGrant   callbackKind = "g"  // r
	takeBack      callbackKind = "u"  // u, or w to overwrite newer work
	chooseSession callbackKind = "to" // the token of the session that a text is for
	chooseAsk     callbackKind = "as" // the nonce of the ask that a text answers; empty for none
	ofRun         callbackKind = "r"  // s to stop it, l to show what it did; the nonce is the run's id
)

// A verb is the answer on a button, as one letter.
type verb string

// The verbs of an ask's buttons.
const (
	allow      verb = "y"
	deny       verb = "n"
	forSession verb = "s"
	always     verb = "w"
)

// fixedValues are the values of the kinds that have a fixed set of them.
var fixedValues = map[callbackKind][]string{
	answerAsk:   {string(allow), string(deny), string(forSession), string(always)},
	approvePlan: {"y", "e"},
	revokeGrant: {"r"},
	takeBack:    {"u", "w"},
	ofRun:       {stopRun, showRun},
	ofTask:      {showTask},
}

// maxCallback is how long an encoded callback may be, in bytes.
const maxCallback = 64

// String returns the encoded form of c.
func (c callback) String() string { return string(c.kind) + ":" + c.nonce + ":" + c.value }

// parseCallback decodes what String encoded. ok is false for any other data.
func parseCallback(data string) (c callback, ok bool) {
	kind, rest, _ := strings.Cut(data, ":")
	nonce, value, found := strings.Cut(rest, ":")
	c = callback{callbackKind(kind), nonce, value}
	if !found || nonce == "" {
		return callback{}, false
	}
	return c, c.valid()
}

// valid reports whether the value of c is one that its kind may have.
func (c callback) valid() bool {
	switch c.kind {
	case pickOption:
		_, ok := c.pick()
		return ok
	case chooseSession:
		return c.value != ""
	case chooseAsk:
		return !strings.Contains(c.value, ":")
	}
	noun, _ := nounOf(c.kind)
	return slices.Contains(noun.Phone, c.value) || slices.Contains(fixedValues[c.kind], c.value)
}

// ofAsk reports whether c is on the card of an ask, and answers it.
func (c callback) ofAsk() bool {
	switch c.kind {
	case answerAsk, pickOption, approvePlan:
		return true
	}
	return false
}

// pick returns what a pickOption taps.
func (c callback) pick() (tapped *ask.Choice, ok bool) {
	first, second, _ := strings.Cut(c.value, ":")
	question, ok := parseIndex(first)
	if !ok {
		return nil, false
	}
	if second == "d" {
		return &ask.Choice{Question: question, Done: true}, true
	}
	option, ok := parseIndex(second)
	return &ask.Choice{Question: question, Option: option}, ok
}

func parseIndex(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}

// answerData returns the callback of a button that answers an ask.
func answerData(nonce string, v verb) string { return callback{answerAsk, nonce, string(v)}.String() }

// deedData returns the callback of a button that answers an ask in one of the ways of view.Questions.
func deedData(nonce, key string) string {
	switch key {
	case "session":
		return answerData(nonce, forSession)
	case "always":
		return answerData(nonce, always)
	case "approve-edits":
		return callback{approvePlan, nonce, "e"}.String()
	case "deny":
		return answerData(nonce, deny)
	}
	return answerData(nonce, allow)
}

// optionData returns the callback of a button that picks an option of a question.
func optionData(nonce string, question, option int) string {
	return callback{pickOption, nonce, strconv.Itoa(question) + ":" + strconv.Itoa(option)}.String()
}

// doneData returns the callback of a button that ends the picking of options.
func doneData(nonce string, question int) string {
	return callback{pickOption, nonce, strconv.Itoa(question) + ":d"}.String()
}

// undoData returns the callback of a button that takes a step back. With overwrite the
// person accepts that newer work is lost.
func undoData(nonce string, overwrite bool) string {
	if overwrite {
		return callback{takeBack, nonce, "w"}.String()
	}
	return callback{takeBack, nonce, "u"}.String()
}
