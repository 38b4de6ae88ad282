package qrcode_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/qrcode"
)

func TestEncode(t *testing.T) {
	code, err := qrcode.Encode("https://t.me/afar_standin_bot?start=123456")
	if err != nil {
		t.Fatal(err)
	}
	if code.Size < 21 || !code.Black(0, 0) || !code.Black(code.Size-1, 0) || code.Black(-1, 0) {
		t.Errorf("no QR code: %d modules wide", code.Size)
	}
	if _, err := qrcode.Encode(strings.Repeat("x", 1<<16)); err == nil {
		t.Error("a text that is too long was drawn")
	}
}
