package disk_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
)

const patience = 30 * time.Second

// looks starts a watch, and returns what tells of each look and what ends it.
func looks(t *testing.T, watch disk.WatchFunc, dir string) (seen chan struct{}, end func()) {
	t.Helper()
	seen = make(chan struct{}, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var over sync.WaitGroup
	over.Go(func() {
		if err := watch(ctx, dir, func() { seen <- struct{}{} }); err != nil {
			t.Error(err)
		}
	})
	await(t, seen)
	return seen, func() { cancel(); over.Wait() }
}

func await(t *testing.T, seen chan struct{}) {
	t.Helper()
	select {
	case <-seen:
	case <-time.After(patience):
		t.Fatal("no look")
	}
}

// inotifies returns how many watchers of the kernel this process has.
func inotifies(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(to, "inotify") {
			n++
		}
	}
	return n
}

// TestOneWatcher: watches of any kind share one watcher of the kernel, each is told of its own directories,
// and none is left when all have ended.
func TestOneWatcher(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	first, endFirst := looks(t, disk.Watch, one)
	second, endSecond := looks(t, disk.Watch, one)
	tree, endTree := looks(t, disk.WatchTree, other)
	if n := inotifies(t); n != 1 {
		t.Errorf("%d watchers of the kernel, want 1", n)
	}
	touch := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	touch(filepath.Join(one, "a"))
	await(t, first)
	await(t, second)
	endFirst()
	for len(second) > 0 {
		<-second
	}
	touch(filepath.Join(one, "b"))
	await(t, second)
	for _, made := range []string{"sub", "sub"} { // the second time it is made anew
		for len(tree) > 0 {
			<-tree
		}
		touch(filepath.Join(other, made, "c"))
		await(t, tree)
		if err := os.RemoveAll(filepath.Join(other, made)); err != nil {
			t.Fatal(err)
		}
		await(t, tree)
	}
	if len(first) > 1 {
		t.Error("a watch that ended is told of changes")
	}
	endSecond()
	endTree()
	if n := inotifies(t); n != 0 {
		t.Errorf("%d watchers of the kernel are left", n)
	}
}
