// Package mods finds the mods that Claude Code would load: plugins with a module
// that runs inside the client and may overrule hooks. It only reads
// files, and ignores what it cannot read.
package mods

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Mod is one enabled plugin with a module.
type Mod struct {
	ID     string   // as the host names it
	Dir    string   // its directory
	Events []string // those that can overrule or silence a hook
}

// mostRead is how much of one file is read, in bytes.
const mostRead = 1 << 20

// Find returns the mods that a session in project would load and that can overrule or
// silence a hook, without the plugin own. hostDir is Claude Code's configuration directory.
func Find(hostDir, project, own string) (found []Mod) {
	seen := map[string]bool{own: true}
	for _, p := range plugins(hostDir, project) {
		events := deciding(p.Dir)
		if len(events) == 0 || seen[p.ID] {
			continue
		}
		seen[p.ID] = true
		found = append(found, Mod{p.ID, p.Dir, events})
	}
	return found
}

// plugins lists the enabled plugins with the directories that they may lie in.
func plugins(hostDir, project string) (all []Mod) {
	on := enabled(hostDir, project)
	var installed struct {
		Plugins map[string][]struct {
			InstallPath string `json:"installPath"`
		} `json:"plugins"`
	}
	read(filepath.Join(hostDir, "plugins", "installed_plugins.json"), &installed)
	var markets map[string]struct {
		InstallLocation string `json:"installLocation"`
	}
	read(filepath.Join(hostDir, "plugins", "known_marketplaces.json"), &markets)
	for id := range on {
		if !on[id] {
			continue
		}
		for _, p := range installed.Plugins[id] {
			all = append(all, Mod{ID: id, Dir: p.InstallPath})
		}
		name, market, _ := strings.Cut(id, "@")
		if at := markets[market].InstallLocation; at != "" {
			all = append(all, Mod{ID: id, Dir: filepath.Join(at, source(at, name))})
		}
	}
	for _, dir := range []string{filepath.Join(hostDir, "skills"), filepath.Join(project, ".claude", "skills")} {
		all = append(all, pluginsIn(dir, "@skills-dir", on)...)
	}
	sessions, _ := filepath.Glob(filepath.Join(hostDir, "dev-mods", "*"))
	for _, dir := range sessions {
		all = append(all, pluginsIn(dir, "@dev-mods", on)...)
	}
	slices.SortStableFunc(all, func(a, b Mod) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// enabled returns which plugins the settings switch on or off. The file nearest to the
// project counts.
func enabled(hostDir, project string) map[string]bool {
	on := map[string]bool{}
	for _, path := range SettingsFiles(hostDir, project) {
		var settings struct {
			EnabledPlugins map[string]any `json:"enabledPlugins"`
		}
		read(path, &settings)
		for id, value := range settings.EnabledPlugins {
			on[id] = value != false && value != nil
		}
	}
	return on
}

// source returns the path of a plugin inside a marketplace.
func source(market, name string) string {
	var manifest struct {
		Plugins []struct {
			Name   string `json:"name"`
			Source any    `json:"source"`
		} `json:"plugins"`
	}
	read(filepath.Join(market, ".claude-plugin", "marketplace.json"), &manifest)
	for _, p := range manifest.Plugins {
		if p.Name == name {
			path, _ := p.Source.(string)
			return path
		}
	}
	return ""
}

// pluginsIn returns the plugins in a directory that are not switched off.
func pluginsIn(dir, suffix string, on map[string]bool) (all []Mod) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		id := e.Name() + suffix
		if is, said := on[id]; !said || is {
			all = append(all, Mod{ID: id, Dir: filepath.Join(dir, e.Name())})
		}
	}
	return all
}

// deciding lists the events of a plugin's modules that can overrule or silence a
// hook, sorted.
func deciding(dir string) (events []string) {
	for _, file := range hookFiles(dir) {
		for _, module := range modulesOf(file) {
			events = append(events, decidingEvents(module)...)
		}
	}
	slices.Sort(events)
	return slices.Compact(events)
}

// modulesOf returns the paths of the modules that a file of hooks names.
func modulesOf(file string) (paths []string) {
	var hooks struct {
		Modules []string `json:"modules"`
	}
	read(file, &hooks)
	for _, m := range hooks.Modules {
		paths = append(paths, filepath.Join(filepath.Dir(file), m))
	}
	return paths
}

// hookFiles lists the files in which a plugin may name modules.
func hookFiles(dir string) []string {
	files := []string{filepath.Join(dir, "hooks", "hooks.json")}
	var manifest struct {
		Hooks any `json:"hooks"`
	}
	read(filepath.Join(dir, ".claude-plugin", "plugin.json"), &manifest)
	named, _ := manifest.Hooks.([]any)
	for _, name := range append(named, manifest.Hooks) {
		if text, ok := name.(string); ok {
			files = append(files, filepath.Join(dir, text))
		}
	}
	return files
}

// registers finds the events of a module: the host takes no other form.
var registers = regexp.MustCompile("\\bon\\(\\s*[\"'`]([^\"'`]+)[\"'`]")

// decidingEvents returns the events of one module that decides names, "unreadable" for a
// module that cannot be read.
func decidingEvents(path string) (events []string) {
	text, ok := readText(path)
	if !ok {
		return []string{"unreadable"}
	}
	for _, m := range registers.FindAllStringSubmatch(text, -1) {
		if decides(m[1]) {
			events = append(events, m[1])
		}
	}
	return events
}

// guarded are the events on which a hook can overrule or silence the guard.
var guarded = []string{
	"tool.call", "tool.check", "tool.judge", "tool.run", "plugin.register",
	"classic.PreToolUse", "classic.PreSkillShellCommand", "classic.PermissionRequest", "classic.ConfigChange",
	"classic.SessionStart", "classic.PostToolUse",
}

// decides reports whether an event is one of guarded, or a prefix of one with a star.
func decides(event string) bool {
	prefix, isPrefix := strings.CutSuffix(event, "*")
	if !isPrefix {
		return slices.Contains(guarded, event)
	}
	return slices.ContainsFunc(guarded, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

func read(path string, into any) {
	if text, ok := readText(path); ok {
		_ = json.Unmarshal([]byte(text), into) // fields of another type stay empty
	}
}

func readText(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostRead))
	return strings.TrimPrefix(string(raw), "\ufeff"), err == nil
}
