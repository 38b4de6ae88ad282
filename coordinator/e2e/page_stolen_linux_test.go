package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
)

// thiefOf tells this program to take a connection of another process: its id and the descriptor.
const thiefOf = "AFAR_TEST_THIEF_OF"

func init() {
	if whose := os.Getenv(thiefOf); whose != "" {
		steal(whose)
	}
}

// steal takes a connection, writes the request of its input into it, and prints the reply.
func steal(whose string) {
	pid, fd, _ := strings.Cut(whose, " ")
	process, _ := strconv.Atoi(pid)
	number, _ := strconv.Atoi(fd)
	const pidfdOpen, pidfdGetfd = 434, 438
	holder, _, err := syscall.Syscall(pidfdOpen, uintptr(process), 0, 0)
	taken, _, err2 := syscall.Syscall(pidfdGetfd, holder, uintptr(number), 0)
	if err != 0 || err2 != 0 {
		fmt.Println("cannot take it:", err, err2)
		os.Exit(7)
	}
	conn := os.NewFile(taken, "stolen")
	_, _ = io.Copy(conn, os.Stdin) // the server may have closed it
	reply, _ := io.ReadAll(conn)
	fmt.Printf("%s", reply)
	os.Exit(0)
}

// TestPageStolen: a connection of a browser that a program of a session takes decides nothing: not
// after a request of the browser, and not before one.
func TestPageStolen(t *testing.T) {
	long.InCI(t)
	for name, read := range map[string]bool{"after a page": true, "before any": false} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			conn, err := net.Dial("tcp", s.addr) // this test is the browser
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			cookie := "Cookie: " + s.cookie.Name + "=" + s.cookie.Value
			if read {
				fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", s.addr, cookie)
				r, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || r.StatusCode != http.StatusOK {
					t.Fatalf("the page is %+v, %v", r, err)
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Fatal(err)
				}
			}
			file, err := conn.(*net.TCPConn).File()
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			form := pause.Encode()
			thief := exec.Command("/proc/self/exe")
			thief.Env = append(s.env, "CLAUDECODE=1", fmt.Sprintf("%s=%d %d", thiefOf, os.Getpid(), file.Fd()))
			thief.Stdin = strings.NewReader(fmt.Sprintf("POST /pause HTTP/1.1\r\nHost: %s\r\n%s\r\n"+
				"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
				s.addr, cookie, len(form), form))
			out, err := thief.CombinedOutput()
			if err != nil && strings.Contains(string(out), "cannot take it") {
				t.Skipf("%s", out) // this system keeps processes apart
			}
			if err != nil {
				t.Errorf("%v %.300q", err, out)
			}
			s.unchanged("a stolen connection")
		})
	}
}
