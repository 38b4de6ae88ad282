package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxSettings is the largest settings file that is read. The host's own are a
// few kilobytes.
const maxSettings = 1 << 20

// configChange blocks a change of settings that would switch Afar off in the
// running session. When the host accepts a change, it reads all its settings files
// again, including one whose own change was blocked before. So configChange looks
// at every file, whichever of them changed.
func configChange(h *hook) error {
	for _, file := range h.settingsFiles() {
		why, err := h.switchesOff(file)
		if errors.Is(err, hostjson.ErrInvalid) && file.path != h.str(claude.FieldFile) {
			continue // the host passes over such a file
		}
		if err != nil {
			why = err.Error()
		}
		if why != "" {
			return h.blockConfig(file.path, why)
		}
	}
	return nil
}

// A settingsFile is one of the host's settings files.
type settingsFile struct {
	path string
	user bool // the person's own file, the only one whose prependPlugins counts
}

// settingsFiles returns the settings files that the host reads for the session,
// and the one that changed. Managed settings are left out: only root can write
// them, and the host does not let a hook block them.
func (h *hook) settingsFiles() []settingsFile {
	files := []settingsFile{{filepath.Join(h.hostDir(), "settings.json"), true}}
	project := cmp.Or(h.getenv.Project(), h.str(claude.FieldCwd))
	for _, name := range []string{"settings.json", "settings.local.json"} {
		files = append(files, settingsFile{path: filepath.Join(project, ".claude", name)})
	}
	changed := h.str(claude.FieldFile)
	if slices.ContainsFunc(files, func(f settingsFile) bool { return f.path == changed }) {
		return files
	}
	source := h.str(claude.FieldSource)
	if changed == "" || !strings.HasSuffix(source, "_settings") || source == "policy_settings" {
		return files
	}
	return append(files, settingsFile{changed, source == "user_settings"})
}

// hostDir returns the host's configuration directory. A transcript lies in
// <dir>/projects/<project>/<session>.jsonl.
func (h *hook) hostDir() string {
	return cmp.Or(claude.ConfigDir(h.str(claude.FieldTranscript)), h.getenv.ConfigDir(), h.client.Dirs.HostDir())
}

// switchesOff returns what in a settings file would switch Afar off, "" for
// nothing. It returns an error if the file cannot be read: it may hold anything.
func (h *hook) switchesOff(file settingsFile) (string, error) {
	settings, err := readSettings(file.path)
	if err != nil {
		return "", err
	}
	held := file.user && home.Marked(h.client.Dirs.HoldMark())
	why, first := "", !held
	for name, value := range settings.Members() { // of members of one name the host takes the last
		switch name {
		case "disableAllHooks":
			why = hooksOff(value)
		case "enabledPlugins":
			why = pluginOff(value)
		case "env":
			why = h.movedDir(value)
		case "prependPlugins":
			first = first || isFirst(value)
		}
		if why != "" {
			return why, nil
		}
	}
	if !first {
		why = `"prependPlugins" does not begin with "` + home.PluginID + `", so other plugins could overrule the guard`
	}
	return why, nil
}

// readSettings reads a settings file as one object. It returns the zero Value for
// a missing or empty file.
func readSettings(path string) (hostjson.Value, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return hostjson.Value{}, nil
	case err != nil:
		return hostjson.Value{}, fmt.Errorf("it cannot be read (%w)", err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return hostjson.Value{}, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return hostjson.Value{}, fmt.Errorf("it cannot be read (%w)", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	switch {
	case err != nil:
		return hostjson.Value{}, fmt.Errorf("it cannot be read (%w)", err)
	case len(raw) > maxSettings:
		return hostjson.Value{}, fmt.Errorf("it is larger than %d bytes", maxSettings)
	}
	return parseSettings(string(raw))
}

func parseSettings(text string) (hostjson.Value, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.TrimSpace(text) == "" {
		return hostjson.Value{}, nil
	}
	if !utf8.ValidString(text) {
		return hostjson.Value{}, errors.New("it is not UTF-8")
	}
	settings, err := hostjson.ParseLenient(text, hostjson.MaxDepth)
	if err != nil {
		return hostjson.Value{}, fmt.Errorf("it %w", err)
	}
	if !settings.IsObject() {
		return hostjson.Value{}, errors.New("it is not a JSON object")
	}
	return settings, nil
}

// hooksOff returns how a value of disableAllHooks switches the hooks off, "" if it
// does not.
func hooksOff(v hostjson.Value) string {
	switch v.Kind() {
	case hostjson.False, hostjson.Null:
		return ""
	}
	return `"disableAllHooks" is ` + excerpt(v)
}

// enabling are the kinds of values in enabledPlugins that switch a plugin on.
var enabling = []hostjson.Kind{hostjson.True, hostjson.Array, hostjson.Object}

// pluginOff returns how a value of enabledPlugins switches Afar off, "" if it does
// not.
func pluginOff(v hostjson.Value) (why string) {
	if !v.IsObject() {
		return `"enabledPlugins" is not an object`
	}
	for id, on := range v.Members() {
		if id == home.PluginID && !slices.Contains(enabling, on.Kind()) {
			return `"enabledPlugins" sets "` + home.PluginID + `" to ` + excerpt(on)
		}
	}
	return ""
}

// movedDir returns which variable in a file's env would make the session's
// programs look elsewhere for Afar or for the host's settings, "" for none.
func (h *hook) movedDir(env hostjson.Value) (why string) {
	for name, value := range env.Members() {
		switch name {
		case "AFAR_HOME", "HOME", claude.ConfigDirName:
			if value.Str() != h.getenv(name) {
				return `"env" sets ` + name + " to " + excerpt(value)
			}
		}
	}
	return ""
}

// isFirst reports whether a value of prependPlugins begins with Afar.
func isFirst(v hostjson.Value) bool {
	all := v.Items()
	return len(all) > 0 && all[0].Str() == home.PluginID
}

// excerpt returns a value as written in the file, cut to 80 bytes.
func excerpt(v hostjson.Value) string {
	return text.ClipBytes(v.Raw(), 80)
}

// blockConfig keeps the session on its old settings. The host does not show this
// at the terminal, so the coordinator tells the person.
func (h *hook) blockConfig(path, why string) error {
	reason := "Afar does not let this session take over a change of settings that would switch its guard off. " +
		path + ": " + why + ". Until that is mended, no change of settings takes effect in this session."
	err := h.print(hookoutput.Block(reason, ""))
	refused := wire.ConfigRefusedRequest{HookCall: h.hookCall(), File: path, Why: why}
	// The change is blocked even if this call fails.
	_, _ = call(h, wire.OpConfigRefused, refused, noteFor)
	return err
}
