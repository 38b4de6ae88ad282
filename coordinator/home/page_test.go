package home_test

import (
	"os"
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

func TestPage(t *testing.T) {
	d := home.Dirs{State: t.TempDir()}
	if addr, hosts := d.Page(); addr != "" || len(hosts) != 0 {
		t.Errorf("nothing is noted: %q, %q", addr, hosts)
	}
	for _, hosts := range [][]string{nil, {"box.ts.net", "box"}} {
		if err := d.NotePage("127.0.0.1:8123", hosts); err != nil {
			t.Fatal(err)
		}
		if addr, got := d.Page(); addr != "127.0.0.1:8123" || !slices.Equal(got, hosts) {
			t.Errorf("have %q, %q", addr, got)
		}
	}
	for _, text := range []string{"", "\n\n"} {
		if err := os.WriteFile(d.PageMark(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if addr, hosts := d.Page(); addr != "" || len(hosts) != 0 {
			t.Errorf("%q: %q, %q", text, addr, hosts)
		}
	}
}
