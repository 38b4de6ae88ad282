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

// IsDriveDir reports whether a path is a Windows drive or a system directory on
// one.
func IsDriveDir(p string) bool {
	if !IsDrive(p) {
		return false
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
