package machine

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// MachineTables are the programs that control services, processes, accounts and settings.
var MachineTables = []rows.Table{
	{Programs: "journalctl", Options: "vacuum-time vacuum-size vacuum-files u unit n lines since until p o", Rows: []rows.Row{
		{Given: "vacuum-files vacuum-size vacuum-time", Does: effect.DropData, Op: effect.Log, To: rows.ProgramName},
	}},
	{Programs: "loginctl", Options: "H M s n o p host machine signal lines output property", Rows: []rows.Row{
		{
			Words: "terminate-user|kill-user|terminate-session|kill-session|terminate-seat",
			Does:  effect.KillProcess, Op: effect.Everything, To: rows.OperandsFrom(1),
		},
		{Words: powerVerbs, Does: effect.Power, OpOf: rows.Operand(0)},
	}},
	{Programs: "service rc-service", Options: serviceValues, AnyCase: true, Rows: []rows.Row{
		{Words: "* " + stopVerbs, Does: effect.StopService, OpOf: rows.Operand(1), To: rows.Operand(0)},
		{Words: "* " + modeVerbs, Does: effect.Power, OpOf: rows.Operand(1), To: rows.Operand(0)},
		{Words: "* restart", Also: reportRestart},
	}},
	{
		Programs: "systemctl initctl supervisorctl launchctl sc brew-services pm2 monit sv svc net",
		Options:  serviceValues, AnyCase: true, Dry: "dry-run",
		Rows: []rows.Row{
			{
				Of:    "launchctl",
				Words: "load|bootstrap|submit",
				Does:  effect.Persist, Op: "launch agent", To: rows.OperandsFrom(1),
				Runs: &rows.Start{Words: rows.After("--")},
			},
			{Of: "pm2", Words: "start *", Also: daemonStarts},
			{
				Of: "systemctl", Words: "enable|reenable|link|edit|add-wants|add-requires|set-environment",
				Does: effect.Persist, Op: effect.Service, To: rows.OperandsFrom(1),
			},
			{Of: "sc", Words: "create", Does: effect.Persist, Op: effect.Service, To: rows.OperandsFrom(1)},
			{
				Of: "sv", Words: "down|d|exit|x", Does: effect.StopService, OpOf: rows.Operand(0),
				To: rows.OperandsFrom(1),
			},
			{Words: stopVerbs, Does: effect.StopService, OpOf: rows.Operand(0), To: rows.OperandsFrom(1)},
			{
				Words: modeVerbs + "|kexec|" + powerVerbs, Does: effect.Power, OpOf: rows.Operand(0),
				To: rows.OperandsFrom(1),
			},
			{Words: "restart|try-restart", Without: "user", Also: reportRestart},
		},
	},
	{Programs: "bleachbit", Rows: []rows.Row{{Given: "c clean s shred w wipe-free-space", As: &rows.ChangesSystem}}},
	{Programs: "chezmoi", Options: "S source D destination c config", Dry: "n dry-run", Rows: []rows.Row{
		{
			Words: "apply|update|init", Given: "force apply", Does: effect.WriteFile,
			To: rows.Paths{rows.Text("~/.bashrc")},
		},
		{Words: "destroy|remove|rm", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(1)}},
		{Words: "purge", Does: effect.DeleteTree, To: rows.Paths{rows.Text("~/.local/share/chezmoi")}},
	}},
	{Programs: "mackup", Dry: "n dry-run", Rows: []rows.Row{
		{Words: "restore|uninstall", Does: effect.WriteFile, To: rows.Paths{rows.Text("~/.bashrc")}},
	}},
	{Programs: "ttyecho reptyr", Rows: []rows.Row{{Does: effect.TypeInto, To: rows.ProgramName}}},
	{Programs: "schtasks", AnyCase: true, Rows: []rows.Row{
		{Mention: "/create /change", Does: effect.Persist, Op: effect.ScheduledTask},
		{Mention: "/delete /end", Does: effect.StopService, Op: effect.ScheduledTask},
	}},
	{Programs: "shutdown init telinit reboot halt poweroff", Options: "t", Dry: "help version show", Rows: []rows.Row{
		{Of: "shutdown", Given: "c"},
		{Of: "init telinit", Words: "0|1|6|s|S", Does: effect.Power, OpOf: rows.ProgramName},
		{Of: "init telinit"},
		{Does: effect.Power, OpOf: rows.ProgramName},
	}},
	{Programs: "useradd userdel usermod groupdel adduser deluser passwd chpasswd gpasswd visudo chsh dscl " +
		"sysadminctl vipw", Options: "s g G d u c p", Dry: "S status help", Rows: []rows.Row{
		{
			Of: "dscl", Args: "-delete|-create|-append|-change|delete|create",
			Does: effect.ChangeSystem, Op: effect.Accounts, To: rows.ProgramName,
		},
		{Of: "dscl"},
		{Of: "visudo", Given: "c"},
		{Of: "chsh", Given: "l list-shells"},
		{Does: effect.ChangeSystem, Op: effect.Accounts, To: rows.ProgramName},
	}},
	{
		Programs: "rmmod insmod setenforce bcdedit grub-install update-grub modprobe sysctl defaults nixos-rebuild " +
			"darwin-rebuild scutil " + settingTools + " " + bootTools,
		Options: "p f",
		Rows: []rows.Row{
			{Of: "sysctl", Given: "w p", As: &rows.ChangesSystem},
			{Of: "sysctl", Mention: "=", As: &rows.ChangesSystem},
			{Of: "defaults", Words: "delete", As: &rows.ChangesSystem},
			{Of: "nixos-rebuild darwin-rebuild", Words: "switch|boot|test", As: &rows.ChangesSystem},
			{Of: "scutil", Given: "set", As: &rows.ChangesSystem},
			{Of: "sysctl defaults nixos-rebuild darwin-rebuild scutil"},
			{Of: "modprobe", Given: "n dry-run show-depends D c"},
			{Of: settingTools, Given: "status get g p print getremotelogin dns proxy nwi assess a"},
			{Of: settingTools, Words: "status|show"},
			{Of: bootTools, Given: "s show p v display list query"},
			{Of: settingTools + " " + bootTools, Bare: true},
			{As: &rows.ChangesSystem},
		},
	},
	{
		Programs: "reg", Options: "p f", AnyCase: true,
		Rows: []rows.Row{{Words: "delete|add|import", As: &rows.ChangesSystem}},
	},
	{Programs: "security", Options: "a s l", Rows: []rows.Row{
		{
			Words: "delete-*|add-trusted-cert|remove-trusted-cert|trust-settings-import|set-key-partition-list",
			Does:  effect.ChangeSystem, Op: effect.Keychain, To: rows.Operand(0),
		},
		{Words: "authorizationdb read"},
		{Words: "authorizationdb", Does: effect.ChangeSystem, Op: effect.Keychain, To: rows.Operand(0)},
	}},
	{Programs: "history", Options: "d", Rows: []rows.Row{
		{Given: "c", Does: effect.ChangeSystem, Op: "history cleared"},
	}},
	{Programs: "pg_ctl", Options: "D pgdata l log m mode o t", Rows: []rows.Row{
		{Words: "start", Also: here.RememberServer},
		{
			Words: "stop", Made: &rows.Made{Kind: "cluster", Names: rows.Paths{rows.ValueOf("D pgdata")}},
			As: &rows.StopsServer,
		},
	}},
	{Programs: "mongod", Options: "f config port dbpath logpath pidfilepath", Rows: []rows.Row{
		{Given: "shutdown", As: &rows.StopsServer},
		{Also: here.RememberServer},
	}},
	{
		Programs: "redis-server valkey-server postgres mysqld mariadbd", Options: "p P port D dir daemonize",
		Do: here.RememberServer,
	},
	{Programs: "nginx haproxy apachectl httpd caddy", Options: "k D c f m t s", Rows: []rows.Row{
		{Words: "stop", As: &rows.StopsServer},
		{Of: "haproxy", Args: "-sf|-st", As: &rows.StopsServer},
		{Given: "shutdown s=stop s=quit k=stop k=graceful-stop m=fast m=immediate", As: &rows.StopsServer},
	}},
	{Programs: "java", Do: func(sh *shell.Shell, c shell.Command, _ argv.Options) {
		if o := argv.ParseOptions(c.Args, "jar cp classpath"); len(o.All("jar")) > 0 {
			jar := strings.TrimSuffix(o.All("jar")[0], ".jar")
			sh.Exec(append([]string{jar}, lex.After(c.Args, "-jar", 2)...), c.In)
			return
		}
		source.RunFile(sh, c, argv.Options{})
	}},
}

const (
	serviceValues = "t H M signal type state p n u host machine property -no-block"
	stopVerbs     = "stop|disable|mask|kill|delete|unload|bootout|remove|force-stop|shutdown"
	modeVerbs     = "isolate|emergency|rescue|default|set-default"
	powerVerbs    = "poweroff|reboot|halt|suspend|hibernate"
	settingTools  = "spctl csrutil nvram systemsetup pmset timedatectl hostnamectl"
	bootTools     = "swapon ldconfig efibootmgr update-alternatives"
)

// diskDump reports the files or disks that dd reads and writes. Its operands have the form
// name=value, so no row describes them.
func diskDump(sh *shell.Shell, c shell.Command, _ argv.Options) {
	text, into := rows.InputOf(c), ""
	for _, a := range c.Args {
		name, value, _ := strings.Cut(a, "=")
		switch name {
		case "if":
			text = sh.Read(value)
		case "of":
			into = value
		}
	}
	switch {
	case into == "":
		sh.Print(text)
	case lex.ContainsAny(c.Args, "conv=notrunc oflag=append"):
		sh.WriteAs(effect.Append, into)
	default:
		sh.Overwrite(into, text)
	}
}

// makeFilesystem reports a new file system on a disk or in an image file.
func makeFilesystem(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case len(c.Args) == 0:
		return
	case slices.Contains(c.Args, "-n") && lex.BeginsWith(c.Name, "mke2fs mkfs.ext"):
		return // for ext file systems, -n is a dry run
	}
	for _, p := range o.Pos {
		if f := sh.Path(p); !strings.HasPrefix(f, "/dev/") && (lex.EndsWith(f, ".img .raw")) {
			sh.Write(p)
			return
		}
	}
	sh.Effect(effect.WriteDisk, effect.Format, strings.Join(o.Pos, " "))
}

// DiskTables are the programs that write to disks and change file systems.
var DiskTables = []rows.Table{
	{
		Programs: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk wipefs nvme hdparm badblocks mdadm parted cryptsetup",
		Options:  "o t n d", Dry: "l list p print no-act dump J json info I V", Before: imageFile,
		Rows: []rows.Row{
			{Words: "list|smart-log|id-ctrl|status|isLuks|luksDump"},
			{Of: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk", As: &rows.Repartitions},
			{Of: "wipefs", Given: "a all o=", As: &rows.Repartitions},
			{Of: "nvme", Words: "format|sanitize|delete-ns|write", As: &rows.Repartitions},
			{
				Of:    "hdparm",
				Given: "security-erase security-erase-enhanced trim-sector-ranges write-sector",
				As:    &rows.Repartitions,
			},
			{Of: "badblocks", Given: "w", As: &rows.Repartitions},
			{Of: "mdadm", Given: "zero-superblock stop fail remove S create", As: &rows.Repartitions},
			{
				Of:    "parted",
				Among: "rm mklabel mkpart resizepart mktable set name move toggle resize",
				As:    &rows.Repartitions,
			},
			{
				Of:    "cryptsetup",
				Words: "luksAddKey|luksChangeKey|luksConvertKey|convert|config|resize|token",
				Does:  effect.ChangeSystem, Op: effect.Disk, To: rows.Operand(0),
			},
			{
				Of:    "cryptsetup",
				Words: "luksFormat|luksErase|erase|reencrypt|luksRemoveKey|luksKillSlot|luksHeaderRestore",
				As:    &rows.Repartitions,
			},
		},
	},
	{
		Programs: "lvremove vgremove pvremove pvcreate lvreduce sg_format resize2fs xfs_repair fsck e2fsck tune2fs " +
			"zpool zfs btrfs lvm",
		Options: "o t",
		Rows: []rows.Row{
			{Of: "xfs_repair fsck e2fsck", Given: "n N"},
			{Of: "xfs_repair fsck e2fsck", Does: effect.ChangeSystem, Op: effect.Disk, To: rows.Arguments},
			{Of: "tune2fs", Given: "l"},
			{Of: "zpool", Words: "destroy|labelclear|create|remove|offline|split", As: &rows.ChangesVolume},
			{Of: "zfs", Words: "destroy|rollback", As: &rows.ChangesVolume},
			{Of: "btrfs", Among: "delete del remove rm", As: &rows.ChangesVolume},
			{Of: "lvm", Among: "lvremove vgremove pvremove lvreduce", As: &rows.ChangesVolume},
			{Of: "zpool zfs btrfs lvm"},
			{As: &rows.ChangesVolume},
		},
	},
	{Programs: "diskutil asr tmutil hdiutil", AnyCase: true, Rows: []rows.Row{
		{
			Of: "tmutil", Words: "disable|thinlocalsnapshots", Does: effect.ChangeSystem, Op: "backups",
			To: rows.Operand(0),
		},
		{Of: "asr", Does: effect.WriteDisk, Op: effect.Format, To: rows.OperandsFrom(0)},
		{
			Words: "erase*|secureerase*|partition*|zero*|reformat*|delete*|random*|restore",
			Does:  effect.WriteDisk, Op: effect.Format, To: rows.OperandsFrom(0),
		},
		{Words: "apfs delete*", Does: effect.WriteDisk, Op: effect.Format, To: rows.OperandsFrom(0)},
	}},
	{Programs: "timeshift snapper", Options: "c config", Rows: []rows.Row{
		{Given: "delete delete-all", As: &deletesSnapshot},
		{Words: "delete|rm|remove|undochange", As: &deletesSnapshot},
	}},
	{Programs: "fastboot", Options: "s slot set-active", Rows: []rows.Row{
		{
			Words: "erase|format*|flash*|update|oem|flashing", Does: effect.DestroyRemote, Op: effect.Part,
			To: rows.OperandsFrom(0),
		},
	}},
	{
		Programs: "vboxmanage machinectl tart prlctl utmctl vmrun",
		Options:  "T M machine",
		Rows: []rows.Row{
			{Words: "unregistervm", Given: "delete", As: &deletesMachine},
			{Of: "machinectl", Words: "shell * *", Also: machineShell},
			{Of: "vmrun", Words: "deleteVM|deletevm", As: &deletesMachine},
			{Words: "remove|rm|delete", As: &deletesMachine},
		},
	},
	{Programs: "vssadmin wbadmin wmic", Rows: []rows.Row{
		{
			Args: "delete|Delete|resize", Does: effect.DestroyRemote, Op: effect.Teardown,
			To: rows.Text("backup of the disk"),
		},
	}},
	{Programs: "blockdev", Rows: []rows.Row{
		{Args: "--flushbufs|--set*", Does: effect.ChangeSystem, Op: effect.Disk, To: rows.Arguments},
	}},
	{Programs: "swapoff", Options: "t o", Rows: []rows.Row{
		{Given: "a", Does: effect.ChangeSystem, Op: effect.Swap, To: rows.OperandsFrom(0)},
		{Words: "*", Does: effect.ChangeSystem, Op: effect.Swap, To: rows.OperandsFrom(0)},
	}},
	{Programs: "umount", Options: "t o", Rows: []rows.Row{
		{Given: "a f l all force lazy", Also: reportMounts},
		{Among: "/", Also: reportMounts},
	}},
	{Programs: "mount", Options: "t o", Rows: []rows.Row{
		{Words: "* *", Also: reportMounts},
		{Given: "o=", Mention: "remount", Also: reportMounts},
	}},
	{Programs: "dd dcfldd gdd dc3dd", Do: diskDump},
	{
		Programs: "bmaptool ddrescue dd_rescue partclone.restore partclone.dd ntfsclone nwipe scrub rpi-imager",
		Options:  "o output bmap O overwrite s source",
		Rows: []rows.Row{
			{Of: "bmaptool", Words: "copy * *", As: &writesLast},
			{Of: "ddrescue dd_rescue", Words: "* *", Does: effect.WriteFile, To: rows.Paths{rows.Operand(1)}},
			{
				Of: "partclone.restore partclone.dd", Given: "o= output=",
				Does: effect.WriteFile, To: rows.Paths{rows.ValueOf("o output")},
			},
			{
				Of: "ntfsclone", Given: "O= overwrite=", Does: effect.WriteFile,
				To: rows.Paths{rows.ValueOf("O overwrite")},
			},
			{Of: "nwipe scrub rpi-imager", As: &writesLast},
		},
	},
	{Programs: "mkfs mke2fs mkswap newfs mkntfs mkdosfs", Options: "t L n U O E b i N m type", Do: makeFilesystem},
}

var (
	deletesSnapshot = rows.Act{Kind: effect.DestroyRemote, Op: effect.Part, To: rows.Text("snapshots of the disk")}
	writesLast      = rows.Act{Kind: effect.WriteFile, To: rows.Paths{rows.LastOperand}}
	deletesMachine  = rows.Act{Kind: effect.PruneLocal, Op: "machine", To: rows.OperandsFrom(0)}
)

// imageFile reports an image file that a program changes instead of a device, if there is one.
func imageFile(sh *shell.Shell, _ shell.Command, o argv.Options) bool {
	for _, p := range o.Pos {
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/dev/") {
			sh.Write(p)
			return true
		}
	}
	return false
}

// reportMounts reports a file system that is mounted or unmounted, and guarded files at that point.
func reportMounts(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if f := sh.Path(o.At(len(o.Pos) - 1)); rows.IsGuarded(sh, f) {
		sh.Effect(effect.WriteFile, "", f)
	}
	sh.Effect(effect.ChangeSystem, effect.Named("mounts"), strings.Join(o.Pos, " "))
}

// reportRestart reports a service of another machine that restarts, where others use it.
func reportRestart(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if sh.Place.Away == shell.RemotePlace().Away {
		sh.Effect(effect.StopService, effect.Named(c.Name), strings.Join(c.Args, " "))
	}
}

// machineShell runs a command in a container, or for the host itself in a session of its own.
func machineShell(sh *shell.Shell, c shell.Command, o argv.Options) {
	sh.Outside().Exec(o.From(2), c.In)
}

// daemonStarts has the daemon of pm2 run a file of code, a program or a command.
func daemonStarts(sh *shell.Shell, c shell.Command, o argv.Options) {
	words := o.From(1)
	for pair := range strings.FieldsSeq(".py=python3 .sh=bash .js=node .cjs=node .mjs=node .ts=bun") {
		if end, program, _ := strings.Cut(pair, "="); strings.HasSuffix(words[0], end) {
			words = append([]string{program}, words...)
		}
	}
	rows.RunOneOrAll(sh.Outside(), words, c.In)
}
