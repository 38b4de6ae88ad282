package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// diskPrograms are the programs of this file, with what each does.
var diskPrograms = []table{
	{programs: "dd dcfldd gdd", do: diskDump},
	{programs: "mkfs mke2fs mkswap newfs mkntfs mkdosfs", options: "t L n U O E b i N m type", do: makeFilesystem},
}

// diskDump reports the files or disks that dd reads and writes. Its operands have the form
// name=value, so no row describes them.
func diskDump(sh *shell.Shell, c shell.Command, _ shell.Options) {
	text, into := partial.Unknown, ""
	if c.In != nil {
		text = *c.In
	}
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
	if len(o.Pos) == 0 && len(c.Args) == 0 ||
		slices.Contains(c.Args, "-n") && (c.Name == "mke2fs" || strings.HasPrefix(c.Name, "mkfs.ext")) {
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

// diskTables are the programs that change whole disks and file systems.
var diskTables = []table{
	{
		programs: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk wipefs nvme hdparm badblocks mdadm parted cryptsetup",
		options:  "o t n d",
		dry:      "l list p print no-act dump J json info I V",
		before:   imageFile,
		rows: []row{
			{words: "list|smart-log|id-ctrl|status|isLuks|luksDump"},
			{of: "sgdisk blkdiscard sfdisk fdisk gdisk cfdisk", does: repartitions},
			{of: "wipefs", given: "a all o=", does: repartitions},
			{of: "nvme", words: "format|sanitize|delete-ns|write", does: repartitions},
			{
				of:    "hdparm",
				given: "security-erase security-erase-enhanced trim-sector-ranges write-sector",
				does:  repartitions,
			},
			{of: "badblocks", given: "w", does: repartitions},
			{of: "mdadm", given: "zero-superblock stop fail remove S create", does: repartitions},
			{
				of:    "parted",
				among: "rm mklabel mkpart resizepart mktable set name move toggle resize",
				does:  repartitions,
			},
			{
				of:    "cryptsetup",
				words: "luksAddKey|luksChangeKey|luksConvertKey|convert|config|resize|token",
				does:  act{effect.ChangeSystem, effect.Disk, "$0"},
			},
			{
				of:    "cryptsetup",
				words: "luksFormat|luksErase|erase|reencrypt|luksRemoveKey|luksKillSlot|luksHeaderRestore",
				does:  repartitions,
			},
		},
	},
	{programs: "lvremove vgremove pvremove lvreduce resize2fs", options: "o t", rows: volumeRows},
	{programs: "xfs_repair fsck e2fsck", options: "o t", dry: "n N", rows: volumeRows},
	{programs: "tune2fs", options: "o t", dry: "l", rows: volumeRows},
	{programs: "zpool zfs btrfs lvm", options: "o t", rows: []row{
		{of: "zpool", words: "destroy|labelclear|create|remove|offline|split", does: changesVolume},
		{of: "zfs", words: "destroy|rollback", does: changesVolume},
		{of: "btrfs", among: "delete del remove rm", does: changesVolume},
		{of: "lvm", among: "lvremove vgremove pvremove lvreduce", does: changesVolume},
	}},
	{programs: "diskutil asr tmutil hdiutil", anyCase: true, rows: []row{
		{of: "tmutil", words: "disable|thinlocalsnapshots", does: act{effect.ChangeSystem, effect.Backups, "$0"}},
		{of: "asr", does: act{effect.WriteDisk, effect.Format, operands}},
		{
			words: "erase*|secureerase*|partition*|zero*|reformat*|delete*|random*|restore",
			does:  act{effect.WriteDisk, effect.Format, operands},
		},
		{words: "apfs delete*", does: act{effect.WriteDisk, effect.Format, operands}},
	}},
	{programs: "vssadmin wbadmin wmic", rows: []row{
		{args: "delete|Delete|resize", does: act{effect.DestroyRemote, effect.Teardown, "backup of the disk"}},
	}},
	{programs: "blockdev", rows: []row{
		{args: "--flushbufs|--set*", does: act{effect.ChangeSystem, effect.Disk, "$args"}},
	}},
	{programs: "swapoff", options: "t o", rows: []row{
		{given: "a", does: act{effect.ChangeSystem, effect.Swap, operands}},
		{words: "*", does: act{effect.ChangeSystem, effect.Swap, operands}},
	}},
	{programs: "umount", options: "t o", rows: []row{
		{given: "a f l all force lazy", also: changesMounts},
		{among: "/", also: changesMounts},
	}},
	{programs: "mount", options: "t o", rows: []row{{words: "* *", also: changesMounts}, {given: "o=", also: remounts}}},
}

// volumeRows are the rows of programs that always change a volume.
var volumeRows = []row{{does: changesVolume}}

// imageFile reports an image file that a program changes instead of a device. It
// returns false if there is none.
func imageFile(sh *shell.Shell, _ shell.Command, o shell.Options) bool {
	for _, p := range o.Pos {
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/dev/") {
			sh.Write(p)
			return true
		}
	}
	return false
}

// changesMounts reports a file system that is mounted or unmounted, and guarded files
// at the mount point.
func changesMounts(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if f := sh.Path(o.At(len(o.Pos) - 1)); isGuarded(sh, f) {
		sh.Effect(effect.WriteFile, "", f)
	}
	sh.Effect(effect.ChangeSystem, effect.Mounts, strings.Join(o.Pos, " "))
}

// remounts reports a file system that is remounted with other options.
func remounts(sh *shell.Shell, c shell.Command, o shell.Options) {
	if strings.Contains(lex.First(o.All("o")), "remount") {
		changesMounts(sh, c, o)
	}
}

// isGuarded reports whether a path is one of Afar's own files or of the host's settings.
func isGuarded(sh *shell.Shell, path string) bool {
	return sh.IsOwn(path) || protected.HostPath(path, sh.Place.Home, sh.Eval.Site.Env)
}
