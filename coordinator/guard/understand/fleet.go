package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// fleetPrograms set up many machines, or one from a description.
var fleetPrograms = []table{
	{programs: "ansible ansible-console", options: ansibleOptions, dry: "check C list-hosts version", do: ansible},
	{
		programs: "ansible-playbook ansible-pull", options: ansibleOptions,
		dry: "check C syntax-check list-hosts list-tasks list-tags version", do: playbooks,
	},
	{programs: "pssh pdsh dsh clush", options: "w h H l p t g x", do: runsOnAll},
	{programs: "salt salt-call salt-ssh", options: "t timeout b batch-size out config-dir c log-level l", do: salt},
	{programs: "salt-key", rows: []row{
		{
			given: "d D delete delete-all r R reject reject-all", does: effect.DestroyRemote, op: effect.Part,
			to: arguments,
		},
	}},
	{programs: "puppet", dry: "noop", rows: []row{
		{words: "apply|agent", as: &changesSystem},
		{
			words: "node|cert clean|deactivate|purge|revoke", does: effect.DestroyRemote, op: effect.Part,
			to: operandsFrom(0),
		},
		{words: "resource package", args: puppetEnds, does: effect.RemovePackage, opOf: operand(1), to: operand(2)},
		{words: "resource service", args: puppetEnds, does: effect.StopService, op: "stopped", to: operand(2)},
		{words: "resource file", args: puppetEnds, does: effect.DeleteTree, to: files{operand(2)}},
		{words: "resource", args: puppetEnds, does: effect.ChangeSystem, opOf: operand(1), to: operand(2)},
	}},
	{programs: "chef-client chef-solo chef-apply cinc-client", dry: "W why-run v version", rows: []row{
		{as: &changesSystem},
	}},
}

const ansibleOptions = "a args m module-name i inventory inventory-file u user e extra-vars c connection l limit t " +
	"tags skip-tags f forks T timeout M module-path private-key key-file vault-password-file vault-id start-at-task " +
	"become-user become-method B P U d"

// puppetEnds stop a resource of this machine, or remove it.
const puppetEnds = "ensure=absent|ensure=purged|ensure=stopped"

// manages returns the shell of the machines that a command of Ansible manages.
func manages(sh *shell.Shell, o shell.Options, hosts string) *shell.Shell {
	connection, _ := o.Get("c", "connection")
	inventory := o.All("i", "inventory", "inventory-file")
	far := func(place string) bool { return !web.IsLocalHost(strings.TrimSuffix(place, ",")) }
	switch {
	case connection == "local", hosts != "" && !far(hosts):
	case len(inventory) > 0 && !slices.ContainsFunc(inventory, far):
	default:
		return sh.Elsewhere()
	}
	return sh.Sub()
}

// ansible reports what one module does on many machines.
func ansible(sh *shell.Shell, _ shell.Command, o shell.Options) {
	child := manages(sh, o, o.At(0))
	module, _ := o.Get("m", "module-name")
	code, _ := o.Get("a", "args")
	fleetModule(child, module, code)
}

// playbooks runs the tasks of playbooks, as far as they are known, and reports that remote machines change.
func playbooks(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, name := range o.Pos {
		read := runRecipeFile(sh, name, nil, func(child *shell.Shell, text string) {
			b := playbook{sh: child, options: o, on: child}
			for _, y := range readYAML(text) {
				b.read(y)
			}
			b.runTask()
		})
		if !read && manages(sh, o, "").Place.Away != sh.Place.Away {
			sh.Effect(effect.ChangeRemote, effect.Apply, name)
		}
	}
}

// A playbook is a file of plays that is being read.
type playbook struct {
	sh      *shell.Shell
	options shell.Options
	play    string
	on      *shell.Shell // that of the machines of the play
	task    string       // the keys that lead to the current task
	module  string
	args    []string
	line    int
}

// read reads one text of a playbook: the hosts of a play, or a part of a task.
func (b *playbook) read(y yamlText) {
	k := y.keys
	names := len(k) == 2 || len(k) == 3 // the hosts of a play, or one of them
	if names && k[1] == "hosts" && b.play != k[0] {
		b.runTask()
		b.play, b.on = k[0], manages(b.sh, b.options, y.text)
		b.sh.AtLine(y.line)
		if b.on.Place.Away != b.sh.Place.Away {
			b.sh.Effect(effect.ChangeRemote, effect.Apply, y.text)
		}
	}
	const lists = "tasks pre_tasks post_tasks handlers block"
	at := slices.IndexFunc(k, func(key string) bool { return lex.OneOf(key, lists) })
	if at < 0 || len(k) < at+3 {
		return
	}
	if task := strings.Join(k[:at+2], "."); task != b.task {
		b.runTask()
		b.task = task
	}
	unknown := func(string) string { return partial.Unknown }
	b.take(k[at+2:], replacedBetween(y.text, "{{", "}}", unknown), y.line)
}

// take takes a part of a task: the module with its text, or one of its arguments.
func (b *playbook) take(keys []string, text string, line int) {
	name := keys[0][strings.LastIndexByte(keys[0], '.')+1:]
	switch {
	case lex.OneOf(name, "name when register become loop with_items vars tags notify args changed_when failed_when"):
	case len(keys) == 1, keys[1] == "cmd":
		b.module, b.args, b.line = name, append(b.args, text), line
	default:
		b.module, b.args, b.line = name, append(b.args, keys[1]+"="+text), line
	}
}

// runTask reports the effects of the task that was read.
func (b *playbook) runTask() {
	if b.module != "" {
		b.on.AtLine(b.line)
		fleetModule(b.on, b.module, strings.Join(b.args, " "))
	}
	b.module, b.args = "", nil
}

// fleetModule reports the effects of an Ansible module with "key=value" arguments.
func fleetModule(sh *shell.Shell, module, text string) {
	module = module[strings.LastIndexByte(module, '.')+1:]
	if lex.OneOf(module, "shell command raw script") || module == "" {
		sh.Run(text, nil)
		return
	}
	o := shell.ParseOptions(endings("--", strings.Fields(text)), "")
	runRows(sh, moduleRows, nil, shell.Command{Name: module}, o)
}

// moduleRows describe the modules of Ansible, whose arguments are as options.
var moduleRows = []row{
	{of: "reboot win_reboot", does: effect.Power, opOf: programName},
	{
		of: "service systemd systemd_service", given: "state=stopped state=restarted",
		does: effect.StopService, opOf: valueOf("state"), to: valueOf("name"),
	},
	{of: "file", given: gone, does: effect.DeleteTree, to: files{valueOf("path dest")}},
	{of: "apt yum dnf package pip", given: gone, does: effect.RemovePackage, opOf: programName, to: valueOf("name")},
	{given: gone, does: effect.DestroyRemote, op: effect.Part, to: joined{programName, valueOf("name")}},
}

const gone = "state=absent state=removed"

// runsOnAll runs the operands on many machines.
func runsOnAll(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Elsewhere().Run(strings.Join(o.Pos, " "), nil)
}

// saltRows describe the functions of Salt that change or end something.
var saltRows = []row{
	{args: "test=True|test=true"},
	{
		words: "state.apply|state.highstate|state.sls|state.single",
		does:  effect.ChangeRemote, op: effect.Apply, to: operandsFrom(0),
	},
	{words: "pkg.remove|pkg.purge", does: effect.RemovePackage, opOf: programName, to: operandsFrom(1)},
	{words: "service.stop|service.restart|service.disable", does: effect.StopService, opOf: operand(0), to: operand(1)},
	{words: "system.reboot|system.shutdown|system.poweroff|system.halt", does: effect.Power, opOf: operand(0)},
	{words: "file.remove *", runs: &start{program: "rm -rf", words: operand(1)}},
	{words: "*.delete|*.remove|*.absent|*.flush", does: effect.DestroyRemote, op: effect.Part, to: operandsFrom(0)},
}

// salt runs a function of Salt on the machines that the first operand names, or on this one.
func salt(sh *shell.Shell, c shell.Command, o shell.Options) {
	child := sh
	if c.Name != "salt-call" {
		child = sh.Elsewhere()
		o.Pos = o.From(1)
	}
	child.Run(strings.Join(lex.After(c.Args, "cmd.run", 1), " "), nil)
	runRows(child, saltRows, o.Pos, c, o)
}
