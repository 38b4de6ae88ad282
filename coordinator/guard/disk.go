package guard

import "strings"

func diskRow(name string) row {
	switch name {
	case "dd", "dcfldd", "gdd":
		return diskDump
	case "mkfs", "mke2fs", "mkswap", "newfs", "mkntfs", "mkdosfs":
		return makeFilesystem
	case "wipefs", "sgdisk", "blkdiscard", "badblocks", "hdparm", "nvme", "sfdisk", "fdisk", "gdisk", "parted", "cfdisk", "cryptsetup", "mdadm":
		return partition
	case "vssadmin", "wbadmin", "wmic":
		return func(sh *shell, c command) {
			if containsAny(c.args, "delete Delete resize") {
				sh.effect(DestroyRemote, "teardown", "backup of the disk")
			}
		}
	case "blockdev":
		return func(sh *shell, c command) {
			if containsPrefix(c.args, "--set") || containsString(c.args, "--flushbufs") {
				sh.effect(ChangeSystem, "disk", strings.Join(c.args, " "))
			}
		}
	case "lvremove", "vgremove", "pvremove", "lvreduce", "zpool", "zfs", "btrfs", "lvm", "tune2fs", "resize2fs", "xfs_repair", "fsck", "e2fsck":
		return volumes
	case "diskutil", "asr", "tmutil", "hdiutil":
		return macDisk
	case "mount", "umount", "swapoff":
		return func(sh *shell, c command) {
			o := parseOptions(c.args, "t o")
			if c.name == "swapoff" && (o.short('a') || len(o.pos) > 0) {
				sh.effect(ChangeSystem, "swap", strings.Join(o.pos, " "))
			}
			if c.name == "umount" && (o.short('a') || o.short('f') || o.short('l') || o.exact("all", "force", "lazy") || containsString(o.pos, "/")) || c.name == "mount" && (len(o.pos) > 1 || strings.Contains(first(o.all("o")), "remount")) {
				if f := sh.path(o.at(len(o.pos) - 1)); sh.isOwn(f) || hostPath(f, sh.place.home, sh.u.ctx.Env) {
					sh.effect(WriteFile, "", f)
				}
				sh.effect(ChangeSystem, "mounts", strings.Join(o.pos, " "))
			}
		}
	}
	return nil
}

func diskDump(sh *shell, c command) {
	for _, a := range c.args {
		if f, ok := strings.CutPrefix(a, "if="); ok {
			sh.print(sh.read(f))
		}
		if f, ok := strings.CutPrefix(a, "of="); ok {
			sh.write(f)
		}
	}
}

func makeFilesystem(sh *shell, c command) {
	o := parseOptions(c.args, "t L n U O E b i N m type")
	if len(o.pos) == 0 && len(c.args) == 0 || containsString(c.args, "-n") && (c.name == "mke2fs" || strings.HasPrefix(c.name, "mkfs.ext")) {
		return // -n of ext only shows what it would do
	}
	for _, p := range o.pos {
		if f := sh.path(p); !strings.HasPrefix(f, "/dev/") && (strings.HasSuffix(f, ".img") || strings.HasSuffix(f, ".raw")) {
			sh.write(p)
			return
		}
	}
	sh.effect(WriteDisk, "format", strings.Join(o.pos, " "))
}

func partition(sh *shell, c command) {
	o := parseOptions(c.args, "o t n d")
	for _, p := range o.pos {
		if strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "/dev/") {
			sh.write(p)
			return
		}
	}
	if o.exact("l", "list", "p", "print", "no-act", "dump", "J", "json", "info", "I", "V") || oneOf(o.at(0), "list smart-log id-ctrl status isLuks luksDump") {
		return
	}
	switch c.name {
	case "wipefs":
		if !o.short('a') && !o.has("all") && len(o.all("o")) == 0 {
			return
		}
	case "cryptsetup":
		if oneOf(o.at(0), "luksAddKey luksChangeKey luksConvertKey convert config resize token") {
			sh.effect(ChangeSystem, "disk", o.at(0))
		}
		if !oneOf(o.at(0), "luksFormat luksErase erase reencrypt luksRemoveKey luksKillSlot luksHeaderRestore") {
			return
		}
	case "nvme":
		if !oneOf(o.at(0), "format sanitize delete-ns write") {
			return
		}
	case "hdparm":
		if !o.exact("security-erase", "trim-sector-ranges", "write-sector") && !strings.Contains(strings.Join(c.args, " "), "--security-erase") {
			return
		}
	case "badblocks":
		if !o.short('w') {
			return
		}
	case "mdadm":
		if !o.exact("zero-superblock", "stop", "fail", "remove", "S", "create") {
			return
		}
	case "parted":
		if !containsAny(o.pos, "rm mklabel mkpart resizepart mktable set name move toggle resize") {
			return
		}
	}
	sh.effect(WriteDisk, "partition", strings.Join(o.pos, " "))
}

func containsAny(words []string, list string) bool {
	for _, w := range words {
		if oneOf(w, list) {
			return true
		}
	}
	return false
}

func volumes(sh *shell, c command) {
	o := parseOptions(c.args, "o t")
	switch c.name {
	case "zpool":
		if !oneOf(o.at(0), "destroy labelclear create remove offline split") {
			return
		}
	case "zfs":
		if !oneOf(o.at(0), "destroy rollback") {
			return
		}
	case "btrfs":
		if !containsAny(o.pos, "delete del remove rm") {
			return
		}
	case "lvm":
		if !containsAny(o.pos, "lvremove vgremove pvremove lvreduce") {
			return
		}
	case "fsck", "e2fsck", "xfs_repair":
		if o.short('n') || o.short('N') {
			return
		}
	case "tune2fs":
		if o.short('l') {
			return
		}
	}
	sh.effect(WriteDisk, "volume", strings.Join(o.pos, " "))
}

func macDisk(sh *shell, c command) {
	o := parseOptions(c.args, "")
	verb := strings.ToLower(o.at(0))
	if strings.HasPrefix(verb, "erase") || strings.HasPrefix(verb, "secureerase") || strings.HasPrefix(verb, "partition") || strings.HasPrefix(verb, "zero") ||
		strings.HasPrefix(verb, "reformat") || strings.HasPrefix(verb, "delete") || strings.HasPrefix(verb, "random") || verb == "restore" ||
		strings.EqualFold(verb, "apfs") && strings.HasPrefix(strings.ToLower(o.at(1)), "delete") || c.name == "asr" {
		sh.effect(WriteDisk, "format", strings.Join(o.pos, " "))
	}
	if c.name == "tmutil" && oneOf(verb, "disable thinlocalsnapshots") {
		sh.effect(ChangeSystem, "backups", verb)
	}
}
