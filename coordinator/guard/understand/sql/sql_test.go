package sql

import (
	"strings"
	"testing"
)

func TestSQLWords(t *testing.T) {
	got := Statements("drop/**/table \"a b\"; -- drop\nSELECT 'x;y'")
	if len(got) != 2 || strings.Join(got[0], " ") != "DROP TABLE 'a b" || got[1][1] != "'x;y" {
		t.Errorf("%q", got)
	}
}
