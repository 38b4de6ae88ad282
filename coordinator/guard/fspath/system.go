package fspath

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// SystemDirs lists the system directories that must not be deleted as a whole.
const SystemDirs = "/bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var " +
	"/System /Library /Applications /Volumes /private /mnt /media /nix " +
	"/usr/bin /usr/lib /usr/local /usr/sbin /usr/share /usr/local/bin /usr/local/lib /usr/include /var/lib " +
	"/var/log /var/mail /var/spool /var/db /private/etc /private/var /etc/ssl /etc/systemd /etc/nginx " +
	"/snap /Windows /Users/Shared C:"

// Made says how the folders of a name come about.
type Made uint8

// A folder may hold programs that somebody else wrote, what a tool makes again by itself,
// or files that are nobody's work.
const (
	Installed Made = 1 << iota
	Rebuilt
	Generated
)

var madeFolders = [...]struct {
	names string
	how   Made
}{
	{"node_modules .tox", Installed | Rebuilt | Generated},
	{".venv venv", Installed | Generated},
	{"site-packages", Installed},
	{"__pycache__ .pytest_cache .mypy_cache .ruff_cache DerivedData", Rebuilt | Generated},
	{"dist build out target coverage .next .nuxt .cache tmp .tmp", Generated},
}

// IsMade reports whether folders of a name come about in that way.
func IsMade(name string, how Made) bool {
	for i := range madeFolders {
		if f := &madeFolders[i]; f.how&how != 0 && lex.OneOf(name, f.names) {
			return true
		}
	}
	return false
}

// InMade reports whether a path leads through such a folder.
func InMade(path string, how Made) bool {
	for name, rest, more := strings.Cut(path, "/"); more; name, rest, more = strings.Cut(rest, "/") {
		if IsMade(name, how) {
			return true
		}
	}
	return false
}

// onMount returns the part of a path below the root of a mounted disk, in lower case.
// It returns false for a path on no such disk.
func onMount(p string) (rest string, ok bool) {
	if IsDrive(p) {
		return strings.TrimPrefix(p[2:], "/"), true
	}
	for _, m := range [...]struct {
		dir   string
		names int // parts of the path that name the disk
	}{{"/mnt/", 1}, {"/Volumes/", 1}, {"/run/media/", 2}, {"/media/", 2}} {
		if rest, ok = strings.CutPrefix(p, m.dir); !ok {
			continue
		}
		for range m.names {
			_, rest, _ = strings.Cut(rest, "/")
		}
		return strings.ToLower(rest), rest != ""
	}
	return "", false
}

// IsOtherSystem reports whether a path lies in a folder of Windows itself, on a
// drive or on a mounted disk.
func IsOtherSystem(p string) bool {
	rest, ok := onMount(p)
	head, _, _ := strings.Cut(rest, "/")
	switch head {
	case "windows", "program files", "program files (x86)", "programdata", "recovery", "system volume information":
		return ok
	}
	return false
}

// IsOtherTemp reports whether a path lies in the temp directory of a person on a
// Windows that is mounted.
func IsOtherTemp(p string) bool {
	rest, ok := onMount(p)
	return ok && strings.HasPrefix(rest, "users/") && strings.Contains(rest, "/appdata/local/temp/")
}

// IsProfile reports whether a path is the home of a person on another system that
// is mounted, or the folder of all homes.
func IsProfile(p string) bool {
	rest, ok := onMount(p)
	name, found := strings.CutPrefix(rest, "users/")
	return ok && (rest == "users" || found && !strings.Contains(name, "/"))
}

// isMountedDrive reports whether a path is a drive of Windows as Linux mounts it.
func isMountedDrive(p string) bool {
	name, ok := strings.CutPrefix(p, "/mnt/")
	return ok && len(name) == 1 && lex.IsLetter(name[0])
}

// IsDriveDir reports whether a path is a Windows drive or a system directory on
// one.
func IsDriveDir(p string) bool {
	if !IsDrive(p) {
		return isMountedDrive(p)
	}
	rest := strings.TrimSuffix(p[2:], "/"+partial.Unknown)
	return rest == "" || lex.OneOf(rest, "/windows /users /programdata /windows/system32 /boot /recovery") ||
		rest == "/program files" ||
		rest == "/program files (x86)"
}

// IsDevice reports whether a path is a disk or the memory of the machine.
func IsDevice(p string) bool {
	rest, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return lex.BeginsWith(p, "\\\\.\\ //./")
	}
	for _, d := range [...]string{
		"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk",
		"mapper/", "md", "dm-", "loop", "mem", "kmem", "port",
	} {
		if strings.HasPrefix(rest, d) {
			return true
		}
	}
	return false
}
