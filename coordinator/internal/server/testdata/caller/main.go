// The caller makes one call on a socket and hands the reply on. It is a program
// of its own because the server asks the kernel who is calling, and a small one
// because the tests start it often.
package main

import (
	"io"
	"net"
	"os"
	"syscall"
)

func main() {
	if os.Getenv("AFAR_TEST_NOBODY") != "" {
		if err := syscall.Setuid(65534); err != nil {
			panic(err)
		}
	}
	conn, err := net.Dial("unix", os.Getenv("AFAR_TEST_DIAL"))
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(conn, os.Getenv("AFAR_TEST_LINE")) // the server may refuse before it has read it
	_, _ = io.Copy(os.NewFile(3, "reply"), conn)
}
