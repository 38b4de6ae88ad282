// Package grammar parses the text of a shell within bounds, and says what can be told from
// the form of a command alone, before anything in it has a value. With package shell it is
// the only one that knows the parser.
package grammar

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Parsers are used for all texts of a call, which may have thousands of small ones. The zero
// Parsers is ready.
type Parsers struct{ bash, zsh *syntax.Parser }

// Parse parses a text for bash, and if that fails, for zsh. It refuses a text that is nested
// too deeply, or that may have more than most commands.
func (p *Parsers) Parse(text string, most int) (*syntax.File, error) {
	if tooNested(text, most) {
		return nil, errTooNested
	}
	if p.bash == nil {
		p.bash = syntax.NewParser()
	}
	file, err := p.bash.Parse(strings.NewReader(text), "")
	if err == nil {
		return file, nil
	}
	if p.zsh == nil {
		p.zsh = syntax.NewParser(syntax.Variant(syntax.LangZsh))
	}
	if zsh, zerr := p.zsh.Parse(strings.NewReader(text), ""); zerr == nil {
		return zsh, nil
	}
	return nil, err
}
