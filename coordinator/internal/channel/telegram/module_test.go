package telegram

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/modulework"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/wire"
)

// modulesIn reads the modules in a folder. Their sources end again and again.
func modulesIn(folder modulework.Folder) noun.Modules {
	return noun.Modules{
		Path: folder.Path,
		List: folder.List,
		Read: folder.Read,
		Source: func(module.Name) (module.Status, bool) {
			return module.Status{Next: time.Unix(1_800_000_000, 0), Ends: 6, Why: "exit status 3: no <host>"}, true
		},
	}
}

// TestModulesOnThePhone: /modules lists the modules, and a button disables one. It enables again only
// what the person has disabled: a phone does not show what a folder holds.
func TestModulesOnThePhone(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/modules")
	t.Log(r.await("No modules.").Text)
	put := func(name, file, text string) {
		if err := os.MkdirAll(r.path("workspace/modules/"+name), 0o700); err != nil {
			t.Fatal(err)
		}
		r.write(r.path("workspace/modules/"+name+"/"+file), text)
	}
	put("mail", "module.toml", "title = \"Mail of <Ann>\"\n[source]\ncommand = [\"./watch\"]\n")
	put("sly", "module.toml", "[mcp.files]\nurl = \"https://tools.example.org\"\n")
	put("torn", "module.toml", "[source]\ncomand = [\"./x\"]\n")
	l, _ := r.ch.current()
	mail, err := call(l, "Ann", wire.OpModuleEnable, wire.ModuleEnableRequest{ID: "mail"})
	if err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/modules")
	list := r.await("🔌 Mail of <Ann> · enabled")
	t.Logf("%s\n%q", list.Text, list.Labels())
	for _, want := range []string{
		"a source of events", "it has ended 6 times in a row: exit status 3: no <host>",
		"💡 sly · proposed: nobody has enabled it",
		"Look at it, then: afar module enable sly", "⚠️ torn · cannot be used", "line 2: ",
	} {
		if !strings.Contains(list.Text, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	if got := list.Labels(); len(got) != 1 || got[0] != "Disable ⏸ Mail of <Ann>" {
		t.Errorf("the buttons are %q", got)
	}
	tapped := func(message int, button, want string, on bool) {
		t.Helper()
		if got := r.awaitAnswer(r.tap(r.ann, message, button)); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", button, got, want)
		}
		if now, _ := r.core.Module("mail"); now.On != on || now.Hash != mail.Hash {
			t.Errorf("after %s: %+v", button, now)
		}
	}
	r.tap(r.api.User(22, "Bob"), list.ID, "Disable")
	r.settled()
	if now, _ := r.core.Module("mail"); !now.On {
		t.Error("a stranger disabled it")
	}
	tapped(list.ID, "Disable", "Module mail is disabled.", false)
	r.ann.Say(r.ann.ID, "/modules")
	off := r.await("⏸ Mail of <Ann> · disabled")
	put("mail", "more", "new")
	tapped(off.ID, "Enable", "Not done: it is new or was changed; look at it, then: afar module enable mail.",
		false)
	if err := os.Remove(r.path("workspace/modules/mail/more")); err != nil {
		t.Fatal(err)
	}
	tapped(off.ID, "Enable", "Module mail is enabled.", true)
}
