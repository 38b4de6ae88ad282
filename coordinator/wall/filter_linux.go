package wall

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// An abi is one interface of the kernel, with its numbers of two calls.
type abi struct{ id, prlimit, ioctl uint32 }

// abis are the interfaces of a processor, by its name in Go. There is no filter for other ones.
var abis = map[string][]abi{
	"amd64": {{0xC000003E, 302, 16}, {0x40000003, 340, 54}},
	"arm64": {{0xC00000B7, 261, 29}, {0x40000028, 369, 54}},
}

// The requests that put characters into the input of a terminal.
const (
	tiocsti   = 0x5412
	tioclinux = 0x541C
)

// A statement is one instruction of a filter.
type statement struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// Instructions and results of filters.
const (
	load     = 0x20 // a word of the call: 0 is its number, 4 the interface, 16+8n argument n
	ifEqual  = 0x15
	give     = 0x06
	allow    = 0x7fff0000
	refuse   = 0x00050000 | uint32(syscall.EPERM)
	argument = 16
)

// filter forbids what Landlock lets through and a filter can tell by a number: to change the limits of a
// process that is named by its id, and to type into a terminal. Limits of the process itself, with the
// id 0, can be changed, and those of others read.
func filter() error {
	var program []statement
	for _, of := range abis[runtime.GOARCH] {
		program = append(program, of.forbid()...)
	}
	if program == nil {
		return nil
	}
	return install(0, append(program, statement{give, 0, 0, allow}))
}

// forbid returns the part of a filter for one interface. Its last two statements are the results.
func (of abi) forbid() []statement {
	return []statement{
		{load, 0, 0, 4},
		{ifEqual, 0, 14, of.id}, // else the next part
		{load, 0, 0, 0},
		{ifEqual, 0, 6, of.prlimit},
		{load, 0, 0, argument}, // the id of the process
		{ifEqual, 8, 0, 0},
		{load, 0, 0, argument + 16}, // where the new limit is, 0 for none
		{ifEqual, 0, 7, 0},
		{load, 0, 0, argument + 20},
		{ifEqual, 4, 5, 0},
		{ifEqual, 0, 3, of.ioctl},
		{load, 0, 0, argument + 8}, // the request
		{ifEqual, 2, 0, tiocsti},
		{ifEqual, 1, 0, tioclinux},
		{give, 0, 0, allow},
		{give, 0, 0, refuse},
	}
}

// install puts a filter on this thread, with the kernel's flags.
func install(flags uintptr, program []statement) error {
	head := struct {
		length uint16
		first  *statement
	}{uint16(len(program)), &program[0]}
	const seccomp, setFilter = 317, 1
	number := uintptr(seccomp)
	if runtime.GOARCH == "arm64" {
		number = 277
	}
	_, _, e := syscall.RawSyscall(number, setFilter, flags, uintptr(unsafe.Pointer(&head)))
	if e != 0 {
		return fmt.Errorf("forbid calls: %w", e)
	}
	return nil
}
