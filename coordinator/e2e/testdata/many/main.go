// Many plays many hooks in one process: it opens asks and holds a connection
// that waits on each. Each client that is named has one session. It is a program of its own because the coordinator takes
// hook operations from the hook binaries alone.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// waiting keeps the connections from being closed as unused.
var waiting []net.Conn

func main() {
	n, err := strconv.Atoi(os.Args[2])
	check(err)
	clients := os.Args[4:]
	for i := range n {
		of := i % len(clients)
		body := fmt.Sprintf(`{"ask":"ask_%020d","kind":"permission","attended":true,"client":%s,"payload":{"session_id":"many-%d","hook_event_name":"PermissionRequest",`+
			`"cwd":%q,"tool_name":"Bash","tool_input":{"command":"make target-%d && %s"}}}`, i, clients[of], of, os.Args[3], i, strings.Repeat("x", 200))
		c := send("hook.ask.open", body)
		line, err := bufio.NewReader(c).ReadString('\n')
		check(err)
		if !strings.Contains(line, `"open"`) {
			panic(line)
		}
		c.Close()
	}
	for i := range n {
		waiting = append(waiting, send("hook.ask.wait", fmt.Sprintf(`{"ask":"ask_%020d","wait_ms":300000}`, i)))
	}
	fmt.Println("ready")
	select {}
}

func send(op, body string) net.Conn {
	c, err := net.Dial("unix", os.Args[1])
	check(err)
	_, err = fmt.Fprintf(c, `{"v":1,"op":%q,"body":%s}`+"\n", op, body)
	check(err)
	return c
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
