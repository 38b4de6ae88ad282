package understand

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// maxGitSettings limits how many settings are read from git's environment.
const maxGitSettings = 32

// gitSettings returns the settings that a command passes to git, as "key=value": those
// of its options and those in variables.
func gitSettings(sh *shell.Shell, o shell.Options) []string {
	out := o.All("c")
	for _, pair := range o.All("config-env") {
		key, name, _ := strings.Cut(pair, "=")
		text, ok := sh.Assigned(name)
		if !ok {
			text = partial.Unknown
		}
		out = append(out, key+"="+text)
	}
	for i := range maxGitSettings {
		key, ok := sh.Assigned("GIT_CONFIG_KEY_" + strconv.Itoa(i))
		if !ok {
			break
		}
		text, _ := sh.Assigned("GIT_CONFIG_VALUE_" + strconv.Itoa(i))
		out = append(out, key+"="+text)
	}
	packed, _ := sh.Assigned("GIT_CONFIG_PARAMETERS")
	for i, part := range strings.Split(strings.ReplaceAll(packed, "'='", "="), "'") {
		if i%2 == 1 && i < 2*maxGitSettings {
			out = append(out, part)
		}
	}
	return out
}

// gitAlias returns the command that an alias in the settings stands for, with those
// settings, or nil. words are the name of the alias and its arguments.
func gitAlias(sh *shell.Shell, settings, words []string) []string {
	if sh.Depth >= shell.MaxDepth {
		return nil
	}
	argv := []string{"git"}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "alias.") {
			argv = append(argv, "-c", setting)
		}
	}
	for _, setting := range settings {
		if code, ok := strings.CutPrefix(setting, "alias."+words[0]+"="); ok {
			return slices.Concat(argv, strings.Fields(code), words[1:])
		}
	}
	return nil
}

// gitSetting stores a setting for the subcommand, and runs its value if git would run
// it as a command.
func gitSetting(sh *shell.Shell, setting string) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	sh.Assign("git "+key, shell.Value{strings.ToLower(text)})
	code, runs := strings.CutPrefix(text, "!")
	switch {
	case text == "", text == "/dev/null":
	case runs:
		sh.Run(code, nil)
	case key == "core.hookspath":
		sh.Effect(effect.GitSettings, "", key)
	case gitRuns(key) && strings.ContainsAny(text, " ;|&$"):
		sh.Run(text, nil)
	}
}

// gitSet reports whether one of the settings has one of these values in this command.
func gitSet(sh *shell.Shell, keys, values string) bool {
	for key := range strings.FieldsSeq(keys) {
		if v, _ := sh.Lookup("git " + key); lex.OneOf(lex.First(v), values) {
			return true
		}
	}
	return false
}

// gitRuns reports whether git passes the value of a setting to a shell.
func gitRuns(key string) bool {
	switch {
	case lex.OneOf(key, "core.sshcommand core.fsmonitor core.pager core.editor diff.external sequence.editor "+
		"core.askpass core.gitproxy core.alternaterefscommand interactive.difffilter uploadpack.packobjectshook "+
		"sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd"):
		return true
	case lex.BeginsWith(key, "filter. pager. mergetool."):
		return true
	}
	return lex.EndsWith(key, ".textconv .cmd .driver .command .program .helper .uploadpack .receivepack")
}

// gitTransports runs the commands of addresses that begin with "ext::", and reports keys that
// an address brings to another host.
func gitTransports(sh *shell.Shell, args []string) {
	for _, a := range args {
		if strings.Contains(a, "://") && web.LeaksKey(a, a, true) {
			sh.Possible(effect.SendOut, effect.Secret, a)
		}
		if code, ok := strings.CutPrefix(a, "ext::"); ok {
			sh.Run(strings.ReplaceAll(code, "% ", `\ `), nil)
		}
	}
}
