package callsite

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// packed returns an archive of tar with files of these names.
func packed(t testing.TB, format tar.Format, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range names {
		head := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(name)), Format: format}
		if strings.HasSuffix(name, "/") {
			head.Size, head.Typeflag = 0, tar.TypeDir
		}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name[:head.Size])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func needsGzip(t *testing.T) {
	t.Helper()
	if onPath().Program("gzip") == "" {
		t.Skip("needs gzip")
	}
}

// TestMembers: the names are read in all formats that archive/tar writes.
func TestMembers(t *testing.T) {
	needsGzip(t)
	folder := strings.Repeat("long/", 30)
	names := []string{"a", "b/", "b/c d.txt", folder + "file"}
	want := "a\nb/c d.txt\n" + folder + "file\n"
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		plain := packed(t, format, names...)
		for packing, raw := range map[string][]byte{"plain": plain, "gzip": zipped(t, plain)} {
			path := filepath.Join(t.TempDir(), "x.tar")
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, ok := newReader(onPath()).members(path); !ok || got != want {
				t.Errorf("%s, %s: %q, %t, want %q", format, packing, got, ok, want)
			}
		}
	}
}

// TestMembersOfZip: the names are read that archive/zip writes.
func TestMembersOfZip(t *testing.T) {
	raw := zipArchive(t, "a", "b/", "b/c d.txt")
	path := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, ok := newReader(onPath()).members(path); !ok || got != "a\nb/c d.txt\n" {
		t.Errorf("%q, %t", got, ok)
	}
}

// zipArchive returns an archive of zip with files of these names.
func zipArchive(t testing.TB, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := w.SetComment("a comment"); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Comment: "of " + name, Extra: []byte("\x99\x99\x00\x00")})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "/") {
			_, err = f.Write([]byte(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestMembersOfOther: a file that is not an archive has no members. An archive that is cut off has its
// first ones.
func TestMembersOfOther(t *testing.T) {
	whole := packed(t, tar.FormatGNU, "a", "b", "c")
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", ""},
		"text":            {strings.Repeat("rm -rf ~\n", 1000), ""},
		"zeros":           {strings.Repeat("\x00", 4096), ""},
		"gzip of nothing": {"\x1f\x8b", ""},
		"gzip of text":    {string(zipped(t, []byte("text"))), ""},
		"cut off":         {string(whole[:1100]), "a\n"},
		"zip cut off":     {string(zipArchive(t, "a")[:40]), ""},
		"zip of nothing":  {"PK\x05\x06", ""},
		"zip that lies":   {"PK\x05\x06" + strings.Repeat("\xff", 18), ""},
		"line break":      {string(packed(t, tar.FormatGNU, "x\ny", "z")), "z\n"},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := newReader(onPath()).members(path); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMembersAreBounded: an archive that unpacks to very much is read in part.
func TestMembersAreBounded(t *testing.T) {
	needsGzip(t)
	if testing.Short() {
		t.Skip("it compresses 128 MB")
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: "large", Size: 4 * mostUnpacked, Format: tar.FormatPAX}); err != nil {
		t.Fatal(err)
	}
	bomb := zipped(t, append(out.Bytes(), make([]byte, 4*mostUnpacked)...))
	path := filepath.Join(t.TempDir(), "bomb.tgz")
	if err := os.WriteFile(path, bomb, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := string(members(path, onPath())); got != "large\n" {
		t.Errorf("%q, want only the first member", got)
	}
}

// FuzzMembers: no archive crashes the reader, and no name has two lines.
func FuzzMembers(f *testing.F) {
	f.Add(packed(f, tar.FormatPAX, strings.Repeat("x/", 80)+"y"))
	f.Add(packed(f, tar.FormatGNU, strings.Repeat("x/", 80)+"y"))
	f.Add(zipArchive(f, "x", "y"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for line := range bytes.Lines(append(tarMembers(bytes.NewReader(raw)), zipMembers(raw)...)) {
			if bytes.IndexByte(line, 0) >= 0 || !bytes.HasSuffix(line, []byte("\n")) {
				t.Errorf("the member %q", line)
			}
		}
	})
}

// onPath returns directories whose programs are those of this process's PATH.
func onPath() home.Dirs { return home.Dirs{Path: os.Getenv("PATH")} }
