// Package wrapper has the programs that run other ones: here, on another machine, or outside the session.
package wrapper

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/network"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// ElsewherePrograms run their command on another machine.
var ElsewherePrograms = []rows.Table{
	{
		Programs: "ssh mosh autossh dbclient plink",
		Options:  sshValues,
		Leads:    true,
		Do:       ssh,
	},
	{
		Programs: "sshpass", Options: "p f d P", Leads: true,
		Rows: []rows.Row{{Runs: &rows.Start{Words: rows.OperandsFrom(0)}}},
	},
	{Programs: "distrobox toolbox multipass limactl vagrant adb lxc incus", Do: otherMachine},
	{Programs: "wsl", Options: "d distribution u user cd shell-type unregister export import", Leads: true, Rows: []rows.Row{
		{Given: "unregister=", Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.ValueOf("unregister")},
		{Given: "shutdown", Does: effect.Power, Op: "shutdown", To: rows.ProgramName},
		{Runs: &rows.Start{Words: rows.OperandsFrom(0)}},
	}},
	{Programs: "osascript", Options: "e l s", Do: appleScript},
	{Programs: "xdotool ydotool wtype dotool cliclick", Rows: []rows.Row{
		{First: "search|getactivewindow|getmouselocation|help|version"},
		{Does: effect.TypeInto, To: rows.ProgramName},
	}},
	{Programs: "expect", Options: "c f d", Do: expect},
}

// sshValues are the options of ssh with a value. They may also come after the host.
const sshValues = "B b c D E e F I i J L l m O o p Q R S W w P"

// ssh runs its command on a remote machine.
func ssh(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	network.RunSSHOptions(sh, o)
	for _, way := range o.All("R") {
		if strings.HasSuffix(way, ":22") || lex.BeginsWith(way, "0.0.0.0: *: [::]:") {
			sh.Effect(effect.ChangeSystem, effect.Named("tunnel"), way)
		}
	}
	if len(rest) == 0 {
		return
	}
	if strings.ContainsRune(lex.First(rows.Stdin(c)), partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.Secret, rest[0])
	}
	child := sshPlace(sh, o, rest[0])
	later, more := argv.Leading(rest[1:], sshValues)
	network.RunSSHOptions(sh, later)
	if len(more) > 0 {
		child.RunTextIn(strings.Join(more, " "), c.In)
	} else if c.In != nil {
		child.RunText(*c.In)
	}
	sh.Print(partial.Unknown)
}

// sshPlace returns a shell where ssh runs a command. A server on this machine is one of the person's
// programs. Behind another port is often a container or a virtual machine.
func sshPlace(sh *shell.Shell, o argv.Options, host string) *shell.Shell {
	host = strings.Trim(host[strings.LastIndexByte(host, '@')+1:], "[]")
	port, ported := o.Get("p")
	here := lex.OneOf(host, "0 0.0.0.0 ::1 ip6-localhost localhost") || strings.HasPrefix(host, "127.")
	if !here || ported && port != "22" {
		return sh.Elsewhere()
	}
	child := sh.Outside()
	child.Place.Cwd = child.HomeText()
	return child
}

// appleScript runs the AppleScript code of osascript.
func appleScript(sh *shell.Shell, c shell.Command, o argv.Options) {
	code := strings.Join(o.All("e"), "\n")
	sh.Opaque(code)
	script.AppleScript(sh, code)
	if code == "" && len(o.Pos) > 0 {
		recipes.RunFile(sh, o.Pos[0], o.From(1), script.AppleScript)
	}
	if c.In != nil {
		script.AppleScript(sh, *c.In)
	}
}

// expect runs the commands that its script spawns.
func expect(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, name := range append(o.All("f"), o.Pos...) {
		recipes.RunFile(sh, name, nil, func(child *shell.Shell, text string) {
			expect(child, shell.Command{In: &text}, argv.Options{})
		})
	}
	text := strings.Join(o.All("c"), "\n")
	sh.Opaque(text)
	if c.In != nil {
		text += "\n" + *c.In
	}
	script.TclShells(sh, text)
	for _, line := range network.Statements(text) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "spawn "); ok {
			sh.Run(code, nil)
		}
	}
}

// otherMachine runs a command on a virtual machine or another device.
func otherMachine(sh *shell.Shell, c shell.Command, _ argv.Options) {
	const verbs = "-- --exec -e enter exec run shell ssh"
	verb := slices.IndexFunc(c.Args, func(a string) bool { return lex.OneOf(a, verbs) })
	if verb < 0 {
		hosted.Report(sh, c, argv.Options{})
		return
	}
	child := sh.Sub()
	child.Place = machinePlace(sh, c)
	_, rest := argv.Leading(c.Args[verb+1:], "n u name user cwd workdir env")
	switch behind := append(lex.After(c.Args, "--", 1), lex.After(c.Args, "-c", 1)...); {
	case len(behind) > 0 && c.Name != "toolbox":
		rest = behind
	case lex.OneOf(c.Name, "multipass limactl lxc incus"):
		rest = rest[min(1, len(rest)):]
	}
	rows.RunOneOrAll(child, rest, c.In)
}

// machinePlace returns where a command runs: in a virtual machine or a container of this machine, or
// on another device. Some have folders of this machine.
func machinePlace(sh *shell.Shell, c shell.Command) shell.Place {
	p := shell.RemotePlace()
	switch {
	case c.Name == "adb" && onEmulatedDevice(c.Args):
		p.Away = "container"
		return p
	case c.Name == "adb", slices.ContainsFunc(c.Args, shell.IsRemotePath):
		return p
	case c.Name == "vagrant":
		p.Mounts = []shell.Mounted{{Inside: "/vagrant", Host: sh.Place.Cwd}}
	case lex.OneOf(c.Name, "distrobox toolbox"):
		p = sh.Place
		p.Mounts = []shell.Mounted{{Inside: p.Home, Host: p.Home}}
	}
	p.Away = effect.InRunning
	return p
}

// onEmulatedDevice reports whether adb is told to talk to an emulator on this machine.
func onEmulatedDevice(args []string) bool {
	o, _ := argv.Leading(args, "s t H P L")
	serial, _ := o.Get("s")
	return strings.HasPrefix(serial, "emulator-") || o.Given("e")
}
