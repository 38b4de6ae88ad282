//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpName is the program of a script that calls a tool with the client of the official SDK:
//
//	mcp [-stdio] [-host HOST] [-origin ORIGIN] [-token TOKEN] TOOL CALL ARGUMENTS
//	mcp [-stdio] list
//
// Over HTTP it uses URL and TOKEN of its environment. CALL is the id that Claude Code gives to
// a tool call. `client @mcp …` has the script's client make the call itself.
const mcpName = "mcp"

// mcpMain runs this binary as that program.
func mcpMain() {
	if filepath.Base(os.Args[0]) == mcpName {
		os.Exit(callTool(os.Args[1:], os.Getenv, os.Stdout))
	}
}

// An mcpCall is the command line.
type mcpCall struct {
	stdio               bool
	host, origin, token string
	args                []string
}

func callTool(args []string, getenv func(string) string, out io.Writer) int {
	var c mcpCall
	set := flag.NewFlagSet(mcpName, flag.ContinueOnError)
	set.BoolVar(&c.stdio, "stdio", false, "")
	set.StringVar(&c.host, "host", "", "")
	set.StringVar(&c.origin, "origin", "", "")
	set.StringVar(&c.token, "token", getenv("TOKEN"), "")
	err := set.Parse(args)
	c.args = set.Args()
	if err == nil {
		err = c.run(getenv, out)
	}
	if err != nil {
		fmt.Fprintf(out, "mcp: %v\n", err)
		return 1
	}
	return 0
}

func (c mcpCall) run(getenv func(string) string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, c.transport(getenv), nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.args[0] == "list" {
		return listTools(ctx, s, out)
	}
	in := &mcp.CallToolParams{Name: c.args[0], Arguments: json.RawMessage(c.args[2])}
	if c.args[1] != "" {
		in.Meta = mcp.Meta{"claudecode/toolUseId": c.args[1]}
	}
	r, err := s.CallTool(ctx, in)
	if err != nil {
		return err
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return errors.New(text)
	}
	fmt.Fprintln(out, text)
	return nil
}

func listTools(ctx context.Context, s *mcp.ClientSession, out io.Writer) error {
	all, err := s.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, tool := range all.Tools {
		fmt.Fprintf(out, "%s: %s\n", tool.Name, tool.Description)
	}
	return nil
}

func (c mcpCall) transport(getenv func(string) string) mcp.Transport {
	if c.stdio {
		cmd := exec.Command(filepath.Join(getenv("BIN"), "afar"), "mcp")
		for _, name := range []string{"HOME", "AFAR_HOME", "AFAR_WEB_ADDR", "PATH"} {
			cmd.Env = append(cmd.Env, name+"="+getenv(name))
		}
		return &mcp.CommandTransport{Command: cmd}
	}
	return &mcp.StreamableClientTransport{
		Endpoint:             getenv("URL"),
		HTTPClient:           &http.Client{Transport: c},
		DisableStandaloneSSE: true,
		MaxRetries:           -1,
	}
}

// RoundTrip sends a request with the headers of the call.
func (c mcpCall) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.origin != "" {
		r.Header.Set("Origin", c.origin)
	}
	if c.host != "" {
		r.Host = c.host
	}
	t := &http.Transport{DisableKeepAlives: true}
	return t.RoundTrip(r)
}

// environment returns a lookup in the variables of a command.
func environment(env []string) func(string) string {
	return func(name string) string {
		for _, v := range env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// mostRelay bounds the resident memory of `afar mcp`, in MB.
const mostRelay = 15

// TestRelayEnds: `afar mcp` ends with the agent that started it, even if another process keeps
// its stdin open and the agent is killed. Meanwhile it is small.
func TestRelayEnds(t *testing.T) {
	const relays = 50
	dir := t.TempDir()
	var agents []*exec.Cmd
	var pids []int
	for i := range relays {
		name := filepath.Join(dir, strconv.Itoa(i))
		agent, held := startAgent(t, name)
		defer held.Close()
		agents = append(agents, agent)
	}
	for i := range relays {
		name := filepath.Join(dir, strconv.Itoa(i))
		awaitLine(t, name+".out", "-32700") // it reads its stdin
		pids = append(pids, awaitPID(t, name))
	}
	if mb := residentMB(pids[0]); mb > mostRelay {
		t.Errorf("it takes %.1f MB; want at most %d", mb, mostRelay)
	} else {
		t.Logf("it takes %.1f MB", mb)
	}
	for _, agent := range agents {
		_ = agent.Process.Kill()
		_ = agent.Wait()
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left := 0
		for _, pid := range pids {
			if syscall.Kill(pid, 0) == nil {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d are left", left, relays)
		}
	}
}

// awaitLine waits until a file has a text.
func awaitLine(t *testing.T, file, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if raw, _ := os.ReadFile(file); bytes.Contains(raw, []byte(text)) {
			return
		}
	}
	t.Fatalf("%s does not get %q", file, text)
}

// startAgent starts a process that starts a relay, and returns the other end of the relay's
// stdin. The relay's process id and what it prints are in files.
func startAgent(t *testing.T, name string) (agent *exec.Cmd, held *os.File) {
	t.Helper()
	stdin, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	agent = exec.Command("sh", "-c", `"$0" mcp <&3 >"$1.out" & echo $! >"$1"; wait`,
		filepath.Join(os.Getenv(builtVar), "afar"), name)
	agent.Env = []string{"HOME=" + name, "AFAR_HOME=" + name + ".home", "AFAR_WEB_ADDR=off", "PATH=/usr/bin:/bin"}
	agent.ExtraFiles = []*os.File{stdin}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := held.WriteString("no JSON\n"); err != nil {
		t.Fatal(err)
	}
	return agent, held
}

func awaitPID(t *testing.T, file string) int {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		raw, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(string(bytes.TrimSpace(raw))); err == nil {
			return pid
		}
	}
	t.Fatalf("no process id appears in %s", file)
	return 0
}

// residentMB returns the resident memory of a process, 0 where the system does not say it.
func residentMB(pid int) float64 {
	var size, pages int
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(raw), &size, &pages)
	return float64(pages*os.Getpagesize()) / (1 << 20)
}
