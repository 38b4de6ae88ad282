package page

import (
	"html"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/afar-sh/afar/coordinator/text"
)

// The bounds of a text in Markdown.
const (
	proseLines = 40       // a longer text is cut on a page with others
	proseHead  = 24       // the lines of it that are shown at once
	proseBytes = 20 << 10 // of what can be opened
)

// prose shows what a session wrote in Markdown. A long text is cut; the rest can be opened.
func prose(source string) template.HTML {
	source = strings.TrimRight(source, "\n")
	lines := strings.SplitAfter(source, "\n")
	if len(lines) <= proseLines {
		return quotation(text.ClipBytes(source, proseBytes))
	}
	return quotation(text.ClipBytes(strings.Join(lines[:proseHead], ""), proseBytes)) +
		template.HTML(`<details class="rest"><summary>Show all `+text.Count(len(lines), "line")+`</summary>`) +
		quotation(text.ClipBytes(source, proseBytes)) +
		template.HTML(rest(source, proseBytes, "the page of the question shows more")+`</details>`)
}

// wholeProse shows all of a text in Markdown.
func wholeProse(source string) template.HTML {
	if len(source) > mostBytes*4 {
		return plainQuotation(text.ClipBytes(source, wholeBytes)) +
			template.HTML(rest(source, wholeBytes, "<code>afar asks</code> prints all"))
	}
	return quotation(source)
}

// wholeFile shows a file in Markdown. Of a very long one it shows the beginning.
func wholeFile(source string) template.HTML {
	if len(source) > mostBytes*4 {
		return plainQuotation(text.ClipBytes(source, wholeBytes)) +
			template.HTML(rest(source, wholeBytes, "the file holds all"))
	}
	return quotation(source)
}

func quotation(source string) template.HTML {
	return template.HTML(`<blockquote class="prose">`) + markdown(source) + template.HTML(`</blockquote>`)
}

func plainQuotation(source string) template.HTML {
	return template.HTML(`<blockquote>` + template.HTMLEscapeString(source) + `</blockquote>`)
}

// markdown converts Markdown to HTML. Nothing of the text is hidden: HTML in it is shown as
// text, a link shows its target, and a text that would lose a word is shown as it is.
func markdown(source string) template.HTML {
	var out strings.Builder
	if err := proseOf.Convert([]byte(source), &out); err != nil || !holds(out.String(), source) {
		return template.HTML(`<div class="plain">` + template.HTMLEscapeString(source) + `</div>`)
	}
	return template.HTML(out.String())
}

// proseOf reads Markdown without the parts that a reader does not see: raw HTML, and links
// whose target stands elsewhere.
var proseOf = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)),
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
		extension.Strikethrough,
	),
	goldmark.WithRendererOptions(
		markhtml.WithHardWraps(),
		renderer.WithNodeRenderers(util.Prioritized(proseRenderer{}, 1)),
	),
)

// A proseRenderer renders the nodes that the page shows in its own way.
type proseRenderer struct{}

// RegisterFuncs registers the nodes.
func (proseRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindLink, renderTarget)
	r.Register(ast.KindImage, renderTarget)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindCodeBlock, renderCode)
}

// renderHeading renders a heading below those of the page.
func renderHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "h" + strconv.Itoa(min(6, n.(*ast.Heading).Level+3)) + ">"
	if entering {
		_, err := w.WriteString("<" + tag)
		return ast.WalkContinue, err
	}
	_, err := w.WriteString("</" + tag + "\n")
	return ast.WalkContinue, err
}

// renderTarget shows the target of a link or a picture after its text.
func renderTarget(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		return ast.WalkContinue, nil
	}
	var target, title []byte
	switch n := n.(type) {
	case *ast.Link:
		target, title = n.Destination, n.Title
	case *ast.Image:
		target, title = n.Destination, n.Title
	}
	shown := template.HTMLEscapeString(string(target))
	if _, isLink := n.(*ast.Link); isLink && webAddress.Match(target) {
		shown = `<a href="` + shown + `" rel="noreferrer noopener">` + shown + `</a>`
	}
	if len(title) > 0 {
		shown += " " + template.HTMLEscapeString(string(title))
	}
	_, err := w.WriteString(" (" + shown + ")")
	return ast.WalkContinue, err
}

// webAddress matches an address that can be followed. It is plain: what is shown is where it
// leads.
var webAddress = regexp.MustCompile(`^https?://[\w.-]+(:\d+)?(/[\w\-.~:/?#@!$&*+,;=%]*)?$`)

// codeTools are the tools whose inputs have the colours of a language.
var codeTools = map[string]string{
	"bash": "Bash", "sh": "Bash", "shell": "Bash", "zsh": "Bash", "console": "Bash", "diff": "Edit", "patch": "Edit",
}

// renderCode shows a block of code, with its language.
func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, ok := n.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		language = string(fenced.Info.Segment.Value(source))
		if _, err := w.WriteString(`<p class="language">` + template.HTMLEscapeString(language) + "</p>"); err != nil {
			return ast.WalkStop, err
		}
	}
	var lines strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		lines.Write(at.Value(source))
	}
	_, err := w.WriteString(coloured(codeTools[strings.TrimSpace(language)], strings.TrimRight(lines.String(), "\n")))
	return ast.WalkSkipChildren, err
}

// tags matches what is markup in the HTML of this package.
var tags = regexp.MustCompile(`<[^>]*>`)

// holds reports whether a text in HTML has the words of its source, in the same order. The
// numbers of a list are no words.
func holds(rendered, source string) bool {
	return slices.Equal(words(html.UnescapeString(tags.ReplaceAllString(rendered, " "))), words(source))
}

// words returns the words of a text, without numbers.
func words(s string) (out []string) {
	for word := range strings.FieldsFuncSeq(s,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.Trim(word, "0123456789") != "" {
			out = append(out, word)
		}
	}
	return out
}
