package client

import "net"

func connect(path string) (net.Conn, error) { return net.Dial("unix", path) }
