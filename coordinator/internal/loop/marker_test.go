package loop

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const markComplete = "<loop-done>COMPLETE</loop-done>"

func TestMarker(t *testing.T) {
	tests := []struct{ name, message, want string }{
		{"nothing", "", ""},
		{"alone", markComplete, complete},
		{"stuck", "<loop-done>STUCK</loop-done>", gaveUp},
		{"max", "<loop-done>MAX_ITERATIONS</loop-done>", usedUp},
		{"text before and after", "All done.\n" + markComplete + "\nAnything else?", complete},
		{"blanks around", "x\n\n   " + markComplete + " \t\n\n", complete},
		{"crlf", "x\r\n" + markComplete + "\r\ny", complete},
		{"lone cr", "x\r" + markComplete + "\ry", complete},
		{"last one wins", markComplete + "\n<loop-done>STUCK</loop-done>", gaveUp},
		{"last valid one wins", "<loop-done>STUCK</loop-done>\n```\n" + markComplete + "\n```", gaveUp},
		{"unknown word", "<loop-done>FINE</loop-done>", ""},
		{"unknown word last", markComplete + "\n<loop-done>FINE</loop-done>", complete},
		{"lower case", "<loop-done>complete</loop-done>", ""},
		{"blank inside", "<loop-done> COMPLETE </loop-done>", ""},
		{"no end", "<loop-done>COMPLETE", ""},
		{"overlapping tags", "<loop-done></loop-done>", ""},
		{"within a line", "I say " + markComplete, ""},
		{"text behind it", markComplete + " ok", ""},
		{"twice on a line", markComplete + markComplete, ""},
		{"quoted", "> " + markComplete, ""},
		{"list item", "- " + markComplete, ""},
		{"bold", "**" + markComplete + "**", ""},
		{"inline code", "`" + markComplete + "`", ""},
		{"inline code over lines", "so `a\n" + markComplete + "\nb` is it", ""},
		{"double inline code over lines", "so ``a ` \n" + markComplete + "\nb`` is it", ""},
		{"code before and after", "`a` and\n" + markComplete + "\n`b`", complete},
		{"stray backtick", "it`s\n" + markComplete, complete},
		{"runs of other lengths", "a ` b\n" + markComplete + "\n``c", complete},
		{"code ends with the paragraph", "a ` b\n\n" + markComplete + "\n\n c ` d", complete},
		{"code does not reach into the next paragraph", "a ` b\n\n" + markComplete + "\nc ` d", complete},
		{"code does not reach over a fence", "a ` b\n```\n```\n" + markComplete + "\nc ` d", complete},
		{"closed fence", "```\n" + markComplete + "\n```", ""},
		{"fence with a language", "```text\n" + markComplete + "\n```\nok", ""},
		{"after a fence", "```\ncode\n```\n" + markComplete, complete},
		{"unclosed fence", "```\ncode\n" + markComplete, ""},
		{"tildes", "~~~\n" + markComplete + "\n~~~", ""},
		{"tildes with backticks in the info", "~~~ a`b\n" + markComplete, ""},
		{"unclosed tildes", "~~~\n" + markComplete, ""},
		{"other character does not close", "~~~\n```\n" + markComplete, ""},
		{"longer fence", "`````\n```\n" + markComplete + "\n```\n`````", ""},
		{"longer fence closes", "```\nx\n`````\n" + markComplete, complete},
		{"shorter fence does not close", "````\nx\n```\n" + markComplete, ""},
		{"fence with text does not close", "```\nx\n``` go\n" + markComplete, ""},
		{"indented fence", "   ```\n" + markComplete + "\n   ```", ""},
		{"too deep for a fence", "x\n\n    ```\n\n" + markComplete, complete},
		{"two backticks are no fence", "``\n" + markComplete, complete},
		{"inline code that looks like a fence", "```x``` is\n" + markComplete, complete},
		{"indented code", "x\n\n    " + markComplete, ""},
		{"tab", "\t" + markComplete, ""},
		{"blanks and tab", "  \t" + markComplete, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := marker(tt.message); got != tt.want {
				t.Errorf("marker(%q) = %q, want %q", tt.message, got, tt.want)
			}
		})
	}
}

// Afar's own texts, repeated word for word by a session, never end its loop.
func TestOwnTextsHoldNoMarker(t *testing.T) {
	s := looping(t, "Fix it", nil)
	in := Stopping{Tools: 1, Background: []string{markComplete}}
	for name, text := range map[string]string{
		"intro": Intro(s), "block": mustStop(s, in, epoch).Block,
		"anchor": Anchor(s, AnchorFacts{}, epoch), "page": Render(s),
	} {
		if word := marker(text); word != "" {
			t.Errorf("%s says %s:\n%s", name, word, text)
		}
	}
}

// slowMarker is the reference implementation. It removes code, one kind after the other, and
// then returns the last line that is a marker.
func slowMarker(message string) string {
	message = regexp.MustCompile(`\r\n?`).ReplaceAllString(message, "\n")
	var blocks []string // paragraphs
	fence := ""
	for _, l := range append(strings.Split(message, "\n"), "") {
		opening := regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^\n]*)$").FindStringSubmatch(l)
		switch {
		case fence != "":
			pattern := "^ {0,3}" + fence + fence[:1] + "*[ \t]*$"
			if regexp.MustCompile(pattern).MatchString(l) {
				fence = ""
			}
		case opening != nil && !(opening[1][0] == '`' && strings.Contains(opening[2], "`")):
			fence = opening[1]
			blocks = append(blocks, "")
		case strings.TrimSpace(l) == "" || len(blocks) == 0:
			blocks = append(blocks, l+"\n")
		default:
			blocks[len(blocks)-1] += l + "\n"
		}
	}
	word := ""
	shape := regexp.MustCompile("^ {0,3}<loop-done>(COMPLETE|STUCK|MAX_ITERATIONS)</loop-done>[ \t]*$")
	for _, b := range blocks {
		for _, l := range strings.Split(withoutCode(b), "\n") {
			if m := shape.FindStringSubmatch(l); m != nil {
				word = m[1]
			}
		}
	}
	return word
}

// withoutCode replaces each inline code, with its line breaks, by a letter.
func withoutCode(b string) string {
	for i := 0; i < len(b); {
		if b[i] != '`' {
			i++
			continue
		}
		open := len(b[i:]) - len(strings.TrimLeft(b[i:], "`"))
		end := -1
		for j := i + open; j < len(b); {
			if b[j] != '`' {
				j++
				continue
			}
			size := len(b[j:]) - len(strings.TrimLeft(b[j:], "`"))
			j += size
			if size == open {
				end = j
				break
			}
		}
		if end < 0 {
			i += open
			continue
		}
		b = b[:i] + "x" + b[end:]
		i++
	}
	return b
}

func TestMarkerAgreesWithTheSlowOne(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		markComplete, "<loop-done>STUCK</loop-done>", "<loop-done>MAX_ITERATIONS</loop-done>",
		"<loop-done>NO</loop-done>",
		"\n", "\n", "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "`", "``", "```", "````", "~~~", "~~~~~", "text",
		"go", "é", "\x00", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "pieces"), "")
		if got, want := marker(message), slowMarker(message); got != want {
			t.Fatalf("marker(%q) = %q, the slow one says %q", message, got, want)
		}
	})
}

func FuzzMarker(f *testing.F) {
	for _, s := range []string{
		"", markComplete, "```\n" + markComplete, "`a\n" + markComplete + "\n`", "    " + markComplete,
		"~~~x\r\n~~~~\r" + markComplete,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		if len(message) > 4096 {
			return
		}
		if got, want := marker(message), slowMarker(message); got != want {
			t.Errorf("marker(%q) = %q, the slow one says %q", message, got, want)
		}
	})
}

// A message of megabytes takes no longer than reading it.
func BenchmarkMarkerHuge(b *testing.B) {
	message := strings.Repeat("` `` ``` ` text ", 1<<16) + "\n" + markComplete
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		marker(message)
	}
}
