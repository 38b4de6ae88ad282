package demo

import (
	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
)

// project is the name of the project's folder.
const project = "greeter"

// The files of the project: a program that greets, without its greeting, and drafts that
// git does not have.
var files = map[string]string{
	"greet.sh": `echo "$(cat greeting.txt), $1!"` + "\n",
	"test.sh": `[ -s greeting.txt ] || { echo "greeting.txt is missing"; exit 1; }` + "\n" +
		`case "$(sh greet.sh Ann)" in ?*", Ann!") echo "ok" ;; *) echo "no greeting for Ann"; exit 1 ;; esac` + "\n",
	"drafts/welcome.md": "# Welcome\n\nThe only copy of this text.\n",
	"drafts/names.txt":  "Ann\nBen\n",
}

// tracked are the files that git has.
var tracked = []string{"greet.sh", "test.sh"}

// task is what the person of the demo types in the session, and taskArgs its arguments.
const (
	task     = "/afar:loop " + taskArgs
	taskArgs = "--max 5 --check 'sh test.sh' make greet.sh say hello to people"
)

const question = "Which greeting shall the program use?"

// An act is one part of the story. The session does its turns only once the act has begun.
type act struct {
	title string
	tells string         // what is about to happen
	away  string         // the away mode from now on, "" for the same
	turns []sandbox.Turn // what the model answers; see fill
	wish  wish           // what the person is asked for
	ends  proof          // the journal's entry with which the act is over
	then  string         // what came of it
	proof []proof        // what else the journal holds then, if the person agreed
}

// A wish is what an act asks of the person.
type wish int

const (
	nothing  wish = iota
	allow         // to allow a call
	answer        // to answer a question
	takeBack      // to undo a step
)

// A proof is an entry of the journal, of a kind, whose text holds a text.
type proof struct{ kind, text string }

// What stands in the input of a turn for the person's answer, and for the project's folder.
const (
	answerMark  = "{answer}"
	projectMark = "{project}"
)

// claim is how the session says that it is done.
const claim = "The greeting works.\n<loop-done>COMPLETE</loop-done>"

var story = []act{
	{
		title: "You give a session a task, and leave",
		tells: "You type " + task + "\n" +
			"It may not stop before `sh test.sh` succeeds, or before its fifth try. You leave: afar away on.",
		away: "on",
		ends: proof{"loop.started", "loop 0/5"},
		then: "The loop is on.",
	}, {
		title: "It asks for permission",
		tells: "You are away, so its question comes to you at once.",
		turns: []sandbox.Turn{run("First I run the tests.", "sh test.sh", "Run the tests")},
		wish:  allow,
		ends:  proof{"ask.ran", "failed"},
		then:  "The tests ran, and failed: there is no greeting yet.",
		proof: []proof{{"ask.opened", "sh test.sh"}, {"ask.answered", "allowed by"}},
	}, {
		title: "It asks you a question of its own",
		tells: "The tests miss a greeting, and the session does not want to guess.",
		turns: []sandbox.Turn{{Text: "The tests want a greeting.", Tool: "AskUserQuestion", Input: asking}},
		wish:  answer,
		ends:  proof{"ask.ran", "the session goes on"},
		then:  "The session goes on with your answer.",
		proof: []proof{{"ask.opened", question}, {"ask.answered", "answered by"}},
	}, {
		title: "It tries something that must never run",
		tells: "It runs git push --force origin main.",
		turns: []sandbox.Turn{run("I publish what I have.", "git push --force origin main", "Publish the work")},
		ends:  proof{"guard.denied", "git.push-force-main"},
		then:  "The guard denies it in every permission mode. Nobody is asked.",
	}, {
		title: "It says that it is done, and is not",
		tells: "The loop believes its check and not the word \"done\".",
		turns: []sandbox.Turn{
			sandbox.Say(claim),
			{Text: "The check is right.", Tool: "Write", Input: greeting},
		},
		ends: proof{"loop.checked", "greeting.txt is missing"},
		then: "The check is red: greeting.txt is missing. The session goes back to work.",
	}, {
		title: "It wants to clean up, and would delete your drafts",
		tells: "git does not have the files in drafts, so Afar keeps a copy before it asks you.",
		turns: []sandbox.Turn{
			run("The greeting is there. I clean up before I say so.", "git clean -fd drafts", "Clean up"),
		},
		wish:  allow,
		ends:  proof{"ask.ran", "ran ok"},
		then:  "The drafts are gone.",
		proof: []proof{{"undo.taken", "snapshot"}, {"ask.answered", "allowed by"}},
	}, {
		title: "The loop comes to its end, and proves it",
		tells: "You are back: afar away off. The session says once more that it is done.",
		away:  "off",
		turns: []sandbox.Turn{sandbox.Say(claim)},
		ends:  proof{"loop.ended", "done (proven)"},
		then:  "The check is green, and the loop ends: done (proven).",
		proof: []proof{{"loop.checked", "green"}},
	}, {
		title: "You take a step back",
		tells: "The drafts were worth keeping after all.",
		wish:  takeBack,
		ends:  proof{"undo.restored", "2 files restored"},
		then:  "The drafts are back: 2 files restored.",
	},
}

// greeting is the input of the call that writes the greeting.
var greeting = map[string]any{"file_path": projectMark + "/greeting.txt", "content": answerMark + "\n"}

// run is a turn in which the model says something and runs a command.
func run(says, command, description string) sandbox.Turn {
	t := sandbox.Bash(command, description)
	t.Text = says
	return t
}

// asking is the input of the session's question.
var asking = map[string]any{"questions": []any{map[string]any{
	"question":    question,
	"header":      "Greeting",
	"multiSelect": false,
	"options": []any{
		map[string]any{"label": "Hello", "description": "short, and right for everybody"},
		map[string]any{"label": "Good day", "description": "a little more polite"},
	},
}}}
