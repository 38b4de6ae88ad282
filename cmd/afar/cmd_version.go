package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newVersion(a *app) *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: exactly()}
	asJSON := jsonFlag(c, "version, commit, protocol, go, os, arch")
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			number, commit := stamped()
			return a.printJSON(map[string]any{
				"version": number, "commit": commit, "protocol": wire.Version,
				"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		a.say("afar %s", versionText())
		return nil
	}
	return c
}

// release is the version of this source, that of the plugin's manifest.
const release = "0.1.0"

// stamped returns the version and the commit that this program was built from. The
// linker says them, else Go where it looked at the checkout itself; an unknown commit
// is "".
func stamped() (number, from string) {
	number, from = release, commit
	if version != "" {
		number = version
	}
	if from != "" {
		return number, from
	}
	info, _ := debug.ReadBuildInfo()
	return number, vcsCommit(info)
}

// vcsCommit is the commit that Go built into a program, as plugin/commit.sh writes
// it.
func vcsCommit(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	hash := said["vcs.revision"]
	if hash = hash[:min(len(hash), 12)]; hash != "" && said["vcs.modified"] == "true" {
		hash += "-changed"
	}
	return hash
}

// versionText is the version for people, with its commit where that is known.
func versionText() string {
	number, from := stamped()
	if from == "" {
		return number
	}
	return number + " (" + from + ")"
}
