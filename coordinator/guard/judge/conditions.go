package judge

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// globbed reports whether the target may be several files or an unknown one.
func globbed(_ *judging, e *effect.Effect) bool {
	return !fspath.IsExact(e.Target) || e.Op == effect.Find
}

// rebuilt reports whether the target is a directory that a tool creates again by
// itself, such as a cache.
func rebuilt(j *judging, e *effect.Effect) bool {
	known := e.Sure == effect.Known || e.Op == effect.Find // what find finds lies below its root
	switch {
	case e.Away != "", !known, fspath.HasGlob(fspath.Dir(e.Target)):
		return false
	}
	base := fspath.Base(strings.TrimSuffix(e.Target, "/"))
	switch {
	case fspath.IsMade(base, fspath.Rebuilt):
		return true
	case j.home != "" && !fspath.Within(e.Target, j.home):
		return false
	}
	return lex.Mentions(e.Target, cacheFolders)
}

// cacheFolders are the caches in a home. A tool fills them again.
const cacheFolders = "/node_modules/ /.cache/ /Library/Caches/ /DerivedData/ /.gradle/caches /.npm/_cacache " +
	"/.cargo/registry/ /go/pkg/mod/"

// created reports whether the session itself made the tree at the target.
func created(j *judging, e *effect.Effect) bool {
	switch {
	case !plainHere(e), e.Sure != effect.Known, j.ctx.Created == nil:
		return false
	}
	return j.ctx.Created(j.real(e.Target))
}

// walled reports whether the effect is bounded by a wall of the kernel.
func walled(j *judging, e *effect.Effect) bool { return j.ctx.Walled && e.Away == "" }

// onThisMachine reports whether the effect happens on this machine.
func onThisMachine(_ *judging, e *effect.Effect) bool { return e.Away == "" }

// onEmulator reports whether the effect happens to a service that is emulated on this machine.
func onEmulator(_ *judging, e *effect.Effect) bool { return e.Away == effect.OnEmulator }

// inTempClone reports whether the effect happens in a tree of git below a temp directory that is not
// older than the session. The work of a day may lie in an older one.
func inTempClone(j *judging, e *effect.Effect) bool {
	older := j.ctx.Older != nil && j.ctx.Older(strings.TrimSuffix(e.Dir, "/")+"/")
	return e.Away == "" && !older && j.place(e.Dir, false) == inTemp
}

// inAnyContainer reports whether the effect happens inside a new or a running container.
func inAnyContainer(_ *judging, e *effect.Effect) bool {
	return e.Away == "container" || e.Away == effect.InRunning
}

// imageDirs come with the image of a container, and codeDirs are where it has the project.
const (
	imageDirs = "/etc/ /usr/ /opt/ /bin/ /sbin/ /lib/ /tmp/ /var/cache/ /var/log/ /var/tmp/ /root/.cache"
	codeDirs  = "/app/ /usr/src/app/ /workspace/ /code/ /src/ /var/www/html/"
)

// madeAgain reports whether the target is below a directory that comes with the image of a
// running container, or below a part of the project in it.
func madeAgain(_ *judging, e *effect.Effect) bool {
	target := e.Target
	if fspath.HasGlob(target) {
		target = fspath.Dir(target)
	}
	return e.Away == effect.InRunning && fspath.IsExact(target) && lex.BeginsWith(target, imageDirs+" "+codeDirs)
}

// inContainer reports whether the effect happens inside a container.
func inContainer(_ *judging, e *effect.Effect) bool { return e.Away == "container" }

// recursive reports whether the Op of the effect is one for a whole tree.
func recursive(_ *judging, e *effect.Effect) bool { return strings.HasSuffix(string(e.Op), "tree") }

// mainNamed reports whether the effect names the branch that others build on.
func mainNamed(j *judging, e *effect.Effect) bool {
	return e.Target != "" && mainBranch(j, e)
}

// repoWrite reports whether the target is a file in .git that configures git, runs code, or holds refs
// or objects, or whether a link or another file takes the place of any file there.
func repoWrite(j *judging, e *effect.Effect) bool {
	i := strings.Index(e.Target, "/.git/")
	if i < 0 {
		return false
	}
	tail := e.Target[i+6:]
	return e.Op == effect.Placed || lex.OneOf(tail, "HEAD config index info/grafts packed-refs shallow") ||
		fspath.WithinAny(tail, "hooks refs objects")
}

const vitalFiles = "/bin/bash /bin/login /bin/sh /etc/crypttab /etc/fstab /etc/group /etc/gshadow /etc/hosts.allow" +
	" /etc/inittab /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.preload /etc/master.passwd /etc/nsswitch.conf" +
	" /etc/pam.conf /etc/passwd /etc/shadow /etc/sudoers /proc/sysrq-trigger /sbin/init /usr/bin/bash /usr/bin/env" +
	" /usr/bin/login /usr/bin/sh /usr/bin/sudo /usr/sbin/init"

// vitalDirs are the directories whose files are all vital.
const vitalDirs = "/boot /etc/sudoers.d /etc/pam.d /lib/modules /usr/lib/modules /lib/systemd /usr/lib/systemd"

// vital reports whether the system needs a file to start or to let people log in.
func vital(p string) bool {
	switch {
	case lex.OneOf(p, vitalFiles), fspath.IsOtherSystem(p), fspath.WithinAny(p, vitalDirs):
		return true
	}
	return lex.BeginsWith(p, "/lib /usr/lib") && lex.BeginsWith(fspath.Base(p), "libc.so ld-linux")
}

// vitalOutside reports whether an existing file is changed that is vital and not in the project.
func vitalOutside(j *judging, e *effect.Effect) bool {
	if e.Op == effect.Create || j.where(e) == inProject {
		return false
	}
	return vital(e.Target) || j.eitherHere(e, vital)
}

// madeFolder reports whether the effect creates a .claude folder, as
// "mkdir -p .claude" does.
func madeFolder(j *judging, e *effect.Effect) bool {
	return e.Op == effect.Create && settingsFolder(j, e)
}

// settingsFolder reports whether the target is a .claude folder itself.
func settingsFolder(_ *judging, e *effect.Effect) bool {
	return fspath.Base(e.Target) == ".claude"
}

// serverList reports whether the target lists servers on this machine that the host starts.
func serverList(_ *judging, e *effect.Effect) bool {
	return lex.OneOf(fspath.Base(e.Target), ".mcp.json .lsp.json") && e.Away == ""
}

// startFiles are the files of a home that a shell, a session, git, a terminal, a debugger or an
// interpreter runs by itself.
const startFiles = ".bash_aliases .bash_completion .bash_functions .bash_login .bash_logout .bash_profile .bashrc" +
	" .cshrc .direnvrc .gdbinit .gitconfig .inputrc .irbrc .kshrc .lessfilter .lesspipe .lldbinit .login .mkshrc" +
	" .pam_environment .pdbrc .profile .pryrc .pythonrc .pythonrc.py .screenrc .tcshrc .tmux.conf .xinitrc .xonshrc" +
	" .xprofile .xserverrc .xsession .xsessionrc .zlogin .zlogout .zprofile .zshenv .zshrc"

// startFolders are the folders whose files run by themselves. Those of homeFolders do so in a home, and
// are settings like others in a project; the hooks of other agents are among them.
const (
	startFolders = "/.config/fish/ /Library/LaunchAgents/ /Library/LaunchDaemons/ /.config/autostart/ " +
		"/.config/systemd/user/ /.config/systemd/user.control/ /.local/share/dbus-1/services/ " +
		"/etc/cron /etc/systemd/system/ /etc/profile.d/ /etc/init.d/ /var/spool/cron"
	homeFolders = "/.local/share/systemd/user/ /.config/git/ /.config/environment.d/ /.config/tmux/ /.config/zsh/ " +
		"/.config/nushell/ /.config/powershell/ /.config/direnv/ /.config/plasma-workspace/ /.config/elvish/ " +
		"/.oh-my-zsh/custom/ /.bashrc.d/ /.profile.d/ /.zsh/ /.zshrc.d/ /.ssh/rc /.ssh/environment " +
		"/.ipython/profile_default/startup/ /.codex/config.toml /.codex/hooks.json /.copilot/hooks/ /.cursor/hooks.json " +
		"/.gemini/settings.json /.config/opencode/opencode.json /.config/opencode/plugin"
	pythonFolders = "/site-packages/ /dist-packages/"
	pythonStarts  = "/usercustomize.py /sitecustomize.py .pth"
)

// startFile reports whether the target is a file that runs by itself, such as at
// login, at a fixed time or with each command, or that opens the machine to others.
func startFile(j *judging, e *effect.Effect) bool {
	switch p := e.Target; {
	case e.Away != "":
		return false
	case lex.OneOf(fspath.Base(p), startFiles) && j.isHome(fspath.Dir(p)),
		lex.Mentions(p, startFolders),
		lex.EndsWith(p, "/.ssh/authorized_keys /.ssh/authorized_keys2 /.ssh/config"):
		return true
	case !lex.Mentions(p, homeFolders) && !(lex.Mentions(p, pythonFolders) && lex.EndsWith(p, pythonStarts)):
		return false
	}
	return j.where(e) != inProject
}

// programFolders hold programs that only root installs. Homebrew's are as good: each write there is asked about.
const programFolders = "/bin /sbin /lib /lib64 /usr /nix/store /snap /System /Library /opt/homebrew"

// installed reports whether the target is a program that no session writes without a question.
func installed(j *judging, e *effect.Effect) bool {
	return fspath.IsExact(e.Target) && fspath.WithinAny(j.real(e.Target), programFolders)
}

// inPath reports whether the target is a program outside the project that is found by its name, a file
// that would be one, or a folder of such programs into which files are unpacked or copied.
func inPath(j *judging, e *effect.Effect) bool {
	into := e.From != "" || e.Op == effect.Unpack
	if len(j.ctx.Path) == 0 || e.Via == "mkdir" || !into && j.where(e) == inProject {
		return false
	}
	return j.eitherHere(e, func(p string) bool {
		folder := fspath.Dir(p)
		return slices.ContainsFunc(j.ctx.Path, func(of string) bool {
			of = fspath.Slashed(of)
			return !fspath.Within(of, j.project) && (folder == of || into && p == of || folder == j.real(of))
		})
	})
}

// secretWrite reports whether an existing credential is overwritten. Inside the
// project only emptying one counts.
func secretWrite(j *judging, e *effect.Effect) bool {
	if e.Op == effect.Create || e.Op != effect.Truncate && fspath.Within(e.Target, j.project) {
		return false // setting a project up: cp .env.example .env
	}
	if j.where(e) == inTemp {
		return false
	}
	return secretRead(j, e)
}

// systemWrite reports whether the target lies in a system directory. Mounted
// disks, and the deployment directories of a remote host, do not count.
func systemWrite(j *judging, e *effect.Effect) bool {
	switch {
	case lex.BeginsWith(e.Target, "/dev/ /proc/self/"),
		fspath.WithinAny(e.Target, "/mnt /media /Volumes"),                     // people's own disks
		e.Away == "remote" && fspath.WithinAny(e.Target, "/var/www /srv /opt"): // where a host is deployed to
		return false
	}
	in := j.where(e)
	return in == inSystem || in == inRoot && e.Op != effect.Create
}

// elevatedRisk reports whether running with more rights is a risk by itself.
// sudo and the like are not: they ask the person, and the command that they run
// is judged by its effects. They are a risk if they open a shell, or if the
// command is su, passwd or visudo. All other ways are a risk.
func elevatedRisk(_ *judging, e *effect.Effect) bool {
	if !slices.Contains(ops{effect.Sudo, effect.Doas, effect.Pkexec, effect.Runuser}, e.Op) {
		return true
	}
	program, _, more := strings.Cut(e.Target, " ")
	name := lex.ProgramName(program)
	if lex.IsShellName(name) {
		return !more
	}
	return name == "" || lex.OneOf(name, "su passwd visudo")
}

// modFile reports whether the target makes the host load a mod: it lies in
// dev-mods, or it lists the hooks and modules of a skill.
func modFile(j *judging, e *effect.Effect) bool {
	return j.eitherHere(e, j.loadsMod)
}

// loadsMod is modFile for one path.
func (j *judging) loadsMod(p string) bool {
	tail, _ := protected.HostFolder(p, j.ctx.Env)
	if fspath.Within(tail, "/dev-mods") {
		return true
	}
	rest, ok := strings.CutPrefix(tail, "/skills/")
	if !ok {
		return false
	}
	_, file, _ := strings.Cut(rest, "/")
	return fspath.WithinAny(file, "hooks .claude-plugin") || lex.OneOf(fspath.Base(file), "hooks.json plugin.json")
}

// skillFile reports whether the target is a skill of the host, a file of one, the folder of all skills, or
// another file from which sessions take instructions.
func skillFile(j *judging, e *effect.Effect) bool {
	isEmpty := e.Op == effect.Create && lex.OneOf(e.Via, "mkdir touch mkfifo")
	return !isEmpty && j.eitherHere(e, func(p string) bool {
		tail, _ := protected.HostFolder(p, j.ctx.Env)
		return protected.HostInstructions(tail)
	})
}
