package understand

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// archivePrograms are the programs that pack and unpack files.
var archivePrograms = []table{
	{programs: "tar gtar bsdtar", options: tarOptions, bundled: true, keeps: tarKeeps, do: printUnknown, rows: []row{
		{given: "checkpoint-action=", goOn: true, also: runsActions},
		{given: "remove-files", goOn: true, also: deletesPacked},
		{given: "c create", with: "f= file=", goOn: true, also: writesArchive},
		{given: "x extract get", with: "O to-stdout to-command"},
		{
			given: "x extract get",
			with:  "C= directory=",
			goOn:  true,
			does:  act{effect.WriteFile, effect.Unpack, "@$=C,directory"},
			also:  bringsArchive,
		},
		{given: "x extract get", also: unpacksTar},
		{given: "t list"},
		{given: "c create", goOn: true, also: packsTar},
		{also: packs},
	}},
	{programs: "zip", options: "b t n x i TT! unzip-command!", do: printUnknown, rows: []row{
		{given: "m move", does: act{effect.DeleteTree, "", "@$1*"}},
		{also: packsZip},
	}},
	{programs: "7z 7za 7zz 7zr", options: "o? m? p? t? x? i? a? w? si? so", do: printUnknown, rows: []row{
		{args: "-sdel", does: act{effect.DeleteTree, "", "@$2*"}},
		{words: "x|e", args: "-y|-aoa", also: unpacks7z},
		{words: "x|e|l|t"},
		{also: packs},
	}},
	{programs: "cpio", options: "F I O D H E R C directory file rsh-command!", do: printUnknown, rows: []row{
		{given: "i extract", with: "u unconditional", also: unpacksOperands},
		{also: packs},
	}},
	{programs: "gzip bzip2 xz zstd lzma pigz", options: "S T o suffix threads", do: printUnknown, rows: []row{
		{given: "o=", does: act{effect.WriteFile, "", "@$=o"}},
		{given: "d decompress uncompress", with: "f force", without: "c stdout", also: expands},
		{also: packs},
	}},
	{programs: "bunzip2 unxz unzstd unlzma", options: "o", rows: []row{
		{given: "f force", without: "c stdout", also: expands},
	}},
	{programs: "rar", options: "-", do: printUnknown, rows: []row{
		{words: "m|mf", does: act{effect.DeleteTree, "", "@$2*"}},
		{args: "-df|-dr", does: act{effect.DeleteTree, "", "@$2*"}},
	}},
	{programs: "unrar", options: "o? p?", rows: []row{
		{words: "x|e", args: "-o+|-y", also: unpacks7z},
	}},
	{programs: "unzip", options: "d x P", rows: []row{
		{given: "p l t v z c"},
		{given: "d=", goOn: true, does: act{effect.WriteFile, effect.Unpack, "@$=d"}, also: bringsArchive},
		{given: "o", without: "n", also: unpacksZip},
	}},
}

const (
	tarOptions = "f C X T s directory file exclude files-from strip-components transform xform -checkpoint " +
		"checkpoint-action to-command! use-compress-program! I! info-script! new-volume-script! F! rsh-command! " +
		"rmt-command -extract -get -create -list -append -update -to-stdout -remove-files"
	tarKeeps = "k keep-old-files skip-old-files keep-newer-files backup"
)

// packHead begins a line about what lies in an archive that this call makes: the folder from which
// it was packed, a tab, and the name there.
const packHead = "packed from "

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

// packsTar notes what tar packs.
func packsTar(sh *shell.Shell, _ shell.Command, o shell.Options) {
	into, _ := o.Get("f", "file")
	if dirs := o.All("C", "directory"); len(dirs) < 2 {
		packed(sh, into, sh.Path(cmp.Or(lex.First(dirs), ".")), o.Pos)
	}
}

// packsZip notes what zip packs.
func packsZip(sh *shell.Shell, c shell.Command, o shell.Options) {
	packed(sh, o.At(0), sh.Place.Cwd, o.From(1))
	packs(sh, c, o)
}

// An unpacking is what a command takes out of an archive.
type unpacking struct {
	into  string   // the folder, "" for that of the command
	names []string // the files and the folders that it names; nil = all
	flat  bool     // they lose their folders
	strip int      // so many of their folders
	text  string   // what is known of the archive
}

// report reports the files that are overwritten, as far as they are known.
func (u unpacking) report(sh *shell.Shell) {
	child := sh.Sub()
	child.Place.Cwd = sh.Path(cmp.Or(u.into, "."))
	for _, name := range u.names {
		if name = u.nameOf(name); name != "" {
			child.Write(name)
		}
	}
	if len(u.names) > 0 || u.flat || u.strip > 0 {
		return
	}
	for _, line := range shell.SplitLines(u.text) {
		if place, ok := strings.CutPrefix(line, packHead); ok {
			replaces(child, place)
		} else if path, ok := strings.CutPrefix(line, diffHead+"b/"); ok && fspath.Within(path, child.Place.Cwd) {
			reportDiscards(child, effect.RestorePath, []string{path})
		}
	}
}

// replaces reports what comes from a place of the disk, through an archive.
func replaces(sh *shell.Shell, place string) {
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

// unpacksTar reports what tar unpacks. Without a folder it does so where it runs, which is
// reported unless that is in the project.
func unpacksTar(sh *shell.Shell, c shell.Command, o shell.Options) {
	into, given := o.Get("C", "directory")
	if !given && !fspath.Within(sh.Place.Cwd, sh.Eval.Site.Project) {
		sh.Effect(effect.WriteFile, effect.Unpack, sh.Place.Cwd)
	}
	count, _ := o.Get("strip-components")
	strip, _ := strconv.Atoi(count)
	if !o.Given("transform xform s=") {
		unpacking{into: into, names: o.Pos, strip: strip, text: archiveText(sh, c, o)}.report(sh)
	}
}

// unpacksZip reports what unzip unpacks.
func unpacksZip(sh *shell.Shell, c shell.Command, o shell.Options) {
	into, _ := o.Get("d")
	unpacking{into: into, names: o.From(1), flat: o.Given("j"), text: archiveText(sh, c, o)}.report(sh)
}

// unpacks7z reports what 7z and unrar unpack.
func unpacks7z(sh *shell.Shell, c shell.Command, o shell.Options) {
	u := unpacking{names: o.From(2), flat: o.At(0) == "e"}
	switch last := len(u.names) - 1; {
	case c.Name != "unrar":
		u.into, _ = o.Get("o")
	case last >= 0 && strings.HasSuffix(u.names[last], "/"):
		u.into, u.names = u.names[last], u.names[:last]
	}
	u.report(sh)
}

// unpacksOperands reports the files that cpio unpacks.
func unpacksOperands(sh *shell.Shell, _ shell.Command, o shell.Options) {
	into, _ := o.Get("D", "directory")
	unpacking{into: into, names: o.Pos}.report(sh)
}

// expands reports the files that take the places of compressed ones.
func expands(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, name := range o.Pos {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			sh.Write(name[:dot])
		}
	}
}

// runsActions runs the commands that tar starts at its checkpoints.
func runsActions(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, action := range o.All("checkpoint-action") {
		if _, code, ok := strings.Cut(action, "exec="); ok {
			sh.Run(code, nil)
		}
	}
}

// deletesPacked reports the files that tar deletes when it has packed them. They are below the
// directory that -C names.
func deletesPacked(sh *shell.Shell, _ shell.Command, o shell.Options) {
	child := sh.Sub()
	for _, dir := range o.All("C", "directory") {
		child.Place.Cwd = child.Path(dir)
	}
	for _, p := range o.Pos {
		child.Deletes(effect.DeleteTree, "", p)
	}
}

// writesArchive reports the archive that tar makes.
func writesArchive(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if into, _ := o.Get("f", "file"); into != "-" && !shell.IsRemotePath(into) {
		sh.Write(into)
	}
}

// packs reports credentials and files of Afar that go into an archive.
func packs(sh *shell.Shell, c shell.Command, o shell.Options) {
	into, _ := o.Get("f", "file")
	switch c.Name {
	case "zip":
		into = o.At(0)
	case "7z", "7za":
		into = o.At(1)
	}
	for _, p := range o.Pos {
		if sh.IsOwn(sh.Path(p)) {
			sh.Read(p)
		}
		if p != into && strings.ContainsRune(fileText(sh, p), partial.HoleSecret) {
			sh.Print(sh.Read(p))
			sh.Remember(sh.Path(into), partial.UnknownSecret)
		}
	}
}

// bringsArchive remembers the directory into which an archive from another machine is unpacked.
func bringsArchive(sh *shell.Shell, c shell.Command, o shell.Options) {
	dir, _ := o.Get("C", "directory", "d")
	path := sh.Path(dir)
	if strings.Contains(archiveText(sh, c, o), partial.UnknownNetwork) && !fspath.Within(sh.Place.Cwd, path) {
		sh.Fetches(path)
	}
}

// archiveText returns what is known of the archive that a program unpacks, or "".
func archiveText(sh *shell.Shell, c shell.Command, o shell.Options) string {
	file, named := o.Get("f", "file")
	if strings.HasPrefix(c.Name, "un") { // unzip, unrar
		file, named = o.At(0), true
	}
	if !named || file == "-" {
		return strings.Join(stdin(c), "")
	}
	text, _ := sh.Brought(file)
	return text
}
