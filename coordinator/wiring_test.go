package coordinator

import (
	"log/slog"
	"reflect"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestConnected: the composition root gives the server every function that it calls. A
// missing field compiles, but panics at the first call.
func TestConnected(t *testing.T) {
	dirs, err := home.FromEnv(func(name string) string { return map[string]string{"AFAR_HOME": t.TempDir()}[name] })
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(Config{Dirs: dirs, Bin: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	set := reflect.ValueOf(c.serverConfig())
	for i := range set.NumField() {
		if set.Field(i).IsZero() {
			t.Errorf("server.Config.%s is not set", set.Type().Field(i).Name)
		}
	}
}
