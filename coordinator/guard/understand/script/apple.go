package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// AppleScript reports the keystrokes that a script types, and runs the text that
// it passes to a shell.
func AppleScript(sh *shell.Shell, code string) {
	if typesKeys(code) {
		sh.Effect(effect.TypeInto, "", "osascript")
	}
	readText(sh, code, "applescript")
	toks := Tokenize(code, "applescript")
	if op := applePower(toks); op != "" {
		sh.Effect(effect.Power, effect.Named(op), "")
	}
	for i := range toks {
		if Shaped(toks, i, "nnns") && toks[i].Text+" "+toks[i+1].Text == "do shell" {
			sh.RunText(toks[i+3].Text)
		}
	}
}

// typesKeys reports whether a script types into a window or runs text in a terminal.
func typesKeys(code string) bool {
	for _, words := range [...]string{"keystroke", "key code", "write text"} {
		if strings.Contains(code, words) {
			return true
		}
	}
	return strings.Contains(code, "do script") && strings.Contains(code, "Terminal")
}

// applePower is what a script tells the system to do with the machine.
func applePower(toks []Token) string {
	system := false
	for i, t := range toks {
		switch {
		case t.Kind == 's':
			system = system ||
				lex.OneOf(strings.ReplaceAll(strings.ToLower(t.Text), " ", "-"), "system-events finder loginwindow")
		case t.Kind != 'n' || !system:
		case t.Text == "restart", t.Text == "sleep":
			return t.Text
		case lex.OneOf(t.Text, "shut log") && lex.OneOf(textAt(toks, i+1), "down out"):
			return t.Text + " " + toks[i+1].Text
		}
	}
	return ""
}
