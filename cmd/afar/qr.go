package main

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quietZone is the white border that a reader needs around a QR code, in modules.
const quietZone = 2

// qrCode draws a text as a QR code for a terminal, two rows of it in each line. Its
// colours are set, so that dark and bright terminals show the same.
func qrCode(text string) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var b strings.Builder
	for y := -quietZone; y < code.Size+quietZone; y += 2 {
		b.WriteString("\x1b[97;40m")
		for x := -quietZone; x < code.Size+quietZone; x++ {
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
