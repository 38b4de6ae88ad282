package telegram

import (
	"regexp"
	"strings"
)

var (
	heading1 = regexp.MustCompile(`^\s{0,3}#{1,6}\s+(.*?)\s*#*$`)
	bullet   = regexp.MustCompile(`^(\s*)[-*+]\s+`)
	strong   = regexp.MustCompile(`\*\*([^\s*](?:[^*\n]*?[^\s*])?)\*\*`)
	boxes    = strings.NewReplacer("• [ ] ", "☐ ", "• [x] ", "☑ ", "• [X] ", "☑ ")
	linked   = regexp.MustCompile(`\[([^\[\]\n]+)\]\((https?://[^\s()]+)\)`)
)

// fence begins and ends a block of code.
const fence = "```"

// markdown converts a model's Markdown to Telegram's HTML. Headings and bold text become
// bold, code stays code, list items get bullets, and a link shows its address. Everything
// else stays unchanged. The result is well formed for any text.
func markdown(text string) string {
	var out []string
	var code []string
	inCode := false
	for _, line := range strings.Split(text, "\n") {
		switch fenced := strings.HasPrefix(strings.TrimSpace(line), fence); {
		case fenced && inCode:
			out, code, inCode = append(out, codeBlock(code)), nil, false
		case fenced:
			inCode = true
		case inCode:
			code = append(code, line)
		default:
			out = append(out, markdownLine(line))
		}
	}
	if len(code) > 0 { // it was cut off, or never ended
		out = append(out, codeBlock(code))
	}
	return strings.Join(out, "\n")
}

func codeBlock(lines []string) string { return "<pre>" + escape(strings.Join(lines, "\n")) + "</pre>" }

func markdownLine(line string) string {
	if m := heading1.FindStringSubmatch(line); m != nil && m[1] != "" {
		return "<b>" + escape(strings.NewReplacer("**", "", "`", "").Replace(m[1])) + "</b>"
	}
	line = ticks(boxes.Replace(bullet.ReplaceAllString(line, "$1• ")))
	line = codeSpan.ReplaceAllStringFunc(line, func(code string) string {
		return strings.NewReplacer("*", "&#42;", "[", "&#91;").Replace(code)
	})
	line = linked.ReplaceAllString(line, "$1 ($2)")
	return strong.ReplaceAllStringFunc(line, embolden)
}

// codeSpan matches code in what ticks made.
var codeSpan = regexp.MustCompile(`<code>[^<]*</code>`)

// embolden makes bold the text between two marks, unless that would cut our own
// markup in two.
func embolden(text string) string {
	m := strong.FindStringSubmatch(text)
	if strings.Count(m[1], "<code>") != strings.Count(m[1], "</code>") {
		return text
	}
	return "<b>" + strings.NewReplacer("<code>", "", "</code>", "").Replace(m[1]) + "</b>"
}

// quoted sets what a model wrote in Markdown apart from our own lines.
func quoted(text string) string { return "<blockquote>" + markdown(text) + "</blockquote>" }
