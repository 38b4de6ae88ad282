//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/peer"
)

// The program `client` of a script passes its command line to the script's client, one
// process that runs all hooks of the script, like the client of a session. The sessions end
// with it, see cmdClient. It is not a descendant of the test, because no descendant of a
// client may decide anything.
const (
	asClient = "AFAR_TEST_CLIENT"         // the socket, in the one that hands over
	asHost   = "AFAR_TEST_CLIENT_LISTENS" // the same, in the client itself
)

// clientMain runs this binary as a client if a script started it as one.
func clientMain() {
	mcpMain()
	clockMain()
	if socket := os.Getenv(asHost); socket != "" {
		complain("be a client", listenAsClient(socket))
		os.Exit(1)
	}
	if filepath.Base(os.Args[0]) == "client" {
		os.Exit(handOver(os.Getenv(asClient)))
	}
}

// A hostedRun is one program that the client runs, with its standard files.
type hostedRun struct {
	Args []string
	Env  []string
	Dir  string
}

func listenAsClient(socket string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return err
		}
		go serveRun(conn)
	}
}

// serveRun runs one program and answers with its exit code.
func serveRun(conn *net.UnixConn) {
	defer conn.Close()
	body, files, err := takeRun(conn)
	if err != nil {
		complain("take a command", err)
		return
	}
	code := body.run(files)
	for _, f := range files {
		f.Close()
	}
	_, _ = conn.Write([]byte{byte(code)}) // the caller may have ended
}

// run runs a program and returns its exit code. The client calls a tool and operations itself.
func (r hostedRun) run(files []*os.File) int {
	switch r.Args[0] {
	case "@" + mcpName:
		return callTool(r.Args[1:], environment(r.Env), files[1])
	case "@" + callName:
		return callAll(environment(r.Env), files[0], files[1])
	}
	cmd := exec.Command(home.LookIn(pathOf(r.Env), r.Args[0]), r.Args[1:]...)
	cmd.Env, cmd.Dir = r.Env, r.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	code, err := exitOf(cmd.Run())
	if err != nil {
		complain("run "+r.Args[0], err)
		return 127
	}
	return code
}

func pathOf(env []string) string { return environment(env)("PATH") }

func takeRun(conn *net.UnixConn) (r hostedRun, files []*os.File, err error) {
	room, rights := make([]byte, 1<<16), make([]byte, syscall.CmsgSpace(3*4))
	n, m, _, _, err := conn.ReadMsgUnix(room, rights)
	if err != nil {
		return r, nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:m])
	if err != nil || len(messages) != 1 {
		return r, nil, errors.Join(err, errors.New("the standard files are missing"))
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
		files = append(files, os.NewFile(uintptr(fd), "std"))
	}
	return r, files, errors.Join(err, json.Unmarshal(room[:n], &r))
}

// handOver lets the client run this process's command line and returns its exit code.
func handOver(socket string) int {
	dir, _ := os.Getwd()
	code, err := askClient(socket, hostedRun{os.Args[1:], os.Environ(), dir}, os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		return complain("have the client run a command", err)
	}
	return code
}

// askClient lets the client run a program with three standard files, and returns its exit code.
func askClient(socket string, program hostedRun, std ...*os.File) (code int, err error) {
	conn, err := dialClient(socket)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	body, err := json.Marshal(program)
	if err != nil {
		return 0, err
	}
	var fds []int
	for _, f := range std {
		fds = append(fds, int(f.Fd()))
	}
	if _, _, err := conn.WriteMsgUnix(body, syscall.UnixRights(fds...), nil); err != nil {
		return 0, err
	}
	ended := make([]byte, 1)
	_, err = io.ReadFull(conn, ended)
	return int(ended[0]), err
}

// dialClient connects to the client, and starts it if none is running.
func dialClient(socket string) (*net.UnixConn, error) {
	addr := &net.UnixAddr{Name: socket, Net: "unix"}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.DialUnix("unix", nil, addr)
		if err == nil || time.Now().After(deadline) {
			return conn, err
		}
	}
}

// startClient starts a script's client through a shell that ends at once.
func startClient(work string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", `"$0" </dev/null >/dev/null 2>"$1/client.log" & echo $! >"$1/client.pid"`, exe,
		work)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "AFAR_HOME=" + work, "HOME=" + work, asHost + "=" + clientSocket(work)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

func clientSocket(work string) string { return filepath.Join(work, "client.sock") }

// endClient kills a script's client, and waits until it is dead.
func endClient(work string) error {
	raw, err := os.ReadFile(filepath.Join(work, "client.pid"))
	if err != nil {
		return err
	}
	var pid int
	if _, err := fmt.Sscan(string(raw), &pid); err != nil || pid <= 1 {
		return fmt.Errorf("the client's process id is %q", raw)
	}
	err = errors.Join(syscall.Kill(pid, syscall.SIGKILL), os.Remove(clientSocket(work)))
	for deadline := time.Now().Add(patience); peer.Birth(pid) != "" && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	return err
}

// cmdClient kills the script's client, and so ends its sessions, or replaces it with
// another one.
func cmdClient(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "client dies | another")
	work := ts.Getenv("WORK")
	if args[0] == "dies" {
		ts.Check(endClient(work))
		return
	}
	_ = endClient(work) // it may have died already
	ts.Check(startClient(work))
}
