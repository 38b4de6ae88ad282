package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// machineTables are the programs that control services, processes, accounts and settings.
var machineTables = []table{
	{programs: "loginctl", options: "H M s n o p host machine signal lines output property", rows: []row{
		{
			words: "terminate-user|kill-user|terminate-session|kill-session|terminate-seat",
			does:  effect.KillProcess, op: effect.Everything, to: operandsFrom(1),
		},
		{words: powerVerbs, does: effect.Power, opOf: operand(0)},
	}},
	{programs: "service rc-service", options: serviceValues, anyCase: true, rows: []row{
		{words: "* " + stopVerbs, does: effect.StopService, opOf: operand(1), to: operand(0)},
		{words: "* " + modeVerbs, does: effect.Power, opOf: operand(1), to: operand(0)},
		{words: "* restart", also: restartsThere},
	}},
	{
		programs: "systemctl initctl supervisorctl launchctl sc brew-services pm2 monit sv svc net",
		options:  serviceValues, anyCase: true, dry: "dry-run",
		rows: []row{
			{
				of:    "launchctl",
				words: "load|bootstrap|submit",
				does:  effect.Persist, op: "launch agent", to: operandsFrom(1),
				runs: &start{words: after("--")},
			},
			{of: "pm2", words: "start *", also: daemonStarts},
			{
				of: "systemctl", words: "enable|reenable|link|edit|add-wants|add-requires|set-environment",
				does: effect.Persist, op: effect.Service, to: operandsFrom(1),
			},
			{of: "sc", words: "create", does: effect.Persist, op: effect.Service, to: operandsFrom(1)},
			{of: "sv", words: "down|d|exit|x", does: effect.StopService, opOf: operand(0), to: operandsFrom(1)},
			{words: stopVerbs, does: effect.StopService, opOf: operand(0), to: operandsFrom(1)},
			{words: modeVerbs + "|kexec|" + powerVerbs, does: effect.Power, opOf: operand(0), to: operandsFrom(1)},
			{words: "restart|try-restart", without: "user", also: restartsThere},
		},
	},
	{programs: "bleachbit", rows: []row{{given: "c clean s shred w wipe-free-space", as: &changesSystem}}},
	{programs: "chezmoi", options: "S source D destination c config", dry: "n dry-run", rows: []row{
		{words: "apply|update|init", given: "force apply", does: effect.WriteFile, to: files{text("~/.bashrc")}},
		{words: "destroy|remove|rm", does: effect.DeleteTree, to: files{operandsFrom(1)}},
		{words: "purge", does: effect.DeleteTree, to: files{text("~/.local/share/chezmoi")}},
	}},
	{programs: "mackup", dry: "n dry-run", rows: []row{
		{words: "restore|uninstall", does: effect.WriteFile, to: files{text("~/.bashrc")}},
	}},
	{programs: "ttyecho reptyr", rows: []row{{does: effect.TypeInto, to: programName}}},
	{programs: "schtasks", anyCase: true, rows: []row{
		{mention: "/create /change", does: effect.Persist, op: effect.ScheduledTask},
		{mention: "/delete /end", does: effect.StopService, op: effect.ScheduledTask},
	}},
	{programs: "shutdown init telinit reboot halt poweroff", options: "t", dry: "help version show", rows: []row{
		{of: "shutdown", given: "c"},
		{of: "init telinit", words: "0|1|6|s|S", does: effect.Power, opOf: programName},
		{of: "init telinit"},
		{does: effect.Power, opOf: programName},
	}},
	{programs: "useradd userdel usermod groupdel adduser deluser passwd chpasswd gpasswd visudo chsh dscl " +
		"sysadminctl vipw", options: "s g G d u c p", dry: "S status help", rows: []row{
		{
			of: "dscl", args: "-delete|-create|-append|-change|delete|create",
			does: effect.ChangeSystem, op: effect.Accounts, to: programName,
		},
		{of: "dscl"},
		{of: "visudo", given: "c"},
		{of: "chsh", given: "l list-shells"},
		{does: effect.ChangeSystem, op: effect.Accounts, to: programName},
	}},
	{
		programs: "rmmod insmod setenforce bcdedit grub-install update-grub modprobe sysctl defaults nixos-rebuild " +
			"darwin-rebuild scutil " + settingTools + " " + bootTools,
		options: "p f",
		rows: []row{
			{of: "sysctl", given: "w p", as: &changesSystem},
			{of: "sysctl", mention: "=", as: &changesSystem},
			{of: "defaults", words: "delete", as: &changesSystem},
			{of: "nixos-rebuild darwin-rebuild", words: "switch|boot|test", as: &changesSystem},
			{of: "scutil", given: "set", as: &changesSystem},
			{of: "sysctl defaults nixos-rebuild darwin-rebuild scutil"},
			{of: "modprobe", given: "n dry-run show-depends D c"},
			{of: settingTools, given: "status get g p print getremotelogin dns proxy nwi assess a"},
			{of: settingTools, words: "status|show"},
			{of: bootTools, given: "s show p v display list query"},
			{of: settingTools + " " + bootTools, bare: true},
			{as: &changesSystem},
		},
	},
	{programs: "reg", options: "p f", anyCase: true, rows: []row{{words: "delete|add|import", as: &changesSystem}}},
	{programs: "security", options: "a s l", rows: []row{
		{
			words: "delete-*|add-trusted-cert|remove-trusted-cert|trust-settings-import|set-key-partition-list",
			does:  effect.ChangeSystem, op: effect.Keychain, to: operand(0),
		},
		{words: "authorizationdb read"},
		{words: "authorizationdb", does: effect.ChangeSystem, op: effect.Keychain, to: operand(0)},
	}},
	{programs: "history", options: "d", rows: []row{
		{given: "c", does: effect.ChangeSystem, op: "history cleared"},
	}},
	{programs: "pg_ctl", options: "D pgdata l log m mode o t", rows: []row{
		{words: "start", also: startsServer},
		{words: "stop", made: &made{kind: "cluster", names: files{valueOf("D pgdata")}}, as: &stopsServer},
	}},
	{programs: "mongod", options: "f config port dbpath logpath pidfilepath", rows: []row{
		{given: "shutdown", as: &stopsServer},
		{also: startsServer},
	}},
	{
		programs: "redis-server valkey-server postgres mysqld mariadbd", options: "p P port D dir daemonize",
		do: startsServer,
	},
	{programs: "nginx haproxy apachectl httpd caddy", options: "k D c f m t s", rows: []row{
		{words: "stop", as: &stopsServer},
		{of: "haproxy", args: "-sf|-st", as: &stopsServer},
		{given: "shutdown s=stop s=quit k=stop k=graceful-stop m=fast m=immediate", as: &stopsServer},
	}},
	{programs: "java", do: func(sh *shell.Shell, c shell.Command, _ shell.Options) {
		if o := shell.ParseOptions(c.Args, "jar cp classpath"); len(o.All("jar")) > 0 {
			jar := strings.TrimSuffix(o.All("jar")[0], ".jar")
			sh.Exec(append([]string{jar}, lex.After(c.Args, "-jar", 2)...), c.In)
			return
		}
		runsSourceFile(sh, c, shell.Options{})
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
func diskDump(sh *shell.Shell, c shell.Command, _ shell.Options) {
	text, into := inputOf(c), ""
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
func makeFilesystem(sh *shell.Shell, c shell.Command, o shell.Options) {
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

// diskTables are the programs that write to disks and change file systems.
var diskTables = []table{
	{
		programs: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk wipefs nvme hdparm badblocks mdadm parted cryptsetup",
		options:  "o t n d", dry: "l list p print no-act dump J json info I V", before: imageFile,
		rows: []row{
			{words: "list|smart-log|id-ctrl|status|isLuks|luksDump"},
			{of: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk", as: &repartitions},
			{of: "wipefs", given: "a all o=", as: &repartitions},
			{of: "nvme", words: "format|sanitize|delete-ns|write", as: &repartitions},
			{
				of:    "hdparm",
				given: "security-erase security-erase-enhanced trim-sector-ranges write-sector",
				as:    &repartitions,
			},
			{of: "badblocks", given: "w", as: &repartitions},
			{of: "mdadm", given: "zero-superblock stop fail remove S create", as: &repartitions},
			{
				of:    "parted",
				among: "rm mklabel mkpart resizepart mktable set name move toggle resize",
				as:    &repartitions,
			},
			{
				of:    "cryptsetup",
				words: "luksAddKey|luksChangeKey|luksConvertKey|convert|config|resize|token",
				does:  effect.ChangeSystem, op: effect.Disk, to: operand(0),
			},
			{
				of:    "cryptsetup",
				words: "luksFormat|luksErase|erase|reencrypt|luksRemoveKey|luksKillSlot|luksHeaderRestore",
				as:    &repartitions,
			},
		},
	},
	{
		programs: "lvremove vgremove pvremove pvcreate lvreduce sg_format resize2fs xfs_repair fsck e2fsck tune2fs " +
			"zpool zfs btrfs lvm",
		options: "o t",
		rows: []row{
			{of: "xfs_repair fsck e2fsck", given: "n N"},
			{of: "xfs_repair fsck e2fsck", does: effect.ChangeSystem, op: effect.Disk, to: arguments},
			{of: "tune2fs", given: "l"},
			{of: "zpool", words: "destroy|labelclear|create|remove|offline|split", as: &changesVolume},
			{of: "zfs", words: "destroy|rollback", as: &changesVolume},
			{of: "btrfs", among: "delete del remove rm", as: &changesVolume},
			{of: "lvm", among: "lvremove vgremove pvremove lvreduce", as: &changesVolume},
			{of: "zpool zfs btrfs lvm"},
			{as: &changesVolume},
		},
	},
	{programs: "diskutil asr tmutil hdiutil", anyCase: true, rows: []row{
		{of: "tmutil", words: "disable|thinlocalsnapshots", does: effect.ChangeSystem, op: "backups", to: operand(0)},
		{of: "asr", does: effect.WriteDisk, op: effect.Format, to: operandsFrom(0)},
		{
			words: "erase*|secureerase*|partition*|zero*|reformat*|delete*|random*|restore",
			does:  effect.WriteDisk, op: effect.Format, to: operandsFrom(0),
		},
		{words: "apfs delete*", does: effect.WriteDisk, op: effect.Format, to: operandsFrom(0)},
	}},
	{programs: "timeshift snapper", options: "c config", rows: []row{
		{given: "delete delete-all", as: &deletesSnapshot},
		{words: "delete|rm|remove|undochange", as: &deletesSnapshot},
	}},
	{programs: "fastboot", options: "s slot set-active", rows: []row{
		{
			words: "erase|format*|flash*|update|oem|flashing", does: effect.DestroyRemote, op: effect.Part,
			to: operandsFrom(0),
		},
	}},
	{
		programs: "vboxmanage machinectl tart prlctl utmctl vmrun",
		options:  "T M machine",
		rows: []row{
			{words: "unregistervm", given: "delete", as: &deletesMachine},
			{of: "machinectl", words: "shell * *", also: machineShell},
			{of: "vmrun", words: "deleteVM|deletevm", as: &deletesMachine},
			{words: "remove|rm|delete", as: &deletesMachine},
		},
	},
	{programs: "vssadmin wbadmin wmic", rows: []row{
		{args: "delete|Delete|resize", does: effect.DestroyRemote, op: effect.Teardown, to: text("backup of the disk")},
	}},
	{programs: "blockdev", rows: []row{
		{args: "--flushbufs|--set*", does: effect.ChangeSystem, op: effect.Disk, to: arguments},
	}},
	{programs: "swapoff", options: "t o", rows: []row{
		{given: "a", does: effect.ChangeSystem, op: effect.Swap, to: operandsFrom(0)},
		{words: "*", does: effect.ChangeSystem, op: effect.Swap, to: operandsFrom(0)},
	}},
	{programs: "umount", options: "t o", rows: []row{
		{given: "a f l all force lazy", also: changesMounts},
		{among: "/", also: changesMounts},
	}},
	{programs: "mount", options: "t o", rows: []row{
		{words: "* *", also: changesMounts},
		{given: "o=", mention: "remount", also: changesMounts},
	}},
	{programs: "dd dcfldd gdd dc3dd", do: diskDump},
	{
		programs: "bmaptool ddrescue dd_rescue partclone.restore partclone.dd ntfsclone nwipe scrub rpi-imager",
		options:  "o output bmap O overwrite s source",
		rows: []row{
			{of: "bmaptool", words: "copy * *", as: &writesLast},
			{of: "ddrescue dd_rescue", words: "* *", does: effect.WriteFile, to: files{operand(1)}},
			{
				of: "partclone.restore partclone.dd", given: "o= output=",
				does: effect.WriteFile, to: files{valueOf("o output")},
			},
			{of: "ntfsclone", given: "O= overwrite=", does: effect.WriteFile, to: files{valueOf("O overwrite")}},
			{of: "nwipe scrub rpi-imager", as: &writesLast},
		},
	},
	{programs: "mkfs mke2fs mkswap newfs mkntfs mkdosfs", options: "t L n U O E b i N m type", do: makeFilesystem},
}

var (
	deletesSnapshot = act{kind: effect.DestroyRemote, op: effect.Part, to: text("snapshots of the disk")}
	writesLast      = act{kind: effect.WriteFile, to: files{lastOperand}}
	deletesMachine  = act{kind: effect.PruneLocal, op: "machine", to: operandsFrom(0)}
)

// imageFile reports an image file that a program changes instead of a device, if there is one.
func imageFile(sh *shell.Shell, _ shell.Command, o shell.Options) bool {
	for _, p := range o.Pos {
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/dev/") {
			sh.Write(p)
			return true
		}
	}
	return false
}

// changesMounts reports a file system that is mounted or unmounted, and guarded files at that point.
func changesMounts(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if f := sh.Path(o.At(len(o.Pos) - 1)); isGuarded(sh, f) {
		sh.Effect(effect.WriteFile, "", f)
	}
	sh.Effect(effect.ChangeSystem, effect.Named("mounts"), strings.Join(o.Pos, " "))
}

// isGuarded reports whether a path is one of Afar's own files or of the host's settings.
func isGuarded(sh *shell.Shell, path string) bool {
	return sh.IsOwn(path) || protected.HostPath(path, sh.Place.Home, sh.Eval.Site.Env)
}

// restartsThere reports a service of another machine that restarts, where others use it.
func restartsThere(sh *shell.Shell, c shell.Command, _ shell.Options) {
	if sh.Place.Away == shell.RemotePlace().Away {
		sh.Effect(effect.StopService, effect.Named(c.Name), strings.Join(c.Args, " "))
	}
}
