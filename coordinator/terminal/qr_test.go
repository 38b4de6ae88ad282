package terminal

import (
	"strings"
	"testing"
)

// TestQRCode: the picture is a square of modules with its three corners and a border.
func TestQRCode(t *testing.T) {
	t.Parallel()
	picture, err := QR("https://t.me/afar_standin_bot?start=123456")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(strings.NewReplacer("\x1b[97;40m", "", "\x1b[0m", "").Replace(picture)),
		"\n")
	wide := len([]rune(lines[0]))
	if wide != 2*len(lines) && wide != 2*len(lines)-1 {
		t.Errorf("%d modules wide, %d lines", wide, len(lines))
	}
	if lines[0] != strings.Repeat("█", wide) {
		t.Errorf("no border: %q", lines[0])
	}
	const corner = "██ ▄▄▄▄▄ █" // below the border: the top of a finder
	if !strings.HasPrefix(lines[1], corner) || !strings.HasSuffix(lines[1], "█ ▄▄▄▄▄ ██") {
		t.Errorf("no finders: %q", lines[1])
	}
	for i, l := range lines {
		if n := len([]rune(l)); n != wide {
			t.Errorf("line %d has %d modules", i, n)
		}
	}
	if _, err := QR(strings.Repeat("x", 1<<16)); err == nil {
		t.Error("a text that is too long was drawn")
	}
}
