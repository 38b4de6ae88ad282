package botapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// An Entity marks a part of a text, counted in UTF-16 code units.
type Entity struct {
	Type        string `json:"type"`
	Offset      int    `json:"offset"`
	Length      int    `json:"length"`
	URL         string `json:"url,omitempty"`
	Language    string `json:"language,omitempty"`
	CustomEmoji string `json:"custom_emoji_id,omitempty"`
	User        int64  `json:"-"` // of a text_mention
}

func (e Entity) end() int { return e.Offset + e.Length }

// MarshalJSON writes e as Telegram does, with the user of a text_mention as an object.
func (e Entity) MarshalJSON() ([]byte, error) {
	type plain Entity
	if e.User == 0 {
		return json.Marshal(plain(e))
	}
	return json.Marshal(struct {
		plain
		User apiUser `json:"user"`
	}{plain(e), apiUser{ID: e.User}})
}

// UnmarshalJSON reads what a bot may send.
func (e *Entity) UnmarshalJSON(b []byte) error {
	type plain Entity
	in := struct {
		*plain
		User *apiUser `json:"user"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if in.User != nil {
		e.User = in.User.ID
	}
	return nil
}

// units counts the UTF-16 code units of s.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// entitiesOf reads an entities parameter.
func entitiesOf(raw string) ([]Entity, error) {
	if raw == "" {
		return nil, nil
	}
	var all []Entity
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		return nil, badRequest("can't parse entities JSON object")
	}
	var kept []Entity
	for _, e := range all {
		switch {
		case found(e.Type):
			// Telegram finds these itself and ignores those of the bot.
		case rank(e.Type) < 0:
			return nil, badRequest("can't parse MessageEntity: Unsupported type specified")
		case e.Type == "text_link" && !linkOK(&e):
			return nil, badRequest("entity URL %q is invalid: Wrong HTTP URL", e.URL)
		default:
			kept = append(kept, e)
		}
	}
	return kept, nil
}

func linkOK(e *Entity) bool {
	url, ok := checkLink(e.URL)
	e.URL = url
	return ok
}

// found reports whether Telegram itself finds entities of this type in a text.
func found(kind string) bool {
	switch kind {
	case "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bank_card_number":
		return true
	}
	return false
}

// rank orders the types that a bot may set, outer before inner. It returns -1 for any other
// type.
func rank(kind string) int {
	return slices.Index([]string{
		"blockquote", "expandable_blockquote", "pre", "code", "text_link", "text_mention",
		"custom_emoji", "bold", "italic", "underline", "strikethrough", "spoiler",
	}, kind)
}

// The classes of types, by the entities that they can contain or overlap.
const (
	quote      = iota // holds any other, never itself
	code              // holds nothing
	linked            // holds only splittable ones
	splittable        // holds and crosses anything but code
)

func class(kind string) int {
	switch kind {
	case "blockquote", "expandable_blockquote":
		return quote
	case "pre", "code":
		return code
	case "text_link", "text_mention", "custom_emoji":
		return linked
	}
	return splittable
}

// fix turns a text and its entities into what the chat shows. It checks the bounds, removes
// control characters and conflicting entities, and trims the space around the text.
func fix(text string, entities []Entity) (string, []Entity, error) {
	if err := checkBounds(text, entities); err != nil {
		return "", nil, err
	}
	text, entities = clean(text, entities)
	text, entities = trim(text, normalise(entities))
	return text, entities, nil
}

func checkBounds(text string, entities []Entity) error {
	starts := map[int]bool{}
	n := 0
	for _, r := range text {
		starts[n] = true
		n += unitsOf(r)
	}
	starts[n] = true
	for _, e := range entities {
		switch {
		case e.Offset < 0 || e.Offset > 1_000_000:
			return badRequest("receive an entity with incorrect offset %d", e.Offset)
		case e.Length < 0 || e.Length > 1_000_000:
			return badRequest("receive an entity with incorrect length %d", e.Length)
		case e.end() > n:
			return badRequest("entity beginning at UTF-16 offset %d ends after the end of the text at UTF-16 offset %d",
				e.Offset, e.end())
		case !starts[e.Offset]:
			return badRequest("entity begins in a middle of a UTF-16 symbol at UTF-16 offset %d", e.Offset)
		case !starts[e.end()]:
			return badRequest(
				"entity beginning at UTF-16 offset %d ends in a middle of a UTF-16 symbol at UTF-16 offset %d",
				e.Offset, e.end(),
			)
		}
	}
	return nil
}

// clean removes or blanks the characters that Telegram never shows, and adjusts the
// entities to the new text.
func clean(text string, entities []Entity) (string, []Entity) {
	var b strings.Builder
	moved := make([]int, 0, len(text)+1) // by old offset
	n := 0
	for _, r := range text {
		for range unitsOf(r) {
			moved = append(moved, n)
		}
		if r = shown(r); r < 0 {
			continue
		}
		n += unitsOf(r)
		b.WriteRune(r)
	}
	moved = append(moved, n)
	var kept []Entity
	for _, e := range entities {
		from, to := moved[e.Offset], moved[e.end()]
		if e.Offset, e.Length = from, to-from; e.Length > 0 {
			kept = append(kept, e)
		}
	}
	return b.String(), kept
}

// shown returns the character that is shown for a character, or -1 for none.
func shown(r rune) rune {
	switch {
	case r == '\r', r >= 0x2028 && r <= 0x202e, r == 0x0333, r == 0x033f, r == 0x030a:
		return -1
	case r < ' ' && r != '\n':
		return ' '
	}
	return r
}

// normalise removes entities that conflict with others, merges neighbours of one splittable
// type, and sorts the rest.
func normalise(entities []Entity) []Entity {
	sorted := slices.SortedStableFunc(slices.Values(entities), order)
	var kept []Entity
	for c := quote; c <= linked; c++ {
		for _, e := range sorted {
			if class(e.Type) == c && fits(kept, e) {
				kept = append(kept, e)
			}
		}
	}
	codes := slices.DeleteFunc(slices.Clone(kept), func(e Entity) bool { return class(e.Type) != code })
	slices.SortFunc(codes, order)
	for _, e := range merge(sorted) {
		kept = append(kept, without(e, codes)...)
	}
	slices.SortStableFunc(kept, order)
	return kept
}

func order(a, b Entity) int {
	return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length),
		cmp.Compare(rank(a.Type), rank(b.Type)))
}

// fits reports whether e does not overlap with any kept entity, or is completely inside a
// quote.
func fits(kept []Entity, e Entity) bool {
	for _, k := range kept {
		apart := e.end() <= k.Offset || k.end() <= e.Offset
		inside := class(k.Type) == quote && class(e.Type) != quote && k.Offset <= e.Offset && e.end() <= k.end()
		if !apart && !inside {
			return false
		}
	}
	return true
}

// merge joins the splittable entities of one type that touch or overlap.
func merge(sorted []Entity) []Entity {
	last := map[string]int{}
	var merged []Entity
	for _, e := range sorted {
		if class(e.Type) != splittable {
			continue
		}
		i, seen := last[e.Type]
		if seen && e.Offset <= merged[i].end() {
			merged[i].Length = max(merged[i].end(), e.end()) - merged[i].Offset
			continue
		}
		last[e.Type] = len(merged)
		merged = append(merged, e)
	}
	return merged
}

// without returns what is left of e outside the given sorted ranges.
func without(e Entity, holes []Entity) []Entity {
	var left []Entity
	end := e.end()
	for _, h := range holes {
		if h.end() <= e.Offset || h.Offset >= end {
			continue
		}
		if h.Offset > e.Offset {
			left = append(left, Entity{Type: e.Type, Offset: e.Offset, Length: h.Offset - e.Offset})
		}
		e.Offset = h.end()
	}
	if e.Offset < end {
		left = append(left, Entity{Type: e.Type, Offset: e.Offset, Length: end - e.Offset})
	}
	return left
}

// trim removes space at the end, and space at the beginning that is in no entity.
func trim(text string, entities []Entity) (string, []Entity) {
	text = strings.TrimRight(text, " \n")
	end := units(text)
	cut := len(text) - len(strings.TrimLeft(text, " \n"))
	var kept []Entity
	for _, e := range entities {
		e.Length = min(e.end(), end) - e.Offset
		if e.Length > 0 {
			cut = min(cut, e.Offset)
			kept = append(kept, e)
		}
	}
	for i := range kept {
		kept[i].Offset -= cut
	}
	return text[cut:], kept
}

// commands finds the bot commands of a person's text.
func commands(text string) []Entity {
	var all []Entity
	offset := 0
	isSpace := func(r rune) bool { return strings.ContainsRune(" \n\t", r) }
	for part := range strings.FieldsFuncSeq(text, isSpace) {
		at := strings.Index(text, part)
		offset += units(text[:at])
		text = text[at+len(part):]
		if n := commandLen(part); n > 0 {
			all = append(all, Entity{Type: "bot_command", Offset: offset, Length: n})
		}
		offset += units(part)
	}
	return all
}

// commandLen returns the length of the command at the beginning of a word: a slash, a name,
// and optionally the name of the bot.
func commandLen(word string) int {
	if !strings.HasPrefix(word, "/") {
		return 0
	}
	n := 1 + nameLen(word[1:])
	if n == 1 || n > 65 {
		return 0
	}
	if rest := word[n:]; strings.HasPrefix(rest, "@") {
		n += 1 + nameLen(rest[1:])
	}
	return n
}

func nameLen(s string) int { return prefixLen(s, letters+digits+"_") }
