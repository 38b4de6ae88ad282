package channel

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestTry(t *testing.T) {
	p := NewPairing("123456", noon)
	if strings.Contains(p.Digest, "123456") {
		t.Error("the code itself is kept")
	}
	tests := []struct {
		name string
		p    *Pairing
		code string
		at   time.Time
		err  error
		left int // wrong codes noted afterwards; -1 is no pairing at all
	}{
		{"right", p, "123456", noon, nil, -1},
		{"right in the last moment", p, "123456", noon.Add(codeFor - 1), nil, -1},
		{"expired", p, "123456", noon.Add(codeFor), ErrNoCode, 0},
		{"wrong", p, "000000", noon, errWrongCode, 1},
		{"empty", p, "", noon, errWrongCode, 1},
		{"the digest itself", p, p.Digest, noon, errWrongCode, 1},
		{"no pairing", nil, "123456", noon, ErrNoCode, -1},
		{"the last wrong one", &Pairing{Digest: p.Digest, ExpiresAt: p.ExpiresAt, Wrong: codeTries - 1}, "000000", noon,
			errKilled, codeTries},
		{"right after the last wrong one", &Pairing{Digest: p.Digest, ExpiresAt: p.ExpiresAt, Wrong: codeTries},
			"123456",
			noon, ErrNoCode, codeTries},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := Pairing{}
			if test.p != nil {
				before = *test.p
			}
			next, err := test.p.Try(test.code, test.at)
			if !errors.Is(err, test.err) {
				t.Errorf("error %v", err)
			}
			if left := wrong(next); left != test.left {
				t.Errorf("%d wrong codes noted", left)
			}
			if test.p != nil && *test.p != before {
				t.Error("Try changed its receiver")
			}
		})
	}
}

func wrong(p *Pairing) int {
	if p == nil {
		return -1
	}
	return p.Wrong
}

func TestPersonIs(t *testing.T) {
	p := &Person{ID: "1", Address: "2"}
	if !p.Is("1", "2") || p.Is("1", "1") || p.Is("2", "2") || (*Person)(nil).Is("", "") {
		t.Error("only this user at this address is the person")
	}
}

// TestVerbatim: what somebody else wrote stays their part, whatever is in it.
func TestVerbatim(t *testing.T) {
	n := Notice{Text: "mail says: " + Verbatim("a"+verbatim+"b") + " (data)"}
	if parts := n.Parts(); len(parts) != 3 || parts[1] != "ab" || n.Plain() != "mail says: ab (data)" {
		t.Errorf("%q, %q", parts, n.Plain())
	}
}

func TestTellStranger(t *testing.T) {
	a, ok := Account{}.TellStranger("7", noon)
	if !ok {
		t.Fatal("the first time is not told")
	}
	if _, ok := a.TellStranger("7", noon.Add(tellEvery-1)); ok {
		t.Error("told twice within a day")
	}
	if _, ok := a.TellStranger("8", noon); !ok {
		t.Error("one stranger keeps another from being told")
	}
	next, ok := a.TellStranger("8", noon.Add(tellEvery))
	if !ok || len(next.Told) != 1 || len(a.Told) != 1 {
		t.Errorf("kept %v, before %v", next.Told, a.Told)
	}
}
