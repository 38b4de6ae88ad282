package callsite

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/home"
)

// The members of an archive are read here and by gzip. The packages archive/tar, archive/zip and
// compress/gzip make the start of every hook some percent slower, for files that few calls unpack.

// Bounds on what is read of one archive. Of a larger one the first members count.
const (
	mostUnpacked  = 32 << 20 // bytes of an archive of tar
	mostLongName  = 64 << 10 // bytes of what says the name of one member of it
	mostDirectory = 1 << 20  // bytes at the end of an archive of zip, where its directory is
	tarBlock      = 512      // bytes; an archive of tar consists of such blocks
)

// members returns the names of the files in an archive of zip or tar, also packed with gzip, one a
// line. It returns nil for anything else.
func members(path string, dirs home.Dirs) []byte {
	f, size := regular(path)
	if f == nil {
		return nil
	}
	defer f.Close()
	in := bufio.NewReader(f)
	switch begin, _ := in.Peek(2); string(begin) { // no archive is shorter
	case "PK":
		end := io.NewSectionReader(f, max(0, size-mostDirectory), mostDirectory)
		text, _ := io.ReadAll(end)
		return zipMembers(text)
	case "\x1f\x8b":
		return gzippedMembers(f, dirs.Program("gzip"))
	}
	return tarMembers(in)
}

// gzippedMembers returns the names in an archive of tar that gzip has packed, nil without gzip.
func gzippedMembers(f *os.File, gzip string) []byte {
	if _, err := f.Seek(0, io.SeekStart); err != nil || gzip == "" {
		return nil
	}
	unpack := exec.Command(gzip, "-dc")
	unpack.Env, unpack.Stdin = []string{"LC_ALL=C"}, f
	birthmark.Mark(unpack, birthmark.Shell)
	unpacked, err := unpack.StdoutPipe()
	if err != nil || unpack.Start() != nil {
		return nil
	}
	list := tarMembers(unpacked)
	_ = unpack.Process.Kill() // what is left of the archive does not count
	_ = unpack.Wait()
	return list
}

// zipMembers returns the names in the directory of an archive of zip. It gets the end of the archive,
// and returns nil if the directory is not in it.
func zipMembers(end []byte) (list []byte) {
	const last, entry = 22, 46 // bytes of the record at the end, and of an entry before its name
	at := bytes.LastIndex(end, []byte("PK\x05\x06"))
	if at < 0 || at+last > len(end) {
		return nil
	}
	size := binary.LittleEndian.Uint32(end[at+12:])
	if int64(size) > int64(at) {
		return nil
	}
	directory := end[at-int(size) : at]
	for range mostNames {
		if len(directory) < entry || string(directory[:4]) != "PK\x01\x02" {
			break
		}
		name := int(binary.LittleEndian.Uint16(directory[28:]))
		rest := int(binary.LittleEndian.Uint16(directory[30:])) + int(binary.LittleEndian.Uint16(directory[32:]))
		if entry+name+rest > len(directory) {
			break
		}
		list = addMember(list, string(directory[entry:entry+name]))
		directory = directory[entry+name+rest:]
	}
	return list
}

// tarMembers returns the names of the members up to the first one that cannot be read.
func tarMembers(in io.Reader) (list []byte) {
	in = io.LimitReader(in, mostUnpacked)
	long := "" // the name of the next member, if its header has no room for it
	for range mostNames {
		var head tarHeader
		if _, err := io.ReadFull(in, head[:]); err != nil || !head.valid() {
			break
		}
		size := head.size()
		switch kind := head[156]; kind {
		case 'L', 'x':
			text, _ := io.ReadAll(io.LimitReader(in, min(size, mostLongName)))
			size -= int64(len(text))
			long = longName(kind, string(text))
		case 'K', 'g':
		default:
			list = addMember(list, cmp.Or(long, head.name()))
			long = ""
		}
		if _, err := io.CopyN(io.Discard, in, size+head.padding()); err != nil {
			break
		}
	}
	return list
}

// addMember adds the name of a file. One with a line break would be read as two.
func addMember(list []byte, name string) []byte {
	if strings.HasSuffix(name, "/") || strings.ContainsAny(name, "\n\x00") {
		return list
	}
	return append(append(list, name...), '\n')
}

// longName returns the name in the data of a member that names the next one: 'L' of GNU tar, or 'x'
// of POSIX with records such as "21 path=folder/file\n", which begin with their length.
func longName(kind byte, text string) string {
	if kind == 'L' {
		return tarText(text)
	}
	for text != "" {
		digits, _, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(digits)
		if err != nil || n <= len(digits) || n > len(text) {
			return ""
		}
		if path, ok := strings.CutPrefix(text[len(digits):n], " path="); ok {
			return strings.TrimSuffix(path, "\n")
		}
		text = text[n:]
	}
	return ""
}

// A tarHeader is the block before the data of a member.
type tarHeader [tarBlock]byte

// valid reports whether the sum of the bytes is the one that the header names.
func (h *tarHeader) valid() bool {
	const from, to = 148, 156 // the place of the sum, which counts as blanks
	sum := int64(' ' * (to - from))
	for i, b := range h {
		if i < from || i >= to {
			sum += int64(b)
		}
	}
	return octal(h[from:to]) == sum
}

// size returns the number of bytes of the data.
func (h *tarHeader) size() int64 { return octal(h[124:136]) }

// padding returns the number of bytes from the end of the data to that of its last block.
func (h *tarHeader) padding() int64 { return -h.size() & (tarBlock - 1) }

// name returns the path of the member.
func (h *tarHeader) name() string {
	name := tarText(string(h[:100]))
	if folder := tarText(string(h[345:500])); folder != "" && string(h[257:263]) == "ustar\x00" {
		name = folder + "/" + name
	}
	return name
}

// octal returns a number of a header, 0 for none. GNU tar writes the size of files of 8 GB and more in
// another way; they end the reading anyway.
func octal(field []byte) int64 {
	n, err := strconv.ParseInt(strings.Trim(string(field), " \x00"), 8, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// tarText returns the text before the first zero byte.
func tarText(field string) string {
	text, _, _ := strings.Cut(field, "\x00")
	return text
}
