package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newGuardTrust(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "trust FILE", Short: "Let a project's guard.toml turn asks off, as it is now",
		Example: "afar guard trust .afar/guard.toml",
		Args:    exactly("a project's guard.toml"),
		Long: "A project's guard.toml only makes rules stricter until you accept its exact content. Then it may " +
			"turn\n" +
			"asks off as well, in its directory and below; never a built-in deny. Any change ends the trust.\n" +
			"A decision of yours: it is taken from a terminal of your own, never from inside a session.",
	}
	forget := c.Flags().Bool("forget", false, "take the trust back")
	asJSON := jsonFlag(c, "path, hash, trusted, off: the rules that no longer ask")
	c.RunE = func(c *cobra.Command, args []string) error {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if *forget {
			return a.forgetPolicy(c.Context(), path, *asJSON)
		}
		return a.trustPolicy(c.Context(), path, *asJSON)
	}
	return c
}

func (a *app) trustPolicy(ctx context.Context, path string, asJSON bool) error {
	f, err := policy.Project(path)
	if err != nil {
		return err
	}
	in := wire.PolicyTrustRequest{Path: path, Hash: hashOf(f)}
	return read(ctx, a, wire.OpPolicyTrust, in, asJSON, renderTrusted)
}

func renderTrusted(p *terminal.Page, out wire.PolicyTrustReply) {
	path := out.Path
	p.Line("Trusted: %s, sha256 %s", p.Path(path), out.Hash[:16])
	if len(out.Off) == 0 {
		p.Line("It turns no ask off; what makes rules stricter held already.")
		return
	}
	p.Line("In %s and below these no longer ask, until the file changes:", p.Path(filepath.Dir(path)))
	var rows [][]string
	for _, id := range out.Off {
		rows = append(rows, []string{p.Paint(terminal.Bold, id), terminal.OneLine(whyOf(id), 100)})
	}
	p.Table(rows)
}

// hashOf returns the SHA-256 of a policy's content in hex, "" for a broken policy.
func hashOf(f policy.File) string {
	if f.Text == nil {
		return ""
	}
	sum := sha256.Sum256(f.Text)
	return hex.EncodeToString(sum[:])
}

func whyOf(id string) string {
	for _, r := range guard.Rules() {
		if r.ID == id {
			return r.Why
		}
	}
	return ""
}

func (a *app) forgetPolicy(ctx context.Context, path string, asJSON bool) error {
	in := wire.PolicyTrustRequest{Path: path, Forget: true}
	return read(ctx, a, wire.OpPolicyTrust, in, asJSON, func(p *terminal.Page, _ wire.PolicyTrustReply) {
		p.Line("No longer trusted: %s. It only makes rules stricter now.", p.Path(path))
	})
}
