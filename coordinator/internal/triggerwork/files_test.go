//go:build !windows

package triggerwork

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// A fileRig is a rule that waits for files below a folder.
type fileRig struct {
	*hookRig
	dir string
}

func newFileRig(t *testing.T, pattern string) *fileRig {
	t.Helper()
	r := &fileRig{hookRig: newHookRig(t), dir: t.TempDir()}
	r.approve(pattern)
	r.watch()
	return r
}

// approve switches the rule on for a pattern.
func (r *fileRig) approve(pattern string) {
	r.t.Helper()
	text := "# Files\n\n- on: file ~/" + pattern + "\n- to: person\n\nLook at {{payload.name}}.\n"
	if _, err := r.core.ApproveTrigger("in", text, "Ann"); err != nil {
		r.t.Fatal(err)
	}
}

// watch lets a worker watch until the test ends.
func (r *fileRig) watch() {
	w := r.worker()
	var parts sync.WaitGroup
	parts.Go(func() { w.watchFiles(r.t.Context()) })
	r.t.Cleanup(parts.Wait)
}

func (r *fileRig) worker() *Worker {
	w := New(Config{Core: r.core, Folder: r.folder, Dirs: home.Dirs{User: r.dir}, Log: r.hooks.log})
	w.complete = 500 * time.Millisecond
	return w
}

func (r *fileRig) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// inPieces writes eight pieces one after the other. It reports whether the machine was quick enough that the file could
// not count as complete meanwhile.
func (r *fileRig) inPieces(write func(i int)) bool {
	last, longest := time.Now(), time.Duration(0)
	for i := range 8 {
		write(i)
		time.Sleep(30 * time.Millisecond)
		longest = max(longest, time.Since(last))
		last = time.Now()
	}
	if longest <= r.worker().complete/2 {
		return true
	}
	r.t.Logf("the machine was too busy to write in time: %s between two pieces", longest)
	return false
}

// names returns the names of the files that have fired, in order.
func (r *fileRig) names() (names []string) {
	for _, f := range r.core.DueFirings() {
		name, _ := f.Payload.Field("name")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// await waits until exactly these files have fired.
func (r *fileRig) await(want ...string) {
	r.t.Helper()
	sub := r.core.Subscribe(feature.Firings)
	defer sub.Close()
	for late := time.After(time.Minute); !slices.Equal(r.names(), want); {
		select {
		case <-sub.C:
		case <-late:
			r.t.Fatalf("have %q, want %q", r.names(), want)
		}
	}
}

// TestFiles: a file fires when it is complete, once for each content, whatever its name; in
// folders that are made later too. A link and a folder do not fire.
func TestFiles(t *testing.T) {
	r := newFileRig(t, "inbox/*/*.pdf")
	r.write("inbox/one/a.pdf", "a")
	r.await("a.pdf")
	one := filepath.Join(r.dir, "inbox/one")
	if err := os.Rename(filepath.Join(one, "a.pdf"), filepath.Join(one, "renamed.pdf")); err != nil {
		t.Fatal(err)
	}
	r.write("inbox/one/note.txt", "no pdf")
	r.write("inbox/two/copy.pdf", "a")
	if err := os.Symlink("/etc/passwd", filepath.Join(r.dir, "inbox/two/link.pdf")); err != nil {
		t.Fatal(err)
	}
	r.write("inbox/two/dir.pdf/x", "x")

	// A slow writer: each part comes before the file counts as complete.
	path := filepath.Join(r.dir, "inbox/two/slow.pdf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	isInTime := r.inPieces(func(i int) { fmt.Fprintln(f, "part", i) })
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if !isInTime {
		return
	}
	r.await("a.pdf", "slow.pdf")
	sum, _, err := disk.Digest(t.Context(), path)
	complete := func(f trigger.Firing) bool { return strings.HasSuffix(f.Key, sum) }
	if err != nil || !slices.ContainsFunc(r.core.DueFirings(), complete) {
		t.Errorf("the slow file fired before it was complete: %v", err)
	}
	r.write("inbox/two/slow.pdf", "written anew")
	r.await("a.pdf", "slow.pdf", "slow.pdf")
	r.watch() // as after a restart
	r.write("inbox/three/last.pdf", "last")
	r.await("a.pdf", "last.pdf", "slow.pdf", "slow.pdf")
}

// TestFilesOverflow: where the kernel has dropped the changes, the folders are looked through anew,
// and each file fires once.
func TestFilesOverflow(t *testing.T) {
	r := &fileRig{hookRig: newHookRig(t), dir: t.TempDir()}
	r.approve("inbox/*")
	r.write("inbox/before", "before")
	watcher, err := disk.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	w := r.worker()
	var parts sync.WaitGroup
	parts.Go(func() { w.watchWith(t.Context(), watcher) })
	t.Cleanup(parts.Wait)
	r.await("before")
	for _, dir := range watcher.WatchList() { // from here on it tells nothing
		if err := watcher.Remove(dir); err != nil {
			t.Fatal(err)
		}
	}
	r.write("inbox/one", "1")
	r.write("inbox/two", "2")
	select {
	case watcher.Errors <- errors.New("queue or buffer overflow"):
	case <-time.After(time.Minute):
		t.Fatal("nobody hears of an overflow")
	}
	r.await("before", "one", "two")
}

// TestFilesUntold: a file whose change nobody tells of, as on a network drive, fires too, once. Here
// the folder above the watched one is replaced, which the watch of that one does not see.
func TestFilesUntold(t *testing.T) {
	r := &fileRig{hookRig: newHookRig(t), dir: t.TempDir()}
	r.write("up/inbox/a", "a")
	r.write("next/inbox/a", "a")
	r.write("next/inbox/b", "b")
	up := filepath.Join(r.dir, "up")
	r.approve("up/inbox/*")
	w := r.worker()
	w.rescan = 50 * time.Millisecond
	var parts sync.WaitGroup
	parts.Go(func() { w.watchFiles(t.Context()) })
	t.Cleanup(parts.Wait)
	r.await("a")
	time.Sleep(3 * gather) // until the firing itself leads to no other look
	if err := errors.Join(os.Rename(up, up+".old"), os.Rename(filepath.Join(r.dir, "next"), up)); err != nil {
		t.Fatal(err)
	}
	r.await("a", "b")
}

// TestFilesPartial: a file that has its size before its content, one that comes in pieces under
// another name, and one whose time is set back at the end, fire once, when they are complete.
func TestFilesPartial(t *testing.T) {
	r := newFileRig(t, "inbox/*.pdf")
	r.write("inbox/sized.pdf", strings.Repeat("\x00", 8000))
	r.write("inbox/.moved.pdf.part", "")
	r.write("inbox/old.pdf", "")
	path := func(name string) string { return filepath.Join(r.dir, "inbox", name) }
	isInTime := r.inPieces(func(i int) {
		for _, name := range []string{"sized.pdf", ".moved.pdf.part", "old.pdf"} {
			f, err := os.OpenFile(path(name), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte(strings.Repeat(fmt.Sprint(i, name), 100)), int64(1000*i))
			if err = errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
	past := time.Now().Add(-24 * time.Hour)
	err := errors.Join(os.Chtimes(path("old.pdf"), past, past), os.Rename(path(".moved.pdf.part"), path("moved.pdf")))
	if err != nil {
		t.Fatal(err)
	}
	if !isInTime {
		return
	}
	r.await("moved.pdf", "old.pdf", "sized.pdf")
	for _, f := range r.core.DueFirings() {
		name, _ := f.Payload.Field("name")
		if sum, _, err := disk.Digest(t.Context(), path(name)); err != nil || f.Key != trigger.FileKey+sum {
			t.Errorf("%s fired before it was complete: %v", name, err)
		}
	}
}

// TestManyFiles: thousands of files in one go fire once each.
func TestManyFiles(t *testing.T) {
	long.Only(t)
	r := newFileRig(t, "inbox/*")
	const all = 10_000
	for i := range all {
		r.write(fmt.Sprintf("inbox/%05d", i), fmt.Sprint("file ", i))
	}
	for late := time.Now().Add(2 * time.Minute); len(r.core.DueFirings()) < all && time.Now().Before(late); {
		time.Sleep(200 * time.Millisecond)
	}
	if names := r.names(); len(names) != all || len(slices.Compact(names)) != all {
		t.Errorf("%d firings of %d files", len(names), len(slices.Compact(names)))
	}
}

// TestHugeFile: a file of any size fires, and those after it. Its hash ends with the context.
func TestHugeFile(t *testing.T) {
	r := newFileRig(t, "inbox/*.bin")
	r.write("inbox/huge.bin", "x")
	huge := filepath.Join(r.dir, "inbox/huge.bin")
	if err := os.Truncate(huge, 2<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	r.write("inbox/small.bin", "small")
	r.await("huge.bin", "small.bin")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := disk.Digest(ended, huge); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// TestLinkedFolder: no file fires that is reached by a folder that is a link, and a rule whose folder
// is one says so.
func TestLinkedFolder(t *testing.T) {
	r := newFileRig(t, "inbox/*/*.bin")
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "secret.bin"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(r.dir, "inbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(r.dir, "inbox", "link")); err != nil {
		t.Skip(err)
	}
	r.write("inbox/plain/a.bin", "a")
	r.await("a.bin")
	text := "# In\n\n- on: file ~/inbox/link/*.bin\n- to: person\n\nLook.\n"
	w := r.worker()
	if err := os.MkdirAll(w.cfg.Folder.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	approved, err := r.core.ApproveTrigger("linked", text, "Ann")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.cfg.Folder.dir, "linked.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if why := w.differs(approved); !strings.Contains(why, "inbox/link is a link") {
		t.Errorf("the rule: %q", why)
	}
}
