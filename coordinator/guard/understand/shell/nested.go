package shell

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Program runs "bash -c text", "bash file" and "… | bash".
func (sh *Shell) Program(c Command) {
	child := sh.Sub()
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if a == "--" {
			c.Args = append(append([]string{}, c.Args[:i]...), c.Args[i+1:]...)
			if i >= len(c.Args) {
				break
			}
			a = c.Args[i]
		}
		switch {
		case (lex.OneOf(a, "--rcfile --init-file")) && i+1 < len(c.Args):
			child.Sub().scriptNamed(c.Args[i+1])
			i++
		case lex.OneOf(a, "-o +o -O"):
			i++
		case lex.OneOf(a, "--command --eval"), lex.IsClusterWith(a, 'c'):
			child.shellText(c, i)
			return
		case a == "-i" && c.In == nil:
		case lex.IsClusterWith(a, 'o') && !lex.IsClusterWith(a, 'c'):
			i++ // bash -euo pipefail -c …
		case a == "-n":
			return // the shell only checks the syntax
		case lex.IsClusterWith(a, 's'), a == "-", IsStdin(a):
			_, child.params = Leading(c.Args[i+1:], "")
			child.pipedText(c)
			return
		case lex.BeginsWith(a, "- +"):
		default:
			child.params = c.Args[i+1:]
			child.scriptNamed(a)
			return
		}
	}
	child.pipedText(c)
}

// shellText runs the text after the "-c" at index i. It skips further flags.
func (sh *Shell) shellText(c Command, i int) {
	rest := c.Args[i+1:]
	for len(rest) > 0 && (rest[0] == "--" || len(rest[0]) == 2 && rest[0][0] == '-') {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	sh.params = []string{}
	if len(rest) > 1 {
		sh.zero, sh.params = rest[1], rest[2:]
	}
	sh.RunTextIn(rest[0], c.In)
}

func (sh *Shell) pipedText(c Command) {
	if c.In != nil {
		sh.RunText(*c.In)
	}
}

func (sh *Shell) scriptNamed(name string) {
	if text, ok := sh.Brought(name); ok {
		sh.runBeginning(name)
		sh.RunText(text)
		return
	}
	if sh.RunFile(name, sh.params) {
		return
	}
	if origin := OriginOf(name); origin == effect.Network || origin == effect.Decoded {
		sh.Effect(effect.RunUnknown, origin, "")
	}
	if lex.BeginsWith(name, "http:// https://") {
		sh.Effect(effect.RunUnknown, effect.Network, name)
	}
}
