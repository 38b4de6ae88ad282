package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// callFor is longer than the longest wait of any operation.
const callFor = 30 * time.Second

func newCall(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "call OP [JSON]", Short: "Make one raw request and print the raw reply", Args: cobra.ArbitraryArgs,
		Example: "afar call status\nafar call away '{\"mode\":\"on\"}'",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage("afar call needs an operation, such as status, and at most one " +
					"JSON object")
			}
			if args[0] == string(wire.OpConsultBegin) || args[0] == string(wire.OpConsultEnd) {
				return usage("only afar consult may report a consultation to the coordinator")
			}
			body := json.RawMessage("{}")
			if len(args) == 2 {
				body = json.RawMessage(args[1])
			}
			if !json.Valid(body) {
				return usage("the request's body is not valid JSON")
			}
			return a.rawCall(c, args[0], body)
		},
	}
}

// rawCall prints the reply unchanged, even a refusal. The exit code says which it is.
func (a *app) rawCall(c *cobra.Command, op string, body json.RawMessage) error {
	return a.exchange(c.Context(), op, body, nil, func(cl *client.Client, r wire.Request) ([]byte, error) {
		line, err := cl.Call(r, time.Now().Add(callFor))
		if err != nil {
			line, err = cl.CallStarting(r, time.Now().Add(startFor))
		}
		if err == nil {
			fmt.Fprintf(a.stdout, "%s\n", line)
		}
		return line, err
	})
}
