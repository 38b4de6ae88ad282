package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

func diskRow(name string) action {
	switch name {
	case "dd", "dcfldd", "gdd":
		return diskDump
	case "mkfs", "mke2fs", "mkswap", "newfs", "mkntfs", "mkdosfs":
		return makeFilesystem
	case "wipefs", "sgdisk", "blkdiscard", "badblocks", "hdparm", "nvme", "sfdisk", "fdisk", "gdisk", "parted", "cfdisk", "cryptsetup", "mdadm":
		return partition
	case "vssadmin", "wbadmin", "wmic":
		return func(sh *shell.Shell, c shell.Command) {
			if lex.ContainsAny(c.Args, "delete Delete resize") {
				sh.Effect(effect.DestroyRemote, effect.Teardown, "backup of the disk")
			}
		}
	case "blockdev":
		return func(sh *shell.Shell, c shell.Command) {
			if lex.ContainsPrefix(c.Args, "--set") || slices.Contains(c.Args, "--flushbufs") {
				sh.Effect(effect.ChangeSystem, effect.Disk, strings.Join(c.Args, " "))
			}
		}
	case "lvremove", "vgremove", "pvremove", "lvreduce", "zpool", "zfs", "btrfs", "lvm", "tune2fs", "resize2fs", "xfs_repair", "fsck", "e2fsck":
		return volumes
	case "diskutil", "asr", "tmutil", "hdiutil":
		return macDisk
	case "mount", "umount", "swapoff":
		return func(sh *shell.Shell, c shell.Command) {
			o := shell.ParseOptions(c.Args, "t o")
			if c.Name == "swapoff" && (o.Short('a') || len(o.Pos) > 0) {
				sh.Effect(effect.ChangeSystem, effect.Swap, strings.Join(o.Pos, " "))
			}
			if c.Name == "umount" && (o.Exact("a", "f", "l", "all", "force", "lazy") || slices.Contains(o.Pos, "/")) || c.Name == "mount" && (len(o.Pos) > 1 || strings.Contains(lex.First(o.All("o")), "remount")) {
				if f := sh.Path(o.At(len(o.Pos) - 1)); sh.IsOwn(f) || protected.HostPath(f, sh.Place.Home, sh.Eval.Site.Env) {
					sh.Effect(effect.WriteFile, "", f)
				}
				sh.Effect(effect.ChangeSystem, effect.Mounts, strings.Join(o.Pos, " "))
			}
		}
	}
	return nil
}

func diskDump(sh *shell.Shell, c shell.Command) {
	for _, a := range c.Args {
		if f, ok := strings.CutPrefix(a, "if="); ok {
			sh.Print(sh.Read(f))
		}
		if f, ok := strings.CutPrefix(a, "of="); ok {
			sh.Write(f)
		}
	}
}

func makeFilesystem(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t L n U O E b i N m type")
	if len(o.Pos) == 0 && len(c.Args) == 0 || slices.Contains(c.Args, "-n") && (c.Name == "mke2fs" || strings.HasPrefix(c.Name, "mkfs.ext")) {
		return // -n of ext only shows what it would do
	}
	for _, p := range o.Pos {
		if f := sh.Path(p); !strings.HasPrefix(f, "/dev/") && (lex.EndsWith(f, ".img .raw")) {
			sh.Write(p)
			return
		}
	}
	sh.Effect(effect.WriteDisk, effect.Format, strings.Join(o.Pos, " "))
}

func partition(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "o t n d")
	for _, p := range o.Pos {
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/dev/") {
			sh.Write(p)
			return
		}
	}
	if o.Exact("l", "list", "p", "print", "no-act", "dump", "J", "json", "info", "I", "V") || lex.OneOf(o.At(0), "list smart-log id-ctrl status isLuks luksDump") {
		return
	}
	switch c.Name {
	case "wipefs":
		if !o.Short('a') && !o.Has("all") && len(o.All("o")) == 0 {
			return
		}
	case "cryptsetup":
		if lex.OneOf(o.At(0), "luksAddKey luksChangeKey luksConvertKey convert config resize token") {
			sh.Effect(effect.ChangeSystem, effect.Disk, o.At(0))
		}
		if !lex.OneOf(o.At(0), "luksFormat luksErase erase reencrypt luksRemoveKey luksKillSlot luksHeaderRestore") {
			return
		}
	case "nvme":
		if !lex.OneOf(o.At(0), "format sanitize delete-ns write") {
			return
		}
	case "hdparm":
		if !o.Exact("security-erase", "trim-sector-ranges", "write-sector") && !strings.Contains(strings.Join(c.Args, " "), "--security-erase") {
			return
		}
	case "badblocks":
		if !o.Short('w') {
			return
		}
	case "mdadm":
		if !o.Exact("zero-superblock", "stop", "fail", "remove", "S", "create") {
			return
		}
	case "parted":
		if !lex.ContainsAny(o.Pos, "rm mklabel mkpart resizepart mktable set name move toggle resize") {
			return
		}
	}
	sh.Effect(effect.WriteDisk, effect.Partition, strings.Join(o.Pos, " "))
}

func volumes(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "o t")
	switch c.Name {
	case "zpool":
		if !lex.OneOf(o.At(0), "destroy labelclear create remove offline split") {
			return
		}
	case "zfs":
		if !lex.OneOf(o.At(0), "destroy rollback") {
			return
		}
	case "btrfs":
		if !lex.ContainsAny(o.Pos, "delete del remove rm") {
			return
		}
	case "lvm":
		if !lex.ContainsAny(o.Pos, "lvremove vgremove pvremove lvreduce") {
			return
		}
	case "fsck", "e2fsck", "xfs_repair":
		if o.Exact("n", "N") {
			return
		}
	case "tune2fs":
		if o.Short('l') {
			return
		}
	}
	sh.Effect(effect.WriteDisk, effect.Volume, strings.Join(o.Pos, " "))
}

func macDisk(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "")
	verb := strings.ToLower(o.At(0))
	if lex.BeginsWith(verb, "erase secureerase partition zero reformat delete random") || verb == "restore" || strings.EqualFold(verb, "apfs") && strings.HasPrefix(strings.ToLower(o.At(1)), "delete") || c.Name == "asr" {
		sh.Effect(effect.WriteDisk, effect.Format, strings.Join(o.Pos, " "))
	}
	if c.Name == "tmutil" && lex.OneOf(verb, "disable thinlocalsnapshots") {
		sh.Effect(effect.ChangeSystem, effect.Backups, verb)
	}
}
