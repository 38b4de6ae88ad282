package judge

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

func globbed(_ *judging, e effect.Effect) bool {
	return fspath.HasGlob(e.Target) || partial.HasHole(e.Target) || e.Op == effect.Find
}

// rebuilt is true of directories that a tool makes again by itself.
func rebuilt(j *judging, e effect.Effect) bool {
	if e.Away != "" || e.Sure != effect.Known || fspath.HasGlob(fspath.Dir(e.Target)) {
		return false
	}
	base := fspath.Base(strings.TrimSuffix(e.Target, "/"))
	if lex.OneOf(base, "node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox DerivedData") {
		return true
	}
	for _, dir := range [...]string{"/node_modules/", "/.cache/", "/Library/Caches/", "/DerivedData/", "/.gradle/caches", "/.npm/_cacache", "/.cargo/registry/", "/go/pkg/mod/"} {
		if strings.Contains(e.Target, dir) && (j.home == "" || fspath.Within(e.Target, j.home)) {
			return true
		}
	}
	return false
}

// created is true of a tree that the session itself made.
func created(j *judging, e effect.Effect) bool {
	known := e.Away == "" && e.Sure == effect.Known && !fspath.HasGlob(e.Target) && !partial.HasHole(e.Target)
	return known && j.ctx.Created != nil && j.ctx.Created(j.real(e.Target))
}

// here is true of an effect on this machine.
func here(_ *judging, e effect.Effect) bool { return e.Away == "" }

// inContainer is true of what a throw-away container does to itself.
func inContainer(_ *judging, e effect.Effect) bool { return e.Away == "container" }

func recursive(_ *judging, e effect.Effect) bool { return strings.HasSuffix(string(e.Op), "tree") }

func mainNamed(j *judging, e effect.Effect) bool {
	if e.Target == "" {
		return false
	}
	return mainBranch(j, e)
}

// repoWrite is true of the files in .git that run code or hold refs.
func repoWrite(j *judging, e effect.Effect) bool {
	i := strings.Index(e.Target, "/.git/")
	if i < 0 {
		return false
	}
	tail := e.Target[i+6:]
	return lex.OneOf(tail, "config HEAD index packed-refs hooks") || fspath.Within(tail, "hooks") ||
		fspath.Within(tail, "refs") ||
		fspath.Within(tail, "objects")
}

const vitalFiles = "/etc/passwd /etc/shadow /etc/group /etc/sudoers /etc/fstab /etc/hosts.allow /etc/pam.conf " +
	"/boot/grub/grub.cfg /etc/ld.so.preload /proc/sysrq-trigger /etc/master.passwd"

func vitalFile(j *judging, e effect.Effect) bool {
	if e.Op == effect.Create {
		return false
	}
	p := j.real(e.Target)
	return lex.OneOf(p, vitalFiles) || lex.OneOf(e.Target, vitalFiles) || fspath.Within(p, "/boot") ||
		fspath.Within(p, "/etc/sudoers.d") ||
		fspath.Within(p, "/etc/pam.d")
}

// madeFolder is true of "mkdir -p .claude", settingsFolder of any other write
// whose target is the folder itself.
func madeFolder(j *judging, e effect.Effect) bool {
	return e.Op == effect.Create && settingsFolder(j, e)
}

func settingsFolder(_ *judging, e effect.Effect) bool {
	return fspath.Base(e.Target) == ".claude"
}

func serverList(_ *judging, e effect.Effect) bool {
	return fspath.Base(e.Target) == ".mcp.json" && e.Away == ""
}

const startFiles = ".bashrc .bash_profile .bash_login .profile .zshrc .zprofile .zshenv .zlogin .bash_logout " +
	".kshrc .cshrc .tcshrc .gitconfig .inputrc .pam_environment"

// startFile is true of the files in a home that run at login.
func startFile(j *judging, e effect.Effect) bool {
	p := e.Target
	if e.Away != "" {
		return false
	}
	if lex.OneOf(fspath.Base(p), startFiles) {
		dir := fspath.Dir(p)
		return dir == "~" || j.isHome(dir)
	}
	for _, d := range [...]string{"/.config/fish/", "/Library/LaunchAgents/", "/Library/LaunchDaemons/", "/.config/autostart/", "/.config/systemd/user/", "/etc/cron", "/etc/systemd/system/", "/etc/profile.d/", "/etc/init.d/", "/var/spool/cron"} {
		if strings.Contains(p, d) {
			return true
		}
	}
	return lex.EndsWith(p, "/.ssh/authorized_keys /.ssh/config")
}

func secretWrite(j *judging, e effect.Effect) bool {
	if e.Op == effect.Create || e.Op != effect.Truncate && fspath.Within(e.Target, j.project) {
		return false // setting a project up: cp .env.example .env
	}
	return secretRead(j, e)
}

func systemWrite(j *judging, e effect.Effect) bool {
	if lex.BeginsWith(e.Target, "/dev/ /proc/self/") {
		return false
	}
	if fspath.Within(e.Target, "/mnt") || fspath.Within(e.Target, "/media") || fspath.Within(e.Target, "/Volumes") {
		return false // people's own disks
	}
	if e.Away == "remote" &&
		(fspath.Within(e.Target, "/var/www") || fspath.Within(e.Target, "/srv") || fspath.Within(e.Target, "/opt")) {
		return false // where a host keeps what is deployed to it
	}
	w := j.where(e)
	return w == inSystem || w == inRoot && e.Op != effect.Create
}

// elevatedRisk: sudo alone is the person's own gate; what it runs is judged
// by its effects. Only a shell of its own or the rights of the host are risks.
func elevatedRisk(_ *judging, e effect.Effect) bool {
	if e.Op != effect.Sudo && e.Op != effect.Doas && e.Op != effect.Pkexec && e.Op != effect.Runuser {
		return true
	}
	prog, _, _ := strings.Cut(e.Target, " ")
	return prog == "" || lex.IsShellName(lex.ProgramName(prog)) && !strings.Contains(e.Target, " ") ||
		lex.OneOf(lex.ProgramName(prog), "su passwd visudo")
}
