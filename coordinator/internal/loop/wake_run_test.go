package loop

import (
	"strings"
	"testing"
	"time"
)

// TestWake checks what a loop tells its idle run, in each state of the loop, and that it tells
// it once.
func TestWakeRun(t *testing.T) {
	long := strings.Repeat("long ", 100)
	fresh := looping(t, long+"end", func(o *Options) { o.Outside = true })
	known := looping(t, "fix", nil)
	rests, _ := Rest(known, epoch.Add(time.Minute), epoch)
	refused := mustLimit(known, "429", epoch.Add(time.Minute), epoch).Stack
	ended, err := Cancel(known, "Ann", epoch)
	if err != nil {
		t.Fatal(err)
	}
	picks, err := Start(Stack{}, "ses1", "run", Options{Max: 10, Repo: "/repo", Outside: true}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		stack   Stack
		wake    string // part of the prompt, "" for none
		resumed string // part of the prompt after a pause of Afar
	}{
		"started from outside": {fresh, long + "end", long + "end"},
		"known to the run":     {known, "", "Afar was paused"},
		"waits for a shell":    {rests, "", ""},
		"the shell takes long": {Expire(rests, epoch.Add(time.Minute)).Stack, "background shell",
			"background shell"},
		"waits for the provider": {refused, "", ""},
		"the provider may answer": {Expire(refused, epoch.Add(time.Minute)).Stack, "provider refused",
			"provider refused"},
		"waits for an errand":   {inPhase(t, Reviewing), "", ""},
		"picks its first issue": {picks.Stack, "", ""},
		"has an issue":          {inPhase(t, Working), "Issue", "Issue"},
		"ended":                 {ended.Stack, "", ""},
		"no loop":               {Stack{}, "", ""},
	} {
		for _, c := range []struct {
			wake func(Stack, time.Time) (Stack, string)
			want string
		}{{Wake, tt.wake}, {WakeResumed, tt.resumed}} {
			next, text := c.wake(tt.stack, epoch)
			if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
				t.Errorf("%s: the prompt is %.300q, want %.40q in it", name, text, c.want)
			}
			if _, again := Wake(next, epoch); again != "" {
				t.Errorf("%s: it is told again: %.300q", name, again)
			}
		}
	}
}
