//go:build amd64

package wall

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/afar-sh/afar/coordinator/home"
)

// A field is what an attack finds: a home with secrets, a project in it, and a process outside.
type field struct {
	Home, Project, Temp string
	Victim              int
}

func (f field) at(name string) string { return filepath.Join(f.Home, name) }

// here returns a path in the project.
func (f field) here(name string) string { return filepath.Join(f.Project, name) }

// Calls that package syscall does not name.
const (
	processVMRead = 310
	renameat2     = 316
	openByHandle  = 304
	nameToHandle  = 303
	pidfdOpen     = 434
	pidfdGetFD    = 438
	pidfdSignal   = 424
	setNS         = 308
	memfdCreate   = 319
	createRuleset = 444
	openat2       = 437
)

func raw(call uintptr, args ...uintptr) error {
	args = append(args, 0, 0, 0, 0, 0, 0)
	_, _, e := syscall.RawSyscall6(call, args[0], args[1], args[2], args[3], args[4], args[5])
	if e != 0 {
		return e
	}
	return nil
}

func cstring(s string) uintptr {
	b, _ := syscall.BytePtrFromString(s)
	return uintptr(unsafe.Pointer(b))
}

func writes(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString("attacked")
		f.Close()
	}
	return err
}

func reads(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func shell(line string) error { return exec.Command("/bin/sh", "-c", line).Run() }

// proc returns a file of the process outside.
func (f field) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", f.Victim, name) }

// attacks are real system calls and programs from inside. Each succeeds without a wall.
var attacks = []struct {
	name string
	run  func(f field) error
}{
	{"write a new file of the home", func(f field) error { return writes(f.at("new")) }},
	{"write a file of the home", func(f field) error { return writes(f.at(".bashrc")) }},
	{"truncate a file of the home", func(f field) error { return os.Truncate(f.at(".bashrc"), 0) }},
	{"open and truncate", func(f field) error {
		_, err := os.OpenFile(f.at(".bashrc"), os.O_RDONLY|os.O_TRUNC, 0)
		return err
	}},
	{"remove a file of the home", func(f field) error { return os.Remove(f.at(".profile")) }},
	{"remove a folder of the home", func(f field) error { return os.Remove(f.at("empty")) }},
	{"make a folder in the home", func(f field) error { return os.Mkdir(f.at("made"), 0o700) }},
	{"make a link in the home", func(f field) error { return os.Symlink("x", f.at("link")) }},
	{"make a pipe in the home", func(f field) error { return syscall.Mkfifo(f.at("pipe"), 0o600) }},
	{"make a socket in the home", func(f field) error {
		_, err := net.Listen("unix", f.at("s"))
		return err
	}},
	{"write another project", func(f field) error { return writes(f.at("other/main.go")) }},
	{"read a key", func(f field) error { return reads(f.at(".ssh/id_ed25519")) }},
	{"list the keys", func(f field) error {
		_, err := os.ReadDir(f.at(".ssh"))
		return err
	}},
	{"read a key through a link", func(f field) error {
		_ = os.Symlink(f.at(".ssh/id_ed25519"), f.here("l"))
		return reads(f.here("l"))
	}},
	{"read a key through a link of its folder", func(f field) error {
		_ = os.Symlink(f.at(".ssh"), f.here("d"))
		return reads(f.here("d/id_ed25519"))
	}},
	{"read a key by /proc/self/root", func(f field) error {
		return reads("/proc/self/root" + f.at(".ssh/id_ed25519"))
	}},
	{"read a key by a path that goes up", func(f field) error { return reads(f.here("../.ssh/id_ed25519")) }},
	{"read a key with openat2", func(f field) error {
		how := [3]uint64{}
		at := int64(-100)
		return raw(openat2, uintptr(at), cstring(f.at(".ssh/id_ed25519")), uintptr(unsafe.Pointer(&how)), 24)
	}},
	{"read a key by a handle", func(f field) error {
		handle := struct {
			bytes uint32
			kind  int32
			data  [128]byte
		}{bytes: 128}
		mount, at := int32(0), int64(-100)
		err := raw(nameToHandle, uintptr(at), cstring(f.at(".ssh/id_ed25519")), uintptr(unsafe.Pointer(&handle)),
			uintptr(unsafe.Pointer(&mount)))
		dir, err2 := syscall.Open(f.Project, syscall.O_RDONLY, 0)
		return errors.Join(err, err2, raw(openByHandle, uintptr(dir), uintptr(unsafe.Pointer(&handle)), 0))
	}},
	{"hard link a key into the project", func(f field) error {
		return os.Link(f.at(".ssh/id_ed25519"), f.here("hard"))
	}},
	{"hard link what the home lets read", func(f field) error { return os.Link(f.at(".bashrc"), f.here("rc")) }},
	{"hard link a file into the home", func(f field) error { return os.Link(f.here("own"), f.at("hard")) }},
	{"move a key into the project", func(f field) error {
		return os.Rename(f.at(".ssh/id_ed25519"), f.here("moved"))
	}},
	{"move a file over one of the home", func(f field) error { return os.Rename(f.here("own"), f.at(".bashrc")) }},
	{"exchange two folders", func(f field) error {
		at := int64(-100)
		return raw(renameat2, uintptr(at), cstring(f.here("dir")), uintptr(at), cstring(f.at(".ssh")), 2)
	}},
	{"move the project away", func(f field) error { return os.Rename(f.Project, f.at("elsewhere")) }},
	{"open a nameless file in the home", func(f field) error {
		_, err := syscall.Open(f.Home, syscall.O_RDWR|0x410000, 0o600)
		return err
	}},
	{"open what can be read again, to write it", func(f field) error {
		file, err := os.Open(f.at(".bashrc"))
		if err != nil {
			return nil // it can be read
		}
		defer file.Close()
		return writes(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	}},
	{"write after leaving the process group", func(f field) error {
		return shell(`setsid sh -c 'echo attacked > "` + f.at("late") + `"'`)
	}},
	{"write with a program from memory", func(f field) error {
		fd, _, e := syscall.RawSyscall(memfdCreate, cstring("m"), 0, 0)
		text, err := os.ReadFile("/bin/sh")
		if e != 0 || err != nil {
			return errors.New("no program in memory")
		}
		_, _ = syscall.Write(int(fd), text)
		return exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "-c", "echo x > "+f.at("mem")).Run()
	}},
	{"a descriptor that was open", func(f field) error {
		for fd := 3; fd < 64; fd++ {
			path, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			if strings.HasPrefix(path, f.Home) && !strings.HasPrefix(path, f.Project) {
				return nil
			}
		}
		return errors.New("none is")
	}},
	{"settings of Claude Code", func(f field) error { return writes(f.at(".claude/settings.json")) }},
	{"a hook of Claude Code", func(f field) error { return os.MkdirAll(f.at(".claude/hooks"), 0o700) }},
	{"a skill of Claude Code", func(f field) error { return os.MkdirAll(f.at(".claude/skills/x"), 0o700) }},
	{"the file of Claude Code's projects", func(f field) error { return writes(f.at(".claude.json")) }},
	{"the same by a rename", func(f field) error {
		return errors.Join(writes(f.here("own")), os.Rename(f.here("own"), f.at(".claude.json")))
	}},
	{"a shell snapshot of another session", func(f field) error { return writes(f.at(".claude/shell-snapshots/s.sh")) }},
	{"the environment of another session", func(f field) error {
		return writes(f.at(".claude/session-env/other/hook-0.sh"))
	}},
	{"keys that may sign in", func(f field) error { return writes(f.at(".ssh/authorized_keys")) }},
	{"settings of git", func(f field) error { return writes(f.at(".gitconfig")) }},
	{"a unit of systemd", func(f field) error { return os.MkdirAll(f.at(".config/systemd/user"), 0o700) }},
	{"a start of the desktop", func(f field) error { return os.MkdirAll(f.at(".config/autostart"), 0o700) }},
	{"a program in the search path", func(f field) error { return writes(f.at(".local/bin/git")) }},
	{"a table of cron", func(field) error { return writes("/var/spool/cron/crontabs/attacker") }},
	{"the token of the bot", func(f field) error { return reads(f.at("afar-home/telegram.token")) }},
	{"Afar's database", func(f field) error { return reads(f.at("afar-home/state/afar.db")) }},
	{"the keys of the fleet", func(f field) error { return reads(f.at("afar-home/state/fleet/sign.nkey")) }},
	{"Afar's settings", func(f field) error { return writes(f.at("afar-home/config.toml")) }},
	{"a mark of the person", func(f field) error { return writes(f.at("afar-home/state/marks/pause")) }},
	{"the environment of a process outside", func(f field) error { return reads(f.proc("environ")) }},
	{"the memory of a process outside", func(f field) error {
		file, err := os.OpenFile(f.proc("mem"), os.O_RDWR, 0)
		if err == nil {
			file.Close()
		}
		return err
	}},
	{"the root of a process outside", func(f field) error { return reads(f.proc("root") + "/etc/hostname") }},
	{"the directory of a process outside", func(f field) error { return reads(f.proc("cwd/.bashrc")) }},
	{"the descriptors of a process outside", func(f field) error {
		file, err := os.Open(f.proc("fd/0"))
		if err == nil {
			file.Close()
		}
		return err
	}},
	{"ptrace", func(f field) error {
		return raw(syscall.SYS_PTRACE, 0x4206, uintptr(f.Victim), 0, 0) // PTRACE_SEIZE, which does not stop it
	}},
	{"read the memory with process_vm_readv", func(f field) error {
		var word [8]byte
		local := [2]uintptr{uintptr(unsafe.Pointer(&word)), 8}
		remote := [2]uintptr{0x400000, 8}
		err := raw(processVMRead, uintptr(f.Victim), uintptr(unsafe.Pointer(&local)), 1,
			uintptr(unsafe.Pointer(&remote)), 1)
		if errors.Is(err, syscall.EFAULT) {
			return nil // it was allowed to look
		}
		return err
	}},
	{"take a descriptor with pidfd_getfd", func(f field) error {
		fd, _, e := syscall.RawSyscall(pidfdOpen, uintptr(f.Victim), 0, 0)
		if e != 0 {
			return e
		}
		return raw(pidfdGetFD, fd, 0, 0)
	}},
	{"a signal", func(f field) error { return syscall.Kill(f.Victim, syscall.SIGUSR1) }},
	{"a signal to the group", func(f field) error { return syscall.Kill(-f.Victim, syscall.SIGUSR1) }},
	{"a signal by a descriptor", func(f field) error {
		fd, _, e := syscall.RawSyscall(pidfdOpen, uintptr(f.Victim), 0, 0)
		if e != 0 {
			return e
		}
		return raw(pidfdSignal, fd, uintptr(syscall.SIGUSR1), 0, 0)
	}},
	{"limits of a process outside", func(f field) error {
		limit := [2]uint64{1, 1}
		return raw(syscall.SYS_PRLIMIT64, uintptr(f.Victim), 0, uintptr(unsafe.Pointer(&limit)), 0)
	}},
	{"an abstract socket outside", func(f field) error {
		conn, err := net.Dial("unix", "@afar-attack-"+strconv.Itoa(f.Victim))
		if err == nil {
			conn.Close()
		}
		return err
	}},
	{"type into a terminal", func(field) error {
		tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer tty.Close()
		b := byte('x')
		err = raw(syscall.SYS_IOCTL, tty.Fd(), 0x5412, uintptr(unsafe.Pointer(&b)))
		if !errors.Is(err, syscall.EPERM) {
			return nil
		}
		return err
	}},
	{"mount", func(f field) error { return syscall.Mount(f.at(".ssh"), f.here("dir"), "", syscall.MS_BIND, "") }},
	{"mount in a namespace of its own", func(f field) error {
		return shell("unshare -rm mount --bind '" + f.at(".ssh") + "' '" + f.here("dir") + "' && cat '" +
			f.here("dir/id_ed25519") + "'")
	}},
	{"a root in a namespace of its own", func(f field) error {
		return shell("unshare -r chroot '" + f.at("") + "' /bin/cat .ssh/id_ed25519")
	}},
	{"the namespace of a process outside", func(f field) error {
		ns, err := os.Open(f.proc("ns/mnt"))
		if err != nil {
			return err
		}
		return raw(setNS, ns.Fd(), 0)
	}},
	{"a wider wall inside", func(f field) error {
		attr := [2]uint64{0, 1} // nothing of files, and so all of them
		fd, _, e := syscall.RawSyscall(createRuleset, uintptr(unsafe.Pointer(&attr)), 16, 0)
		if e == 0 {
			_ = raw(446, fd, 0)
		}
		return writes(f.at("wider"))
	}},
	{"more rights by a setuid program", func(field) error {
		status, err := os.ReadFile("/proc/self/status")
		if err == nil && strings.Contains(string(status), "NoNewPrivs:\t1") {
			return syscall.EPERM
		}
		return err
	}},
}

// named are what a wall does not stop. docs/security.md names each.
var named = []struct {
	name string
	run  func(f field) error
}{
	{"connect to a socket by its path", func(f field) error {
		conn, err := net.Dial("unix", f.at("outside.sock"))
		if err == nil {
			conn.Close()
		}
		return err
	}},
	{"change the mode of a file outside", func(f field) error { return os.Chmod(f.at("other"), 0o755) }},
	{"change the times of a file outside", func(f field) error {
		return os.Chtimes(f.at("other"), time.Time{}, time.Now())
	}},
	{"see the name and size of a secret", func(f field) error {
		_, err := os.Stat(f.at(".ssh/id_ed25519"))
		return err
	}},
	{"see the words of a process outside", func(f field) error { return reads(f.proc("cmdline")) }},
	{"lower the priority of a process outside", func(f field) error {
		return syscall.Setpriority(syscall.PRIO_PROCESS, f.Victim, 5)
	}},
	{"write what a later git of the project runs", func(f field) error { return writes(f.here(".git/hooks/pre-push")) }},
}

// work is what has to go on behind the wall.
var work = []struct {
	name string
	run  func(f field) error
}{
	{"write in the project", func(f field) error { return writes(f.here("new")) }},
	{"move between folders of the project", func(f field) error {
		return errors.Join(writes(f.here("m")), os.Rename(f.here("m"), f.here("dir/m")))
	}},
	{"write in TMPDIR", func(f field) error { return writes(filepath.Join(f.Temp, "t")) }},
	{"write a transcript", func(f field) error { return writes(f.at(".claude/projects/t.jsonl")) }},
	{"write its own environment", func(f field) error { return writes(f.at(".claude/session-env/mine/hook-0.sh")) }},
	{"write a cache", func(f field) error { return writes(f.at(".cache/x")) }},
	{"read settings", func(f field) error { return reads(f.at(".bashrc")) }},
	{"read the system", func(field) error { return reads("/proc/self/status") }},
	{"run programs", func(field) error { return shell("true") }},
	{"signal its own child", func(field) error {
		cmd := exec.Command("/bin/sleep", "60")
		if err := cmd.Start(); err != nil {
			return err
		}
		err := cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}},
	{"change its own limits", func(field) error { return shell("ulimit -n 64") }},
	{"open a terminal of its own", func(field) error {
		f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
		if err == nil {
			n := int32(0)
			err = raw(syscall.SYS_IOCTL, f.Fd(), 0x40045431, uintptr(unsafe.Pointer(&n))) // TIOCSPTLCK
			f.Close()
		}
		return err
	}},
}

// attacker is the first word of this test binary when it attacks from inside.
const attacker = "afar-wall-attack"

func TestMain(m *testing.M) {
	switch {
	case os.Args[0] == attacker:
		attackAll()
	case os.Args[0] == "afar-wall-victim":
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		if os.Getenv("AFAR_TEST_NO_LANDLOCK") != "" {
			forbidLandlock()
		}
		os.Exit(m.Run())
	}
}

// forbidLandlock makes this process find a kernel without Landlock.
func forbidLandlock() {
	absent := uint32(0x00050000 | syscall.ENOSYS)
	const allThreads = 1
	err := raw(syscall.SYS_PRCTL, 38, 1) // PR_SET_NO_NEW_PRIVS
	err = errors.Join(err, install(allThreads, []statement{
		{load, 0, 0, 0}, {ifEqual, 0, 1, createRuleset}, {give, 0, 0, absent}, {give, 0, 0, allow},
	}))
	if err != nil {
		panic(err)
	}
}

// attackAll runs all that the field's tables have, and prints what succeeded.
func attackAll() {
	victim, _ := strconv.Atoi(os.Args[4])
	if len(os.Args) > 6 { // a level of Landlock, and the wall to put up there
		level, _ := strconv.Atoi(os.Args[5])
		var w Wall
		err := json.Unmarshal([]byte(os.Args[6]), &w)
		cmd := exec.Command(self)
		cmd.Args, cmd.Stdout, cmd.Stderr = os.Args[:5], os.Stdout, os.Stderr
		switch {
		case err != nil:
		case level == 0:
			err = errors.Join(w.Start(cmd), cmd.Wait())
		default:
			err = onOwnThread(func() error { return errors.Join(w.up(level), cmd.Run()) })
		}
		if err != nil {
			panic(err)
		}
		return
	}
	f := field{Home: os.Args[1], Project: os.Args[2], Temp: os.Args[3], Victim: victim}
	for _, a := range slices.Concat(work, named, attacks) {
		err := a.run(f)
		fmt.Printf("%s\t%t\t%v\n", a.name, err == nil, err)
	}
}

// nobody is the ordinary user of the tests that run as root.
const nobody = 65534

// as runs a command as an ordinary user.
func as(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Setpgid: true, Credential: &syscall.Credential{Uid: nobody, Gid: nobody},
		}
	}
}

// newField makes a home with secrets and a project, and starts a process outside.
func newField(t *testing.T) field {
	t.Helper()
	top, err := os.MkdirTemp("", "wall")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	f := field{Home: top + "/home", Project: top + "/home/project", Temp: top + "/tmp"}
	for _, file := range []string{
		".bashrc", ".profile", ".ssh/id_ed25519", ".ssh/known_hosts", "other/main.go", ".claude/settings.json",
		".claude.json", ".claude/shell-snapshots/s.sh", ".claude/session-env/other/hook-0.sh", ".local/bin/tool",
		".cache/x", "afar-home/telegram.token", "afar-home/config.toml", "afar-home/state/afar.db",
		"afar-home/state/marks/x", "afar-home/state/fleet/sign.nkey", "project/own", "project/dir/x", "project/.git/hooks/x", ".config/git/ignore",
	} {
		path := f.at(file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(file), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(f.Temp, 0o700), os.Mkdir(f.at("empty"), 0o700)); err != nil {
		t.Fatal(err)
	}
	server, err := net.Listen("unix", f.at("outside.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if os.Getuid() == 0 {
		err := filepath.Walk(top, func(path string, _ os.FileInfo, err error) error {
			return errors.Join(err, os.Lchown(path, nobody, nobody))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	victim := exec.Command(self)
	victim.Args = []string{"afar-wall-victim"}
	victim.Dir = f.Home
	as(victim)
	in, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = victim.Process.Kill(); _ = victim.Wait() })
	f.Victim = victim.Process.Pid
	abstract, err := net.Listen("unix", "@afar-attack-"+strconv.Itoa(f.Victim))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { abstract.Close() })
	return f
}

// place returns the place of a program in the project.
func (f field) place() Place {
	dirs := home.Dirs{
		User: f.Home, Config: f.at("afar-home"), State: f.at("afar-home/state"), Workspace: f.at("afar-home/workspace"),
		Path: os.Getenv("PATH"),
	}
	return Place{Dirs: dirs, Dir: f.Project, Temp: f.Temp, Session: "mine", Getenv: func(string) string { return "" }}
}

// attack attacks from behind a wall and returns what succeeded.
func (f field) attack(t *testing.T, level int, w Wall) map[string]string {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{attacker, f.Home, f.Project, f.Temp, strconv.Itoa(f.Victim), strconv.Itoa(level), string(text)}
	cmd.Dir, cmd.Stderr = f.Project, os.Stderr
	as(cmd)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	did := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		name, rest, _ := strings.Cut(lines.Text(), "\t")
		did[name] = rest
	}
	return did
}

func needWall(t *testing.T) {
	t.Helper()
	if why := Missing(); why != "" {
		t.Skip(why)
	}
}

// TestAttacks: nothing that a program does from behind the wall of a run reaches what is outside,
// besides what docs/security.md names, and work goes on.
func TestAttacks(t *testing.T) {
	needWall(t)
	f := newField(t)
	w, err := New(f.place(), Settings{Mode: On})
	if err != nil {
		t.Fatal(err)
	}
	did := f.attack(t, 0, w)
	for _, a := range attacks {
		if got := did[a.name]; !strings.HasPrefix(got, "false\t") {
			t.Errorf("attack %q: %q", a.name, got)
		}
	}
	for _, a := range append(slices.Clone(named), work...) {
		if got := did[a.name]; !strings.HasPrefix(got, "true\t") {
			t.Errorf("%q: %q", a.name, got)
		}
	}
	for _, kept := range []string{".bashrc", ".ssh/id_ed25519", "other/main.go", ".claude/settings.json", ".claude.json"} {
		if text, err := os.ReadFile(f.at(kept)); string(text) != kept {
			t.Errorf("%s is %q (%v)", kept, text, err)
		}
	}
}

// TestAttacksWithout: each attack succeeds without a wall, so the wall is what stops it. Some need what
// an ordinary user or this kernel does not have.
func TestAttacksWithout(t *testing.T) {
	needWall(t)
	f := newField(t)
	never := []string{
		"read a key by a handle", "mount", "a table of cron", "a root in a namespace of its own", "type into a terminal",
		"mount in a namespace of its own", "a descriptor that was open", "the namespace of a process outside",
		"ptrace", "more rights by a setuid program", "take a descriptor with pidfd_getfd",
		"read the memory with process_vm_readv", "the memory of a process outside",
		"the descriptors of a process outside", "the same by a rename", // the system may forbid it to all
	}
	did := f.attack(t, 0, Wall{})
	for _, a := range attacks {
		if !strings.HasPrefix(did[a.name], "true\t") && !slices.Contains(never, a.name) {
			t.Errorf("without a wall, attack %q: %s", a.name, did[a.name])
		}
	}
}

// TestLevels: older levels of Landlock stop the same, besides what Gaps names.
func TestLevels(t *testing.T) {
	needWall(t)
	open := []string{"a signal", "a signal to the group", "a signal by a descriptor", "an abstract socket outside"}
	for level := leastABI; level <= min(ABI(), mostABI); level++ {
		t.Run(strconv.Itoa(level), func(t *testing.T) {
			f := newField(t)
			w, err := New(f.place(), Settings{Mode: On})
			if err != nil {
				t.Fatal(err)
			}
			did := f.attack(t, level, w)
			for _, a := range attacks {
				want := level < scopedABI && slices.Contains(open, a.name)
				if got := strings.HasPrefix(did[a.name], "true\t"); got != want {
					t.Errorf("attack %q succeeds: %t (%s)", a.name, got, did[a.name])
				}
			}
			if words := Gaps(level)[0]; strings.HasPrefix(words, "signals not") != (level < scopedABI) {
				t.Errorf("the words: %q", words)
			}
		})
	}
}

// TestNoLandlock: where the kernel has no Landlock, the words say so and nothing is started.
func TestNoLandlock(t *testing.T) {
	if len(os.Args) > 1 && os.Args[len(os.Args)-1] == "without" {
		t.Log(Missing(), ABI(), Here(Settings{Mode: On}).Mode, Wall{Mode: On}.Start(exec.Command("/bin/true")), Wall{Mode: On}.Shown().Stands())
		return
	}
	cmd := exec.Command(self, "-test.run=^TestNoLandlock$", "-test.v", "without")
	cmd.Env = append(os.Environ(), "AFAR_TEST_NO_LANDLOCK=1")
	out, err := cmd.CombinedOutput()
	want := "no wall here: this system has no Landlock (Linux 6.2 or newer has) 0 off the wall did not go up"
	if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "false") {
		t.Errorf("%v: %s", err, out)
	}
}

// BenchmarkStart starts a program with a wall, which it builds too, and without one.
func BenchmarkStart(b *testing.B) {
	user, err := os.UserHomeDir()
	if err != nil {
		b.Fatal(err)
	}
	top, err := os.MkdirTemp(user, ".bench-") // a home in /tmp needs a rule for each entry of /tmp
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(top)
	if err := os.Mkdir(filepath.Join(top, ".ssh"), 0o700); err != nil {
		b.Fatal(err)
	}
	dirs := home.Dirs{User: top, Config: top + "/c", State: top + "/s", Workspace: top + "/w", Path: os.Getenv("PATH")}
	p := Place{Dirs: dirs, Dir: top, Getenv: func(string) string { return "" }}
	start := func(bound bool) time.Duration {
		var w Wall
		begin := time.Now()
		if bound {
			var err error
			if w, err = New(p, Settings{Mode: On}); err != nil {
				b.Fatal(err)
			}
		}
		cmd := exec.Command("/bin/true")
		if err := errors.Join(w.Start(cmd), cmd.Wait()); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	var behind, plain []time.Duration
	for b.Loop() {
		behind, plain = append(behind, start(true)), append(plain, start(false))
	}
	b.ReportMetric(median(behind), "ms-wall-p50")
	b.ReportMetric(median(plain), "ms-plain-p50")
	b.ReportMetric(median(behind)-median(plain), "ms-more")
}

// median returns the middle of ds in milliseconds.
func median(ds []time.Duration) float64 {
	slices.Sort(ds)
	return ds[len(ds)/2].Seconds() * 1000
}
