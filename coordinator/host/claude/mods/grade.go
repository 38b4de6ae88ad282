package mods

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Grade says how hard it is to get past the guard.
type Grade string

// The grades, each with what it promises.
const (
	// Plain: the plugin alone. Any other mod can overrule the guard, and any
	// settings file can switch it off for the sessions that start with it.
	Plain Grade = "plain"
	// Held: Afar's mod comes first, so that other mods do not overrule what the guard
	// denied or asked. A mod that answers calls itself still gets past it, and a
	// project's settings can still start a session without it; both raise an alarm.
	Held Grade = "held"
	// Locked: settings that only root writes keep the plugin on, the hooks on, and
	// other mods out.
	Locked Grade = "locked"
)

// GradeOf returns the grade that holds for a person's sessions, and why it is no
// better. root is the plugin's directory, id what the host calls the plugin.
func GradeOf(hostDir, root, id string) (Grade, string) {
	lock, others := managed(id)
	paths := strings.Join(others, ", ")
	switch {
	case paths == "" && lock:
		return Locked, ""
	case lock:
		return Plain, "there are other managed settings next to Afar's lock, which was not tried: " + paths
	case paths != "":
		return Plain, "managed settings make Claude Code ignore which mod comes first: " + paths
	}
	var settings struct {
		PrependPlugins []string `json:"prependPlugins"`
	}
	read(filepath.Join(hostDir, "settings.json"), &settings)
	switch {
	case slices.Index(settings.PrependPlugins, id) != 0:
		return Plain, id + " is not the first of prependPlugins in " + filepath.Join(hostDir, "settings.json")
	case !slices.Contains(moduleFiles(root), "hold.mjs"):
		return Plain, "the plugin in " + root + " has no hold"
	}
	return Held, ""
}

// moduleFiles returns the names of the modules of Afar's plugin.
func moduleFiles(root string) (names []string) {
	for _, path := range modulesOf(filepath.Join(root, "plugin", "hooks.json")) {
		if _, ok := readText(path); ok {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// ManagedDir returns the directory in which this system keeps settings that only root
// writes.
func ManagedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// LockFile returns the path of the lock.
func LockFile() string { return filepath.Join(ManagedDir(), "managed-settings.d", "50-afar.json") }

// A dropIn is the content of the lock. It overrides every settings file of a person, of
// a project and of a command line.
type dropIn struct {
	DisableAllHooks bool            `json:"disableAllHooks"`
	EnabledPlugins  map[string]bool `json:"enabledPlugins"`
	Marketplaces    map[string]any  `json:"extraKnownMarketplaces"`
	PrependPlugins  []string        `json:"prependPlugins"`
	PluginConfigs   map[string]any  `json:"pluginConfigs"`
}

// ownMods is the host's own plugin that keeps the mods of others out, once
// managed settings say so.
const ownMods = "cc-plugin-sec-default@builtin"

// Lock returns the text of the lock for the plugin id, whose marketplace is the
// directory root.
func Lock(root, id string) []byte {
	_, market, _ := strings.Cut(id, "@")
	text, _ := json.MarshalIndent(dropIn{
		EnabledPlugins: map[string]bool{id: true},
		Marketplaces: map[string]any{
			market: map[string]any{"source": map[string]any{"source": "directory", "path": root}},
		},
		PrependPlugins: []string{id, "sec-default@builtin"},
		PluginConfigs: map[string]any{
			ownMods: map[string]any{"options": map[string]any{"allowManagedModsOnly": true}},
		},
	}, "", "  ") // strings and a path always encode
	return append(text, '\n')
}

// Locks reports whether text is a lock as Lock writes it, and for which root.
func Locks(text []byte, id string) (root string, ok bool) {
	_, market, _ := strings.Cut(id, "@")
	var d struct {
		Marketplaces map[string]struct {
			Source struct {
				Path string `json:"path"`
			} `json:"source"`
		} `json:"extraKnownMarketplaces"`
	}
	if json.Unmarshal(text, &d) != nil {
		return "", false
	}
	root = d.Marketplaces[market].Source.Path
	return root, string(Lock(root, id)) == string(text)
}

// managed reports whether Afar's lock is in force, and which other managed settings there
// are. It ignores empty files.
func managed(id string) (lock bool, others []string) {
	dropIns, _ := filepath.Glob(filepath.Join(ManagedDir(), "managed-settings.d", "*.json"))
	for _, path := range append(dropIns, filepath.Join(ManagedDir(), "managed-settings.json")) {
		text, ok := readText(path)
		if !ok || empty(text) {
			continue
		}
		if _, is := Locks([]byte(text), id); is && path == LockFile() && onlyRootWrites(path) {
			lock = true
			continue
		}
		others = append(others, path)
	}
	return lock, others
}

func empty(text string) bool {
	var all map[string]any
	return json.Unmarshal([]byte(text), &all) == nil && len(all) == 0
}

// onlyRootWrites reports whether only root may write a file.
func onlyRootWrites(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	return info.Mode().Perm()&0o022 == 0 && ownedByRoot(info)
}

// Sandboxed reports whether the settings that a session in project reads switch the host's sandbox
// on. The file nearest to the project counts.
func Sandboxed(hostDir, project string) bool {
	var settings struct {
		Sandbox struct {
			Enabled bool `json:"enabled"`
		} `json:"sandbox"`
	}
	for _, path := range SettingsFiles(hostDir, project) {
		read(path, &settings)
	}
	return settings.Sandbox.Enabled
}

// SettingsFiles returns the settings files that sessions in a project read, the nearest to it last.
// An empty project is none.
func SettingsFiles(hostDir, project string) []string {
	files := []string{filepath.Join(hostDir, "settings.json")}
	if project != "" {
		files = append(files, filepath.Join(project, ".claude", "settings.json"),
			filepath.Join(project, ".claude", "settings.local.json"))
	}
	return files
}

// HooksOff reports whether a settings file of the host switches all hooks off.
func HooksOff(path string) bool {
	var settings struct {
		DisableAllHooks bool `json:"disableAllHooks"`
	}
	read(path, &settings)
	return settings.DisableAllHooks
}
