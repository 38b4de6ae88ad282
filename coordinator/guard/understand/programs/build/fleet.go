// Package build has the programs that run recipes of a project, and those that build, install and publish packages.
package build

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// FleetPrograms set up many machines, or one from a description.
var FleetPrograms = []rows.Table{
	{Programs: "ansible ansible-console", Options: ansibleOptions, Dry: "check C list-hosts version", Do: ansible},
	{
		Programs: "ansible-playbook ansible-pull", Options: ansibleOptions,
		Dry: "check C syntax-check list-hosts list-tasks list-tags version", Do: playbooks,
	},
	{Programs: "pssh pdsh dsh clush", Options: "w h H l p t g x", Do: runOnAll},
	{Programs: "salt salt-call salt-ssh", Options: "t timeout b batch-size out config-dir c log-level l", Do: salt},
	{Programs: "salt-key", Rows: []rows.Row{
		{
			Given: "d D delete delete-all r R reject reject-all", Does: effect.DestroyRemote, Op: effect.Part,
			To: rows.Arguments,
		},
	}},
	{Programs: "puppet", Dry: "noop", Rows: []rows.Row{
		{Words: "apply|agent", As: &rows.ChangesSystem},
		{
			Words: "node|cert clean|deactivate|purge|revoke", Does: effect.DestroyRemote, Op: effect.Part,
			To: rows.OperandsFrom(0),
		},
		{
			Words: "resource package", Args: puppetEnds, Does: effect.RemovePackage, OpOf: rows.Operand(1),
			To: rows.Operand(2),
		},
		{Words: "resource service", Args: puppetEnds, Does: effect.StopService, Op: "stopped", To: rows.Operand(2)},
		{Words: "resource file", Args: puppetEnds, Does: effect.DeleteTree, To: rows.Paths{rows.Operand(2)}},
		{Words: "resource", Args: puppetEnds, Does: effect.ChangeSystem, OpOf: rows.Operand(1), To: rows.Operand(2)},
	}},
	{Programs: "chef-client chef-solo chef-apply cinc-client", Dry: "W why-run v version", Rows: []rows.Row{
		{As: &rows.ChangesSystem},
	}},
}

const ansibleOptions = "a args m module-name i inventory inventory-file u user e extra-vars c connection l limit t " +
	"tags skip-tags f forks T timeout M module-path private-key key-file vault-password-file vault-id start-at-task " +
	"become-user become-method B P U d"

// puppetEnds stop a resource of this machine, or remove it.
const puppetEnds = "ensure=absent|ensure=purged|ensure=stopped"

// manages returns the shell of the machines that a command of Ansible manages.
func manages(sh *shell.Shell, o argv.Options, hosts string) *shell.Shell {
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
func ansible(sh *shell.Shell, _ shell.Command, o argv.Options) {
	child := manages(sh, o, o.At(0))
	module, _ := o.Get("m", "module-name")
	code, _ := o.Get("a", "args")
	fleetModule(child, module, code)
}

// playbooks runs the tasks of playbooks, as far as they are known, and reports that remote machines change.
func playbooks(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, name := range o.Pos {
		read := recipes.RunFile(sh, name, nil, func(child *shell.Shell, text string) {
			b := playbook{sh: child, options: o, on: child}
			for _, y := range recipes.ReadYAML(text) {
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
	options argv.Options
	play    string
	on      *shell.Shell // that of the machines of the play
	task    string       // the keys that lead to the current task
	module  string
	args    []string
	line    int
}

// read reads one text of a playbook: the hosts of a play, or a part of a task.
func (b *playbook) read(y recipes.YAMLText) {
	k := y.Keys
	names := len(k) == 2 || len(k) == 3 // the hosts of a play, or one of them
	if names && k[1] == "hosts" && b.play != k[0] {
		b.runTask()
		b.play, b.on = k[0], manages(b.sh, b.options, y.Text)
		b.sh.AtLine(y.Line)
		if b.on.Place.Away != b.sh.Place.Away {
			b.sh.Effect(effect.ChangeRemote, effect.Apply, y.Text)
		}
	}
	const lists = "block handlers post_tasks pre_tasks tasks"
	at := slices.IndexFunc(k, func(key string) bool { return lex.OneOf(key, lists) })
	if at < 0 || len(k) < at+3 {
		return
	}
	if task := strings.Join(k[:at+2], "."); task != b.task {
		b.runTask()
		b.task = task
	}
	unknown := func(string) string { return partial.Unknown }
	b.take(k[at+2:], recipes.ReplacedBetween(y.Text, "{{", "}}", unknown), y.Line)
}

// take takes a part of a task: the module with its text, or one of its arguments.
func (b *playbook) take(keys []string, text string, line int) {
	name := keys[0][strings.LastIndexByte(keys[0], '.')+1:]
	switch {
	case lex.OneOf(name, "args become changed_when failed_when loop name notify register tags vars when with_items"):
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
	o := argv.ParseOptions(rows.Endings("--", strings.Fields(text)), "")
	rows.Run(sh, moduleRows, nil, shell.Command{Name: module}, o)
}

// moduleRows describe the modules of Ansible, whose arguments are as options.
var moduleRows = []rows.Row{
	{Of: "reboot win_reboot", Does: effect.Power, OpOf: rows.ProgramName},
	{
		Of: "service systemd systemd_service", Given: "state=stopped state=restarted",
		Does: effect.StopService, OpOf: rows.ValueOf("state"), To: rows.ValueOf("name"),
	},
	{Of: "file", Given: gone, Does: effect.DeleteTree, To: rows.Paths{rows.ValueOf("path dest")}},
	{
		Of: "apt yum dnf package pip", Given: gone, Does: effect.RemovePackage, OpOf: rows.ProgramName,
		To: rows.ValueOf("name"),
	},
	{Given: gone, Does: effect.DestroyRemote, Op: effect.Part, To: rows.Joined{rows.ProgramName, rows.ValueOf("name")}},
}

const gone = "state=absent state=removed"

// runOnAll runs the operands on many machines.
func runOnAll(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.Elsewhere().Run(strings.Join(o.Pos, " "), nil)
}

// saltRows describe the functions of Salt that change or end something.
var saltRows = []rows.Row{
	{Args: "test=True|test=true"},
	{
		Words: "state.apply|state.highstate|state.sls|state.single",
		Does:  effect.ChangeRemote, Op: effect.Apply, To: rows.OperandsFrom(0),
	},
	{Words: "pkg.remove|pkg.purge", Does: effect.RemovePackage, OpOf: rows.ProgramName, To: rows.OperandsFrom(1)},
	{
		Words: "service.stop|service.restart|service.disable", Does: effect.StopService, OpOf: rows.Operand(0),
		To: rows.Operand(1),
	},
	{Words: "system.reboot|system.shutdown|system.poweroff|system.halt", Does: effect.Power, OpOf: rows.Operand(0)},
	{Words: "file.remove *", Runs: &rows.Start{Program: "rm -rf", Words: rows.Operand(1)}},
	{
		Words: "*.delete|*.remove|*.absent|*.flush", Does: effect.DestroyRemote, Op: effect.Part,
		To: rows.OperandsFrom(0),
	},
}

// salt runs a function of Salt on the machines that the first operand names, or on this one.
func salt(sh *shell.Shell, c shell.Command, o argv.Options) {
	child := sh
	if c.Name != "salt-call" {
		child = sh.Elsewhere()
		o.Pos = o.From(1)
	}
	child.Run(strings.Join(lex.After(c.Args, "cmd.run", 1), " "), nil)
	rows.Run(child, saltRows, o.Pos, c, o)
}
