package coreutils

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// sed runs the commands of its scripts, which are a language of their own. With -i it overwrites files.
func sed(sh *shell.Shell, c shell.Command, o argv.Options) {
	files := o.Pos
	scripts, named := o.All("e", "expression"), o.All("f", "file")
	for _, name := range named {
		recipes.RunFile(sh, sh.Path(name), nil, sedScript)
	}
	if len(scripts)+len(named) == 0 && len(files) > 0 {
		if files[0] == "" && len(files) > 1 { // BSD: sed -i '' script file
			files = files[1:]
		}
		scripts, files = files[:1], files[1:]
	}
	for _, s := range scripts {
		sedScript(sh, s)
	}
	op := effect.Edit
	if slices.ContainsFunc(scripts, func(s string) bool { return lex.OneOf(strings.TrimSpace(s), "d 1,$d") }) {
		op = effect.Truncate
	}
	for _, f := range files {
		switch {
		case !o.Given("i I in-place"):
			sh.Print(sh.Read(f))
		case f != "":
			sh.WriteAs(op, f)
		}
	}
	if len(files) == 0 && c.In != nil {
		sh.Print(sedPrint(scripts, *c.In))
	}
}

// SedParts splits s/a/b/flags at its delimiter, unless that is escaped. It returns nil for any other command.
func SedParts(s string) []string {
	if len(s) < 3 || s[0] != 's' {
		return nil
	}
	parts, d, escaped := []string{""}, s[1], `\`+s[1:2]
	for i := 1; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], escaped):
			i++
			parts[len(parts)-1] += string(d)
		case s[i] == d:
			parts = append(parts, "")
		default:
			parts[len(parts)-1] += s[i : i+1]
		}
		if len(parts) > 8 || i > 4096 {
			return nil
		}
	}
	return parts
}

// maxSedCommands bounds the commands of one script that are read.
const maxSedCommands = 64

// sedScript reports the commands that run or write something, in the whole script and in each part of it.
func sedScript(sh *shell.Shell, script string) {
	parts := strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(";\n{}", r) })
	if len(parts) > 1 {
		parts = append(parts, script)
	}
	for _, s := range parts[:min(len(parts), maxSedCommands)] {
		code, file := sedActs(sedAddress(s))
		if code != "" {
			sh.RunText(code)
		}
		if file != "" {
			sh.Write(file)
		}
	}
}

// sedAddress removes the address of a command: numbers, /patterns/, ! and $.
func sedAddress(s string) string {
	for {
		s = strings.TrimLeft(s, "0123456789,$!~+ \t")
		if !strings.HasPrefix(s, "/") {
			return s
		}
		end := strings.IndexByte(s[1:], '/')
		if end < 0 {
			return s
		}
		s = s[end+2:]
	}
}

// sedActs returns the shell code that a command of sed runs, as s/a/b/e does, or the file that it writes.
func sedActs(s string) (code, file string) {
	switch parts := SedParts(s); {
	case strings.HasPrefix(s, "e "):
		return s[2:], ""
	case strings.HasPrefix(s, "w "):
		file = s
	case len(parts) < 4:
		return "", ""
	case strings.Trim(parts[3], "gpIeimM0123456789") != "":
		file = strings.Join(parts[3:], s[1:2])
	case strings.Contains(parts[3], "e"):
		return parts[2], ""
	}
	_, file, _ = strings.Cut(file, "w ")
	return "", strings.TrimSpace(file)
}

// awk runs its program and reports the files that it reads or overwrites.
func awk(sh *shell.Shell, c shell.Command, o argv.Options) {
	files, programs := o.Pos, o.All("f", "file")
	for _, name := range programs {
		source.Run(sh, name, nil, "awk")
	}
	if len(programs) == 0 && len(files) > 0 {
		script.Run(sh, awkAssigns(o)+source.LinesRead(sh, o, "awk")+files[0], "awk")
		files = files[1:]
	}
	library, _ := o.Get("i", "include")
	for _, f := range files {
		switch {
		case strings.Contains(f, "="):
		case library == "inplace":
			sh.WriteAs(effect.Edit, f)
		default:
			sh.Read(f)
		}
	}
	in := rows.InputOf(c)
	separator, _ := o.Get("F", "field-separator")
	column, ok := awkColumn(o.At(0), separator, in)
	switch {
	case strings.HasPrefix(in, shell.FoundMark):
		sh.Print(in) // a column of a list of processes
	case ok && len(o.Pos) == 1:
		sh.Print(column)
	default:
		sh.Print(partial.Unknown)
	}
}

// awkAssigns returns the assignments of -v as statements for the start of the program.
func awkAssigns(o argv.Options) string {
	var b strings.Builder
	for _, kv := range o.All("v", "assign") {
		if name, text, ok := strings.Cut(kv, "="); ok {
			b.WriteString(name + " = " + strconv.Quote(text) + ";\n")
		}
	}
	return b.String()
}
