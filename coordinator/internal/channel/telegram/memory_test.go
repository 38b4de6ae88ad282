package telegram

import (
	"strings"
	"testing"
)

// TestRemember: /remember keeps a fact of the person, and says under which name.
func TestRemember(t *testing.T) {
	r := newTaskRig(t)
	say := func(text, want string) {
		t.Helper()
		r.ann.Say(r.ann.ID, text)
		t.Log(r.await(want).Text)
	}
	say("/remember", "Say what is worth knowing")
	say("/remember Deploys go through staging", "Kept as deploys-go-through-staging.")
	say("/remember deploys go through staging!", "Memory says that already, in deploys-go-through-staging.")
	say("/remember Deploys go through staging\nAnn said so.\n\nSince May.", "deploys-go-through-staging says this now.")
	long := "The certificate of the old mail server ends in March and the new one wants an account of its own"
	say("/remember "+long, "Kept as the-certificate-of-the-old-mail-server-ends-in-march-and")
	for name, want := range map[string]string{
		"deploys-go-through-staging":                               "# Deploys go through staging\n\n- from: ",
		"the-certificate-of-the-old-mail-server-ends-in-march-and": "\n\n" + long + "\n",
	} {
		got := r.file(r.path("workspace/memory/" + name + ".md"))
		if !strings.Contains(got, want) || !strings.Contains(got, "- source: Ann\n") {
			t.Errorf("%s holds %q", name, got)
		}
	}
	got := r.file(r.path("workspace/memory/deploys-go-through-staging.md"))
	if !strings.Contains(got, "\nAnn said so.\n\nSince May.\n") {
		t.Errorf("the text is %q", got)
	}
}

// TestLongEmoji: a text of many emoji is taken whole, under a title that is as short as titles have
// to be.
func TestLongEmoji(t *testing.T) {
	r := newTaskRig(t)
	const flags = 70
	text := strings.Repeat("🇩🇪", flags)
	r.ann.Say(r.ann.ID, "/remember "+text)
	t.Log(r.await("Kept as").Text)
	r.ann.Say(r.ann.ID, "/task "+text)
	t.Log(r.await("an agent works on it").Text)
	state := r.file(r.inTask("task", "state.md"))
	title, _, _ := strings.Cut(state, "\n")
	if !strings.HasSuffix(title, "…") || !strings.Contains(state, "\n"+text+"\n") {
		t.Errorf("state.md is %q", state)
	}
}
