package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// An output says which files programs write besides what the tables say of them.
type output struct {
	programs string
	verbs    string // one of these is among the first two operands
	but      string // none of these is the first operand
	needs    string // one of these options is given
	files    string // the options whose values are such files
	options  string // further ones with a value, as in a grammar of argv.ParseOptions
	last     int    // of so many operands or more the last one is such a file
}

var outputRows = [...]output{
	{programs: "pg_dump pg_dumpall pg_restore", files: "f file"},
	{programs: "mysqldump mariadb-dump", files: "r result-file"},
	{programs: "psql", files: "o output", options: "c command"},
	{programs: "mongodump", files: "archive"},
	{programs: "docker podman nerdctl", verbs: "save export", files: "o output"},
	{
		programs: "gpg gpg2 uv time gtime strace ltrace valgrind dot neato fdp sfdp circo twopi",
		files:    "o output output-file log-file",
	},
	{programs: "redis-cli openssl gs", files: "rdb out keyout sOutputFile", options: "-"},
	{
		programs: "go",
		verbs:    "build test tool",
		files:    "o coverprofile cpuprofile memprofile blockprofile trace",
		options:  "-",
	},
	{programs: "ffmpeg", needs: "y", options: "- i", last: 1},
	{programs: "convert magick gm", but: "identify mogrify compare display", options: "-", last: 2},
	{
		programs: "sox lame wkhtmltopdf wkhtmltoimage weasyprint pdftotext pdftohtml ps2pdf pdfunite qpdf " +
			"heif-convert avifenc avifdec sass lessc",
		last: 2,
	},
	{programs: "typst", verbs: "compile c", options: "root input font-path f format", last: 3},
	{programs: "qemu-img", verbs: "convert", options: "f O o", last: 3},
	{programs: "uniq xxd", options: "f s w c g l n o", last: 2},
	{programs: "script", options: "c I O B T m E", last: 1},
}

// outputOf returns the row of a program, or nil.
func outputOf(name string) *output {
	for i := range outputRows {
		if lex.OneOf(name, outputRows[i].programs) {
			return &outputRows[i]
		}
	}
	return nil
}

// report reports the files that a command writes. A nil row has none.
func (w *output) report(sh *shell.Shell, c shell.Command) {
	if w == nil {
		return
	}
	o := argv.ParseOptions(c.Args, w.files+" "+w.options)
	switch {
	case rows.Fails(w.verbs, lex.ContainsAny(o.Pos[:min(2, len(o.Pos))], w.verbs)),
		rows.Fails(w.needs, o.Given(w.needs)),
		lex.OneOf(o.At(0), w.but):
		return
	}
	files := o.All(strings.Fields(w.files)...)
	last := len(o.Pos) - 1
	if w.last > 0 && last >= w.last-1 {
		files = append(files, o.Pos[last])
	}
	for _, file := range files {
		switch {
		case file == "-":
		case slices.Contains(o.Pos[:max(last, 0)], file): // it is read, too
			sh.WriteAs(effect.Edit, file)
		default:
			sh.Write(file)
		}
	}
}

// reportGuardedOutput reports a guarded file that a program writes because of an output option.
func reportGuardedOutput(sh *shell.Shell, c shell.Command) {
	for _, file := range outputs(c) {
		if p := sh.Path(file); rows.IsGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// reportProjectOutput reports the files of the project that an unlisted program writes because of an output option.
func reportProjectOutput(sh *shell.Shell, c shell.Command) {
	for _, file := range outputs(c) {
		if p := sh.Path(file); fspath.Within(p, sh.Eval.Site.Project) && p != sh.Eval.Site.Project {
			sh.Write(file)
		}
	}
}

// outputs returns the values of output options.
func outputs(c shell.Command) (files []string) {
	for i, a := range c.Args {
		if !strings.HasPrefix(a, "-") {
			continue
		}
		name, file, given := strings.Cut(a, "=")
		if !lex.OneOf(name, "--dest --out --outfile --output --output-file --target-directory -O -o") {
			continue
		}
		if !given {
			file = lex.First(c.Args[i+1:])
		}
		files = append(files, file)
	}
	return files
}
