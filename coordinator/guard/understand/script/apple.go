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
	if strings.Contains(code, "keystroke") || strings.Contains(code, "key code") ||
		strings.Contains(code, "write text") ||
		strings.Contains(code, "do script") && strings.Contains(code, "Terminal") {
		sh.Effect(effect.TypeInto, "", "osascript")
	}
	readText(sh, code, "applescript")
	toks := Tokenize(code, "applescript")
	if op := applePower(toks); op != "" {
		sh.Effect(effect.Power, effect.Named(op), "")
	}
	for i := range toks {
		if i+3 < len(toks) && toks[i].Text == "do" && toks[i+1].Text == "shell" && toks[i+3].Kind == 's' {
			sh.RunText(toks[i+3].Text)
		}
	}
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
