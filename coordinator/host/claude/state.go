package claude

import "path/filepath"

// TurnNeeds are the folders of the configuration directory without which a turn leaves no conversation.
var TurnNeeds = []string{"projects", "sessions", "backups"}

// TurnWrites are other folders in it that a turn may write. What another session loads is in none:
// settings, plugins, hooks, commands, agents, skills, and the snapshots that its shells read.
var TurnWrites = []string{
	"todos", "tasks", "plans", "file-history", "debug", "statsig", "telemetry", "cache", "paste-cache", "image-cache",
	"usage-data", "jobs",
}

// TurnFinds are folders in it that the host makes for the plugin before its hooks run, and which it only
// has to find: no turn writes them.
var TurnFinds = []string{"plugins/data/afar-afar", "plugins/data/afar-inline"}

// ShellFolder returns the folder in which a session's hooks leave what its shells read.
func ShellFolder(configDir, session string) string {
	return filepath.Join(configDir, "session-env", session)
}
