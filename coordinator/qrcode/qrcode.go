// Package qrcode makes QR codes for a terminal and for the page. It is pure.
package qrcode

import (
	"fmt"

	"rsc.io/qr"
)

// QuietZone is the white border that a reader needs around a QR code, in modules.
const QuietZone = 2

// A Code is a square of modules without its border.
type Code struct {
	Size  int
	Black func(x, y int) bool // false for all outside the square
}

// Encode returns the QR code of a text.
func Encode(text string) (Code, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return Code{}, fmt.Errorf("draw a QR code: %w", err)
	}
	return Code{Size: code.Size, Black: code.Black}, nil
}
