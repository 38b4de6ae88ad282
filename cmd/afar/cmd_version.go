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

// release is the version of this source. The plugin's manifest has the same.
const release = "0.2.0"

// stamped returns the version and the commit that this program was built from, as set by
// the linker or recorded by Go. An unknown commit is "".
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

// vcsCommit returns the commit that Go recorded in a program, in the form of
// plugin/commit.sh.
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

// versionText returns the version for people, with its commit if that is known.
func versionText() string {
	number, from := stamped()
	if from == "" {
		return number
	}
	return number + " (" + from + ")"
}
