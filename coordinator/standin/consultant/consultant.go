// Package consultant stands in for the programs that Afar consults: codex, gemini
// and claude. Each is as strict about its arguments as the real one (codex 0.169,
// gemini 0.61, claude 2.1). A file next to the program holds its answer.
package consultant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names are the programs that Main can be.
var Names = []string{"codex", "gemini", "claude"}

// Install makes this test binary available as the named program in dir. Its TestMain
// calls Main first. says is the answer, see Main.
func Install(dir, name, says string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
		return err
	}
	return Says(dir, name, says)
}

// Says changes the answer of the program in dir.
func Says(dir, name, says string) error {
	return os.WriteFile(filepath.Join(dir, name+".says"), []byte(says), 0o600)
}

// Calls returns the input of each call of the program in dir, oldest first: its
// arguments, its directory and the files there, its environment, its stdin.
func Calls(dir, name string) []string {
	raw, _ := os.ReadFile(filepath.Join(dir, name+".calls"))
	_, all, _ := strings.Cut(string(raw), separator)
	if all == "" {
		return nil
	}
	return strings.Split(all, separator)
}

const separator = "\x1e"

// Main returns at once unless this process was started under one of Names. Else it acts
// as that program, and exits. The file NAME.says next to the program holds the answer.
// In it, {{approve}} and {{reject}} are replaced by the verdict lines that the prompt
// offers, and {{input}} by the prompt. With a first line "exit N" the program prints the
// rest to stderr and exits with N. With "sleep" it sleeps for a minute. Claude with a JSON schema
// prints a report around the answer, see Cost.
func Main() {
	name := filepath.Base(os.Args[0])
	if slices.Contains(Names, name) {
		os.Exit(run(name, os.Args[0], os.Args[1:]))
	}
}

func run(name, path string, args []string) int {
	if why := Refuses(name, args); why != "" {
		fmt.Fprintln(os.Stderr, why)
		return 2
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil || len(input) == 0 {
		fmt.Fprintln(os.Stderr, "Error: Input must be provided through stdin")
		return 1
	}
	if !filepath.IsAbs(path) {
		path, _ = filepath.Abs(path)
	}
	record(path, args, string(input))
	if slices.Contains(args, "--json-schema") {
		return report(path+".says", string(input))
	}
	return answer(path+".says", string(input), os.Stdout)
}

// Cost is what a question with a JSON schema costs claude, in US dollars.
const Cost = 0.02

// report answers as claude does with --output-format json: an answer that is no JSON is a text
// and not a structured one.
func report(file, input string) int {
	var text bytes.Buffer
	if code := answer(file, input, &text); code != 0 {
		return code
	}
	out := map[string]any{"type": "result", "is_error": false, "result": text.String(), "total_cost_usd": Cost}
	if json.Valid(text.Bytes()) {
		out["structured_output"] = json.RawMessage(text.Bytes())
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return 1
	}
	return 0
}

func record(path string, args []string, input string) {
	f, err := os.OpenFile(path+".calls", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	cwd, _ := os.Getwd()
	var names []string
	entries, _ := os.ReadDir(cwd)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	fmt.Fprintf(
		f, "%sargs %q\ncwd %s %q\nenv %s\n%s", separator, args, cwd, names, strings.Join(os.Environ(), " "), input,
	)
}

var offered = regexp.MustCompile(`(?m)^AFAR-VERDICT \S+ \S+ (APPROVED|CHANGES_REQUESTED)$`)

func answer(file, input string, to io.Writer) int {
	raw, err := os.ReadFile(file)
	if err != nil {
		raw = []byte("An opinion.")
	}
	text := string(raw)
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "exit ") {
		fmt.Fprint(os.Stderr, rest)
		code, _ := strconv.Atoi(strings.TrimPrefix(first, "exit "))
		return code
	} else if first == "sleep" {
		time.Sleep(time.Minute)
		return 0
	}
	for _, line := range offered.FindAllString(input, -1) {
		word := "{{approve}}"
		if strings.HasSuffix(line, "REQUESTED") {
			word = "{{reject}}"
		}
		text = strings.ReplaceAll(text, word, line)
	}
	fmt.Fprint(to, strings.ReplaceAll(text, "{{input}}", input))
	return 0
}
