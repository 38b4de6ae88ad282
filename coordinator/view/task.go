package view

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Tasks are what goes on for days.
var Tasks = add(Noun{
	Name: "task", Inner: true,
	Page: true, Phone: []string{"start", "stop", "done", "reopen", "archive"},
	Empty: "No tasks. Create one and start it: `afar task new TITLE --start`. On the phone: `/task` and what shall be " +
		"reached. An agent works on it in a folder of its own, for days if need be, and asks you.",
	List: list(wire.OpTasks, wire.None{}, func(r wire.TasksReply) []Thing { return Each(r.Tasks, Task) }),
	Read: one(wire.OpTask, Task),
	Does: map[string]Act{
		"start": taskDoes("start"), "stop": taskDoes("stop"), "done": taskDoes("done"), "reopen": taskDoes("reopen"),
		"archive": taskDoes("archive"),
	},
})

// taskDoes returns the Act that carries out a verb of the command line.
func taskDoes(verb string) Act {
	return func(c Caller, id string, in Input) (Done, error) {
		made, _ := wire.TaskCall(verb, id, in.Key)
		t, err := made.Through(c)
		return Done{Said: wording.TaskDid(verb, t)}, err
	}
}

// taskDeeds are the deeds, by verb.
var taskDeeds = map[string]Deed{
	"start": {Label: "Start", Sign: "▶️"}, "stop": {Label: "Stop", Sign: "⏹"}, "done": {Label: "Done", Sign: "✅"},
	"reopen": {Label: "Reopen"}, "archive": {Label: "Archive"},
}

// Task shows a task.
func Task(t wire.Task) Thing {
	out := Thing{
		ID: t.ID, Title: t.Title, State: wording.TaskStatus(t), Mark: taskMark(t),
		Notes: append(facts(Row{"waits for", Plain, said(t.WaitingFor)}, Row{"", Ask, said(t.Warning)}),
			wrong("state.md", t.Faults)...),
		Details: facts(
			Row{"folder", Plain, path(t.Dir)}, Row{"last action", Plain, day(t.LastAction)},
			Row{"goes on", Plain, goesOn(t)}, Row{"agent", Plain, said(t.Agent)},
			Row{"created by", Plain, when(t.By+",", t.CreatedAt)},
			Row{"confirm", Plain, said(text.Only(t.Confirm, "you are asked before each act that reaches others"))},
			Row{"asks", Plain, code(text.Only(t.Ask != "", "afar asks; afar answer "+t.Ask+" 'words'"))},
		),
		Texts: []Text{{Body: t.Objective}},
		Foot:  said(text.Only(t.Proposed, "No person has made this folder a task. Read what it says before you start it.")),
	}
	if t.Run != "" {
		state := text.Only(t.RunState != "", ", "+wording.RunState(t.RunState))
		out.Details = append(out.Details, Row{"run", Plain, append(Line{{Text: t.Run, Run: true}}, said(state)...)})
	}
	for i, verb := range wording.TaskVerbs(t) {
		d := taskDeeds[verb]
		d.Key, d.Alone = verb, i > 0
		if i == 0 && verb == "start" {
			d.Tone = Good
		}
		out.Deeds = append(out.Deeds, d)
	}
	return on(t.Origin, out)
}

// goesOn says when a task that waits goes on by itself, and which words say so.
func goesOn(t wire.Task) Line {
	switch {
	case t.NextAction != 0:
		return append(day(t.NextAction), said("("+t.NextWords+")")...)
	case t.WaitingFor == "":
		return nil
	case t.NextWords != "":
		return said("unknown: no date in " + t.NextWords)
	}
	return said("when a person starts it")
}

// taskMark is how far a task is: a run that works on it comes before its status.
func taskMark(t wire.Task) Mark {
	switch {
	case t.Ask != "":
		return Mark{Ask, "❓"}
	case wording.TaskBusy(t):
		return RunMark(t.RunState)
	case t.Proposed:
		return Mark{Ask, "💡"}
	case len(t.Faults) > 0:
		return Mark{Bad, "⚠️"}
	case t.Stopped:
		return Mark{Muted, "⏹"}
	}
	marks := map[string]Mark{"WAITING": {Ask, "⏳"}, "BLOCKED": {Bad, "⛔"}, "COMPLETED": {Good, "✅"}}
	return cmp.Or(marks[t.Status], Mark{Plain, "📋"})
}
