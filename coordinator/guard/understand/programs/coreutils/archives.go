// Package coreutils has the programs for files, texts and archives.
package coreutils

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// ArchivePrograms are the programs that pack and unpack files.
var ArchivePrograms = []rows.Table{
	{Programs: "tar gtar bsdtar", Options: tarOptions, Bundled: true, Keeps: tarKeeps, Do: rows.PrintUnknown, Rows: []rows.Row{
		{Given: "checkpoint-action=", GoOn: true, Also: runActions},
		{Given: "remove-files", GoOn: true, Also: reportPackedDeletion},
		{Given: "x extract get", With: "O to-stdout to-command"},
		{
			Given: "x extract get",
			With:  "C= directory=",
			GoOn:  true,
			Does:  effect.WriteFile, Op: effect.Unpack, To: rows.Paths{rows.ValueOf("C directory")},
			Also: rememberArchive,
		},
		{Given: "x extract get", Also: reportUnpackedTar},
		{Given: "t list"},
		{Also: reportPacked},
	}},
	{Programs: "zip", Options: "b t n x i TT! unzip-command!", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Given: "m move", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(1)}},
		{Also: reportPacked},
	}},
	{Programs: "7z 7za 7zz 7zr", Options: "o? m? p? t? x? i? a? w? si? so", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Args: "-sdel", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(2)}},
		{Words: "x|e", Args: "-y|-aoa", Also: reportUnpacked},
		{Words: "x|e|l|t"},
		{Also: reportPacked},
	}},
	{Programs: "cpio", Options: "F I O D H E R C directory file rsh-command!", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Given: "i extract", With: "u unconditional", Also: reportUnpacked},
		{Also: reportPacked},
	}},
	{Programs: "gzip bzip2 xz zstd lzma pigz", Options: "S T o suffix threads", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Given: "o=", Does: effect.WriteFile, To: rows.Paths{rows.ValueOf("o")}},
		{Given: "d decompress uncompress", With: "f force", Without: "c stdout", Also: reportExpanded},
		{Also: reportPacked},
	}},
	{Programs: "bunzip2 unxz unzstd unlzma", Options: "o", Rows: []rows.Row{
		{Given: "f force", Without: "c stdout", Also: reportExpanded},
	}},
	{Programs: "rar", Options: "-", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Words: "m|mf", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(2)}},
		{Args: "-df|-dr", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(2)}},
	}},
	{Programs: "unrar", Options: "o? p?", Rows: []rows.Row{
		{Words: "x|e", Args: "-o+|-y", Also: reportUnpacked},
	}},
	{Programs: "unzip", Options: "d x P", Rows: []rows.Row{
		{Given: "p l t v z c"},
		{
			Given: "d=", GoOn: true, Does: effect.WriteFile, Op: effect.Unpack, To: rows.Paths{rows.ValueOf("d")},
			Also: rememberArchive,
		},
		{Given: "o", Without: "n", Also: reportUnpacked},
	}},
}

const (
	tarOptions = "f C X T s directory file exclude files-from strip-components transform xform -checkpoint " +
		"checkpoint-action to-command! use-compress-program! I! info-script! new-volume-script! F! rsh-command! " +
		"rmt-command -extract -get -create -list -append -update -to-stdout -remove-files"
	tarKeeps = "k keep-old-files skip-old-files keep-newer-files backup"
)

// packHead begins a line about a file in an archive that this call makes: its folder, a tab, and its name there.
const packHead = partial.UnknownData + "packed from "

// packed remembers or prints what lies in an archive.
func packed(sh *shell.Shell, archive, dir string, names []string) {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(packHead + dir + "\t" + name + "\n")
	}
	if cmp.Or(archive, "-") == "-" {
		sh.Print(b.String())
	} else {
		sh.Remember(sh.Path(archive), b.String())
	}
}

// An unpacking is what a command takes out of an archive.
type unpacking struct {
	into  string   // the folder, "" for that of the command
	names []string // the files and the folders that it names; nil = all
	flat  bool     // they lose their folders
	strip int      // so many of their folders
	file  string   // the archive, "" for standard input
	whole bool     // absolute names and those with ".." count as they are; else tar keeps them below the folder
	text  string   // what is known of it, if this call made it
}

// report reports the files that are overwritten, as far as they are known.
func (u unpacking) report(sh *shell.Shell) {
	child := rows.ShellIn(sh, cmp.Or(u.into, "."))
	names := u.names
	if len(names) == 0 && u.text == "" {
		names = u.members(sh)
	}
	for _, name := range names {
		if name = u.nameOf(name); name != "" {
			child.Write(name)
		}
	}
	if len(names) > 0 || u.flat || u.strip > 0 {
		return
	}
	for _, line := range shell.SplitLines(u.text) {
		if place, ok := strings.CutPrefix(line, packHead); ok {
			reportReplaced(child, place)
		} else if path, ok := strings.CutPrefix(line, rows.DiffHead+"b/"); ok && fspath.Within(path, child.Place.Cwd) {
			rows.ReportDiscards(child, effect.RestorePath, []string{path})
		}
	}
}

// members returns the files of an archive on the disk, as they are unpacked.
func (u unpacking) members(sh *shell.Shell) (names []string) {
	for _, name := range sh.Members(u.file) {
		switch {
		case u.whole:
			names = append(names, name)
		case !slices.Contains(strings.Split(name, "/"), ".."): // tar leaves out the others
			names = append(names, strings.TrimLeft(name, "/"))
		}
	}
	return names
}

// reportReplaced reports what comes from a place of the disk, through an archive.
func reportReplaced(sh *shell.Shell, place string) {
	dir, name, _ := strings.Cut(place, "\t")
	if from := fspath.Join(dir, name); from != sh.Path(name) {
		sh.Write(name)
		sh.Overlays(sh.Path(name), from)
	}
}

// nameOf returns the name that a file of the archive gets, "" if it is left out.
func (u unpacking) nameOf(name string) string {
	if u.flat {
		return fspath.Base(name)
	}
	parts := strings.Split(strings.TrimPrefix(name, "./"), "/")
	return strings.Join(parts[min(u.strip, len(parts)):], "/")
}

// reportUnpackedTar reports what tar unpacks, and the folder in which it runs unless that is in the project.
func reportUnpackedTar(sh *shell.Shell, c shell.Command, o argv.Options) {
	into, given := o.Get("C", "directory")
	if !given && !fspath.Within(sh.Place.Cwd, sh.Eval.Site.Project) {
		sh.Effect(effect.WriteFile, effect.Unpack, sh.Place.Cwd)
	}
	count, _ := o.Get("strip-components")
	strip, _ := strconv.Atoi(count)
	if !o.Given("transform xform s=") {
		file, text := archiveOf(sh, c, o)
		whole := o.Given("P absolute-names")
		unpacking{into: into, names: o.Pos, strip: strip, file: file, whole: whole, text: text}.report(sh)
	}
}

// reportUnpacked reports what unzip, cpio, 7z and unrar unpack.
func reportUnpacked(sh *shell.Shell, c shell.Command, o argv.Options) {
	u := unpacking{names: o.From(2), flat: o.At(0) == "e"}
	switch last := len(u.names) - 1; {
	case c.Name == "unzip":
		u = unpacking{names: o.From(1), flat: o.Given("j")}
		u.file, u.text = archiveOf(sh, c, o)
		u.into, _ = o.Get("d")
	case c.Name == "cpio":
		u = unpacking{names: o.Pos}
		u.into, _ = o.Get("D", "directory")
	case c.Name != "unrar":
		u.into, _ = o.Get("o")
	case last >= 0 && strings.HasSuffix(u.names[last], "/"):
		u.into, u.names = u.names[last], u.names[:last]
	}
	u.report(sh)
}

// reportExpanded reports the files that take the places of compressed ones.
func reportExpanded(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, name := range o.Pos {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			sh.Write(name[:dot])
		}
	}
}

// runActions runs the commands that tar starts at its checkpoints.
func runActions(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, action := range o.All("checkpoint-action") {
		if _, code, ok := strings.Cut(action, "exec="); ok {
			sh.Run(code, nil)
		}
	}
}

// reportPackedDeletion reports the files that tar deletes when it has packed them, below the directory of -C.
func reportPackedDeletion(sh *shell.Shell, _ shell.Command, o argv.Options) {
	child := rows.InFolder(sh, o, "C directory")
	for _, p := range o.Pos {
		child.Deletes(effect.DeleteTree, "", p)
	}
}

// reportPacked notes what goes into an archive. It reports that of tar, and credentials and files of Afar in any.
func reportPacked(sh *shell.Shell, c shell.Command, o argv.Options) {
	into, named := o.Get("f", "file")
	switch c.Name {
	case "zip":
		into, named = o.At(0), true
		packed(sh, into, sh.Place.Cwd, o.From(1))
	case "7z", "7za":
		into, named = o.At(1), true
	case "bzip2", "gzip", "lzma", "pigz", "xz", "zstd":
		if secret.HasMark(rows.Stdin(c), partial.HoleData) {
			sh.Print(partial.UnknownData)
		}
	case "tar", "gtar", "bsdtar":
		if !o.Given("c create") {
			break
		}
		if named && into != "-" && !shell.IsRemotePath(into) {
			sh.Write(into)
		}
		if dirs := o.All("C", "directory"); len(dirs) < 2 {
			packed(sh, into, sh.Path(cmp.Or(lex.First(dirs), ".")), o.Pos)
		}
	}
	for _, p := range o.Pos {
		if sh.IsOwn(sh.Path(p)) {
			sh.Read(p)
		}
		if p != into && strings.ContainsRune(secret.FileText(sh, p), partial.HoleSecret) {
			sh.Print(sh.Read(p))
			sh.Remember(sh.Path(into), partial.UnknownSecret)
		} else if named && sh.ListsSecret(p) && !lex.Mentions(strings.Join(c.Args, " "), "exclude -x") {
			sh.Remember(sh.Path(into), partial.UnknownSecret)
		}
	}
}

// rememberArchive remembers the directory into which an archive from another machine is unpacked.
func rememberArchive(sh *shell.Shell, c shell.Command, o argv.Options) {
	dir, _ := o.Get("C", "directory", "d")
	path := sh.Path(dir)
	_, text := archiveOf(sh, c, o)
	if strings.Contains(text, partial.UnknownNetwork) && !fspath.Within(sh.Place.Cwd, path) {
		sh.Fetches(path)
	}
}

// archiveOf returns the archive that a program unpacks, "" for standard input, and what is known of it,
// or "".
func archiveOf(sh *shell.Shell, c shell.Command, o argv.Options) (file, text string) {
	file, named := o.Get("f", "file")
	if strings.HasPrefix(c.Name, "un") { // unzip, unrar
		file, named = o.At(0), true
	}
	if !named || file == "-" {
		return "", strings.Join(rows.Stdin(c), "")
	}
	text, _ = sh.Brought(file)
	return file, text
}
