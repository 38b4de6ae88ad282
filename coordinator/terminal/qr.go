package terminal

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/qrcode"
)

// QR draws a text as a QR code for a terminal, two rows of it in each line. Its
// colours are set, so that dark and bright terminals show the same.
func QR(text string) (string, error) {
	code, err := qrcode.Encode(text)
	if err != nil {
		return "", err
	}
	const border = qrcode.QuietZone
	var b strings.Builder
	for y := -border; y < code.Size+border; y += 2 {
		b.WriteString("\x1b[97;40m")
		for x := -border; x < code.Size+border; x++ {
			b.WriteString(halves[[2]bool{code.Black(x, y), code.Black(x, y+1)}])
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String(), nil
}

// halves are the characters for two modules, one above the other; true is black.
var halves = map[[2]bool]string{
	{false, false}: "█", {false, true}: "▀", {true, false}: "▄", {true, true}: " ",
}
