package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newVersion(a *app) *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: exactly()}
	asJSON := jsonFlag(c, "version, protocol, go, os, arch")
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return a.printJSON(map[string]any{
				"version": versionText(), "protocol": wire.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		a.say("afar %s", versionText())
		return nil
	}
	return c
}

// versionText is the version that the linker set, else that of the module, else
// "devel".
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
