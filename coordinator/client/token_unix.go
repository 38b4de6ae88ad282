//go:build unix

package client

import (
	"fmt"
	"os"
	"strings"
)

const (
	tokenVar  = "AFAR_TELEGRAM_TOKEN="
	tokenFile = "AFAR_TELEGRAM_TOKEN_FILE="
)

// handDown moves the bot's token from the environment of a coordinator to a pipe.
// The coordinator reads the pipe at its start, as descriptor 3. Other processes
// can read the environment of a process for as long as it lives. Without a token
// the pipe is nil.
func handDown(env []string) (rest []string, pipe *os.File, err error) {
	token := ""
	for _, v := range env {
		switch value, found := strings.CutPrefix(v, tokenVar); {
		case found:
			token = value
		case !strings.HasPrefix(v, tokenFile):
			rest = append(rest, v)
		}
	}
	if token == "" {
		return env, nil, nil
	}
	pipe, in, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("hand the token down: %w", err)
	}
	defer in.Close()
	if _, err := in.WriteString(token); err != nil { // it fits: a token is far shorter than a pipe's buffer
		pipe.Close()
		return nil, nil, fmt.Errorf("hand the token down: %w", err)
	}
	return append(rest, tokenFile+"/dev/fd/3"), pipe, nil
}
