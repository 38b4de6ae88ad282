package botapi

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parseHTML reads Telegram's HTML style, with its tags and its four named references. Its
// errors name the byte offset that Telegram names. The entities are in no particular order;
// fix sorts them.
func parseHTML(src string) (string, []Entity, error) {
	p := &htmlParser{src: src}
	for p.pos < len(src) {
		if err := p.step(); err != nil {
			return "", nil, err
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, unparsable("Can't find end tag corresponding to start tag %q", p.open[n-1].name)
	}
	if p.surrogate {
		return "", nil, unparsable("Text contains invalid Unicode characters after decoding HTML entities, " +
			"check for unmatched surrogate code units")
	}
	for i := range p.entities {
		if p.entities[i].Type == "code" {
			p.entities[i].Language = "" // only a pre has one
		}
	}
	return p.out.String(), p.entities, nil
}

type htmlParser struct {
	src       string
	pos       int
	out       strings.Builder
	units     int // of out
	open      []openTag
	entities  []Entity
	surrogate bool
}

// An openTag waits for its end.
type openTag struct {
	name  string
	value string // the one attribute that counts for this tag
	units int    // where it began in the shown text
	bytes int
}

// peek returns the byte at the position. Past the end it returns 0, which counts as space so
// that scans stop.
func (p *htmlParser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *htmlParser) ended() bool { return p.pos >= len(p.src) }

const (
	spaces  = " \t\r\n\v\x00"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// prefixLen returns how many bytes at the beginning of a text are in an ASCII set.
func prefixLen(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

func (p *htmlParser) skipSpace() { p.pos += prefixLen(p.src[p.pos:], spaces) }

// word reads up to a space, the end, or one of the stop bytes.
func (p *htmlParser) word(stops string) string {
	from := p.pos
	for strings.IndexByte(spaces+stops, p.peek()) < 0 {
		p.pos++
	}
	return p.src[from:p.pos]
}

func (p *htmlParser) step() error {
	if p.peek() == '&' {
		if r, ok := p.reference(); ok {
			p.show(r)
			return nil
		}
	}
	if p.peek() != '<' {
		p.plain()
		return nil
	}
	begin := p.pos
	p.pos++
	if p.peek() == '/' {
		p.pos++
		return p.endTag(begin)
	}
	return p.startTag(begin)
}

// plain adds the text up to the next byte that may begin a tag or a reference. It adds the
// first byte in any case.
func (p *htmlParser) plain() {
	rest := p.src[p.pos:]
	n := strings.IndexAny(rest[1:], "<&") + 1
	if n == 0 {
		n = len(rest)
	}
	p.out.WriteString(rest[:n])
	p.units += units(rest[:n])
	p.pos += n
}

func (p *htmlParser) show(r rune) {
	if utf16.IsSurrogate(r) {
		p.surrogate = true
	}
	p.out.WriteRune(r)
	p.units += unitsOf(r)
}

// reference decodes the character reference at the position. Anything that is not a valid
// reference stays plain text, as in Telegram.
func (p *htmlParser) reference() (rune, bool) {
	rest := p.src[p.pos+1:]
	var r rune
	var n int
	if strings.HasPrefix(rest, "#") {
		r, n = numeric(rest)
	} else {
		r, n = named(rest)
	}
	if n == 0 {
		return 0, false
	}
	p.pos += 1 + n
	if p.peek() == ';' {
		p.pos++
	}
	return r, true
}

func numeric(s string) (rune, int) {
	number, set, base := s[1:], digits, 10
	if strings.HasPrefix(number, "x") {
		number, set, base = number[1:], digits+"abcdefABCDEF", 16
	}
	n := min(10, prefixLen(number, set))
	code, _ := strconv.ParseUint(number[:n], base, 64) // 0 without digits
	n += len(s) - len(number)
	// With the ampersand, a reference has at most nine bytes.
	if code == 0 || code >= 0x10ffff || n+1 >= 10 {
		return 0, 0
	}
	return rune(code), n
}

func named(s string) (rune, int) {
	n := prefixLen(s, letters)
	switch s[:n] {
	case "lt":
		return '<', n
	case "gt":
		return '>', n
	case "amp":
		return '&', n
	case "quot":
		return '"', n
	}
	return 0, 0
}

func (p *htmlParser) startTag(begin int) error {
	name := lower(p.word(">"))
	if p.ended() {
		return unparsable("Unclosed start tag at byte offset %d", begin)
	}
	if !knownTag(name) {
		return unparsable("Unsupported start tag %s at byte offset %d", quoted(name), begin)
	}
	tag := openTag{name: name, units: p.units, bytes: p.out.Len()}
	for p.skipSpace(); p.peek() != '>'; p.skipSpace() {
		if err := p.attribute(&tag, begin); err != nil {
			return err
		}
	}
	p.pos++
	if name == "span" && tag.value != "spoiler" {
		return unparsable(`Tag "span" must have class "tg-spoiler" at byte offset %d`, begin)
	}
	p.open = append(p.open, tag)
	return nil
}

func (p *htmlParser) attribute(tag *openTag, begin int) error {
	name := p.word("=>")
	if name == "" && !p.ended() {
		return unparsable("Empty attribute name in the tag %q at byte offset %d", tag.name, begin)
	}
	p.skipSpace()
	if p.ended() {
		return unparsable("Unclosed start tag %q at byte offset %d", tag.name, begin)
	}
	if p.peek() != '=' {
		if tag.name == "blockquote" && name == "expandable" {
			tag.value = name
			return nil
		}
		return unparsable("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d",
			tag.name, begin)
	}
	p.pos++
	p.skipSpace()
	if p.ended() {
		return unparsable("Unclosed start tag %q at byte offset %d", tag.name, begin)
	}
	value, err := p.value()
	if err != nil {
		return err
	}
	if p.ended() {
		return unparsable("Unclosed start tag at byte offset %d", begin)
	}
	tag.set(name, value)
	return nil
}

// value reads a quoted string, or a bare token of letters, digits, dots and
// hyphens.
func (p *htmlParser) value() (string, error) {
	if mark := p.peek(); strings.IndexByte(`"'`, mark) >= 0 {
		p.pos++
		return p.quotedValue(mark), nil
	}
	from := p.pos
	p.pos += prefixLen(p.src[from:], letters+digits+".-")
	if strings.IndexByte(spaces+">", p.peek()) < 0 {
		return "", unparsable("Unexpected end of name token at byte offset %d", from)
	}
	return lower(p.src[from:p.pos]), nil
}

func (p *htmlParser) quotedValue(mark byte) string {
	var b strings.Builder
	for !p.ended() && p.peek() != mark {
		if p.peek() == '&' {
			if r, ok := p.reference(); ok {
				b.WriteRune(r)
				continue
			}
		}
		b.WriteByte(p.peek())
		p.pos++
	}
	if !p.ended() {
		p.pos++
	}
	return b.String()
}

// set keeps the attribute's value if it is the one that counts for the tag.
func (t *openTag) set(name, value string) {
	switch t.name + " " + name {
	case "a href", "tg-emoji emoji-id":
		t.value = value
	case "blockquote expandable":
		t.value = name
	case "code class":
		if language, ok := strings.CutPrefix(value, "language-"); ok {
			t.value = language
		}
	case "span class":
		if rest, ok := strings.CutPrefix(value, "tg-"); ok {
			t.value = rest
		}
	}
}

func (p *htmlParser) endTag(begin int) error {
	if len(p.open) == 0 {
		return unparsable("Unexpected end tag at byte offset %d", begin)
	}
	name := lower(p.word(">"))
	p.skipSpace()
	if p.peek() != '>' {
		return unparsable("Unclosed end tag at byte offset %d", begin)
	}
	p.pos++
	tag := p.open[len(p.open)-1]
	if name != "" && name != tag.name {
		return unparsable(`Unmatched end tag at byte offset %d, expected "</%s>", found "</%s>"`, begin, tag.name, name)
	}
	p.open = p.open[:len(p.open)-1]
	if p.units == tag.units {
		return nil
	}
	return p.close(tag)
}

// close makes the entity of a tag that holds text.
func (p *htmlParser) close(tag openTag) error {
	e := Entity{Type: typeOf(tag), Offset: tag.units, Length: p.units - tag.units}
	switch tag.name {
	case "a":
		return p.closeLink(tag, e)
	case "tg-emoji":
		if id, err := strconv.ParseInt(tag.value, 10, 64); err != nil || id == 0 {
			return unparsable("Invalid custom emoji identifier specified")
		}
		e.CustomEmoji = tag.value
	case "code":
		e.Language = tag.value
	}
	if !p.joinPre(e) {
		p.entities = append(p.entities, e)
	}
	return nil
}

// closeLink adds a link. If it names no address, its text is the address. An invalid link is
// shown as plain text.
func (p *htmlParser) closeLink(tag openTag, e Entity) error {
	address := tag.value
	if address == "" {
		address = p.out.String()[tag.bytes:]
	}
	if id := mentioned(address); id != 0 {
		e.Type, e.User = "text_mention", id
		p.entities = append(p.entities, e)
		return nil
	}
	if url, ok := checkLink(address); ok {
		e.URL = url
		p.entities = append(p.entities, e)
	}
	return nil
}

// joinPre makes one entity of a pre and a code with a language over the same
// text, whichever is inside.
func (p *htmlParser) joinPre(e Entity) bool {
	if len(p.entities) == 0 || class(e.Type) != code {
		return false
	}
	last := &p.entities[len(p.entities)-1]
	if last.Offset != e.Offset || last.Length != e.Length {
		return false
	}
	switch last.Type + " in " + e.Type {
	case "code in pre":
		if last.Language == "" {
			return false
		}
		last.Type = "pre"
		return true
	case "pre in code":
		if last.Language != "" || e.Language == "" {
			return false
		}
		last.Language = e.Language
		return true
	}
	return false
}

func knownTag(name string) bool { return typeOf(openTag{name: name}) != "" }

func typeOf(tag openTag) string {
	switch tag.name {
	case "b", "strong":
		return "bold"
	case "i", "em":
		return "italic"
	case "u", "ins":
		return "underline"
	case "s", "strike", "del":
		return "strikethrough"
	case "span", "tg-spoiler":
		return "spoiler"
	case "a":
		return "text_link"
	case "code", "pre":
		return tag.name
	case "tg-emoji":
		return "custom_emoji"
	case "blockquote":
		if tag.value != "" {
			return "expandable_blockquote"
		}
		return "blockquote"
	}
	return ""
}

// mentioned returns the user of a tg://user?id= link, or 0.
func mentioned(address string) int64 {
	digits, ok := strings.CutPrefix(lower(address), "tg://user?id=")
	if !ok {
		return 0
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || id < 0 {
		return 0
	}
	return id
}

// checkLink completes a web or tg link, or reports that it is invalid. Telegram accepts no
// bare host such as localhost.
func checkLink(address string) (string, bool) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(address), "://")
	if !ok {
		scheme, rest = "http", scheme
	}
	scheme = lower(scheme)
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, tail := lower(rest[:end]), rest[end:]
	if !strings.HasPrefix(tail, "/") {
		tail = "/" + tail
	}
	switch scheme {
	case "http", "https":
		return scheme + "://" + host + tail, hostOK(host)
	case "tg":
		return scheme + "://" + rest, rest != ""
	}
	return "", false
}

func hostOK(host string) bool {
	isInvalid := func(r rune) bool {
		return r < utf8.RuneSelf && !strings.ContainsRune(letters+digits+".-_:", r)
	}
	name, domain, _ := strings.Cut(host, ".")
	return name != "" && domain != "" && !strings.ContainsFunc(host, isInvalid)
}

// lower returns s with ASCII letters in lower case. It does not change the length.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// quoted puts quotes around s without escaping.
func quoted(s string) string { return `"` + s + `"` }
