// Package agent is a stand-in for agents: a program that does what its prompt says, in the
// protocol of each agent that Afar can drive.
//
// A prompt is a list of steps, one in each line: a word, and what follows it.
//
//	text TEXT      says something
//	think TEXT     thinks
//	tool COMMAND   runs a command without asking
//	ask COMMAND    asks whether it may run a command, and runs it after a yes
//	usage          tells how full the conversation is
//	unknown        sends a message that nobody knows
//	garbage        prints a line that is no message
//	hang           does nothing until it is told to end
//	silence        does nothing, whatever it is told
//	crash          ends with SIGKILL
//	exit CODE      ends without a result
//	stay           does not end after the result, or when nobody talks with it any more
//	history        says which prompts it got before
//
// Lines of another form are ignored. At the end it tells its result, "did N steps". When it is
// told that its person has answered, it does what the first line of its first prompt says again.
//
// Each text that it is given is a line of the transcript of its conversation, CONVERSATION.jsonl
// in the directory that STANDIN_DIR names.
package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Variable names the stand-in that a program is.
const Variable = "STANDIN_AGENT"

// The stand-ins.
const (
	Claude = "claude"
	ACP    = "acp"
	Codex  = "codex"
)

// Main turns this process into a stand-in if Variable names one.
func Main() {
	switch os.Getenv(Variable) {
	case Claude:
		claudeMain()
		os.Exit(0)
	case ACP:
		acpMain()
		os.Exit(0)
	case Codex:
		codexMain()
		os.Exit(0)
	}
}

// answered is what Afar tells an agent whose person has answered a parked question.
const answered = "the person has answered"

// A face is how the stand-in speaks in one protocol.
type face interface {
	text(said string)
	think(said string)
	// tool tells that a tool was called and what it came to.
	tool(id, command, result string, failed bool)
	// ask asks whether a command may run. It says no if the turn is over.
	ask(id, command string) bool
	usage()
	unknown()
	result(said string)
	// told is closed when the turn shall end.
	told() <-chan struct{}
}

// play does what a prompt says.
func play(f face, prompt string, earlier []string) {
	done := 0
	for line := range strings.Lines(script(prompt, earlier)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id := "call-" + strconv.Itoa(len(earlier)) + "-" + strconv.Itoa(done)
		switch word {
		case "text":
			f.text(rest)
		case "think":
			f.think(rest)
		case "tool":
			out, err := run(rest)
			f.tool(id, rest, out, err != nil)
		case "ask":
			askAndRun(f, id, rest)
		case "usage":
			f.usage()
		case "unknown":
			f.unknown()
		case "garbage":
			fmt.Println(`{"half a mess`)
		case "hang":
			<-f.told()
			return
		case "silence":
			keepSilent()
		case "crash":
			crash()
		case "exit":
			code, _ := strconv.Atoi(rest)
			os.Exit(code)
		case "stay":
			stays = true
		case "history":
			f.text("before: " + strings.Join(earlier, ", "))
		default:
			continue
		}
		done++
	}
	f.result("did " + strconv.Itoa(done) + " steps")
}

// script returns what a prompt says to do. One that brings an answer says the first prompt again.
func script(prompt string, earlier []string) string {
	if strings.Contains(prompt, answered) && len(earlier) > 0 {
		return prompt + "\n" + earlier[0]
	}
	return prompt
}

// askAndRun runs a command if the person allows it.
func askAndRun(f face, id, command string) {
	if !f.ask(id, command) {
		f.tool(id, command, "refused", true)
		return
	}
	out, err := run(command)
	f.tool(id, command, out, err != nil)
}

// stays is true if the stand-in shall not end by itself, also if nobody talks with it any more.
var stays bool

// keepSilent never comes back.
func keepSilent() {
	for {
		time.Sleep(time.Hour)
	}
}

// crash ends this process as the system would.
func crash() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

func run(command string) (string, error) {
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	return string(out), err
}

// remember notes a prompt of a conversation, and returns those before it. They are in the
// directory that STANDIN_DIR names.
func remember(conversation, prompt string) (earlier []string, err error) {
	path := filepath.Join(os.Getenv("STANDIN_DIR"), "conversation-"+conversation)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		earlier = append(earlier, lines.Text())
	}
	first, rest, _ := strings.Cut(prompt, "\n")
	if strings.HasPrefix(first, "This turn works behind a wall") { // Afar's own words before those of the person
		first, _, _ = strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
	}
	_, err = fmt.Fprintln(f, first)
	return earlier, err
}

// transcript returns the path of the transcript of a conversation.
func transcript(conversation string) string {
	return filepath.Join(os.Getenv("STANDIN_DIR"), conversation+".jsonl")
}

// hear writes a text that was given to a conversation into its transcript, as Claude Code does.
func hear(conversation, text string) {
	line, _ := json.Marshal(map[string]any{
		"type": "user", "timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"message": map[string]string{"role": "user", "content": text},
	})
	f, err := os.OpenFile(transcript(conversation), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		f.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// noteArgs notes how the stand-in was started, for the test.
func noteArgs() {
	note := strings.Join(os.Args, "\n") + "\n" + strings.Join(os.Environ(), "\n") + "\n\n"
	f, err := os.OpenFile(filepath.Join(os.Getenv("STANDIN_DIR"), "started"),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, _ = f.WriteString(note)
		f.Close()
	}
}
