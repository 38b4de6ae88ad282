package understand

import (
	"path"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// This file follows files that this call fetched: to the programs that run or install them, and into
// what other programs make of them.

// A taker says which files programs run or install: the values of options, and the first operand or all of them.
type taker struct {
	programs string
	files    string // the options whose values are such files
	options  string // other options with a value
	verbs    string // the first operands may be some of these
	needs    string // one of those is given, or one of these options
	all      bool   // every operand is such a file
	here     bool   // they run what lies in their folder
	feeds    bool   // without a file they run what they read
	skip     int    // with so many operands at most
	opaque   bool   // such a file may be no text
}

var takers = [...]taker{
	{programs: "java", files: "- jar cp classpath class-path p module-path", opaque: true},
	{
		programs: "jshell groovy groovysh scala scala-cli amm kotlin swift dotnet dotnet-script csharprepl mono wine " +
			"wine64 jbang rust-script ghci runghc runhaskell octave octave-cli wasmtime wasmer guile sbcl clisp ecl " +
			"racket gosh escript elixir iex raku crystal nim zig v dart expect tclsh wish swipl ocaml utop cling " +
			"osascript pwsh insmod ansible-playbook bb clj clojure",
		files: "- l load script s pkg i",
		verbs: "run r e c cpp compile script exec shell repl test",
		feeds: true, opaque: true,
	},
	{programs: "emacs", files: "- l load script", feeds: true, opaque: true, skip: maxOperands},
	{
		programs: "sqlite3 sqlite duckdb mysql mariadb", files: "cmd c init e execute", options: sqlOptions,
		skip: 1, feeds: true,
	},
	{programs: "mongosh mongo", files: "eval f file", options: sqlOptions, skip: 1, feeds: true},
	{
		programs: "psql clickhouse-client cqlsh", files: "c command f file q query", options: sqlOptions,
		skip: 2, feeds: true,
	},
	{programs: "dpkg rpm pacman", needs: "i install U upgrade F force-depends", all: true},
	{
		programs: "apt apt-get dnf yum zypper apk snap flatpak brew pip pip3 uv pipx conda npm pnpm yarn bun gem " +
			"luarocks adb dotnet helm vagrant asdf mise",
		files:   "r requirement",
		options: "c channel i index-url extra-index-url registry source find-links repo proxy C prefix",
		verbs:   "plugin plugins box pip tool install add i in load import localinstall upgrade",
		needs:   "install",
		all:     true,
	},
	{
		programs: "docker podman nerdctl", files: "i input", verbs: "image load import", needs: "input",
		all: true, feeds: true,
	},
	{
		programs: "kubectl k oc", files: "f filename manifest-url manifest", verbs: "krew install apply create",
		needs: "filename",
	},
	{programs: "nix-env", files: "f file", needs: "i install"},
	{programs: "cpanm nix-shell nix-build", all: true},
	{programs: "cargo", files: "git path", verbs: "install", needs: "git path"},
	{programs: "go", files: "C", verbs: "run test generate", needs: "toolexec"},
	{
		programs: "mvn mvnw gradle gradlew sbt ant cmake meson ninja bazel buck2 mix lein rake thor invoke inv nox tox " +
			"doit scons waf gulp grunt mage stack cabal dub shards nimble flutter bundle composer",
		here: true,
	},
	{
		programs: "code codium cursor code-insiders installer msiexec", files: "install-extension pkg i package",
		needs: "install-extension pkg i package",
	},
}

const sqlOptions = "h p u U d D P S host port user username dbname database socket v set"

// maxOperands is more than a command has operands: none of them is such a file.
const maxOperands = 1 << 20

// takerOf returns the row of a program, or nil.
func takerOf(name string) *taker {
	for i := range takers {
		if lex.OneOf(name, takers[i].programs) {
			return &takers[i]
		}
	}
	return nil
}

// report reports a fetched file that a command runs or installs. A nil row has none.
func (t *taker) report(sh *shell.Shell, c shell.Command) {
	if t == nil {
		return
	}
	files := t.taken(c)
	source.ReportInstalled(sh, files)
	for _, file := range files {
		text, arrived := sh.Arrived(file)
		target := sh.Path(file)
		if t.opaque && !arrived {
			unreadCode(sh, file)
		}
		if file == "-" {
			text, target = lex.First(rows.Stdin(c)), ""
		}
		if isFetched(text) {
			sh.Effect(effect.RunUnknown, effect.Network, target)
			return
		}
	}
}

// unreadCode reports a file of code that runs outside the session, unless its text is known.
func unreadCode(sh *shell.Shell, file string) {
	switch _, ok := sh.FileText(file); {
	case ok, file == ".":
	case strings.Contains(fspath.Base(file), "."):
		sh.Unread(file)
	default: // it may be the name of a part of the project
		sh.UnreadHere(sh.Path(file))
	}
}

// taken returns the files that a command runs or installs, "-" for the standard input.
func (t *taker) taken(c shell.Command) (files []string) {
	o := t.parse(c.Args)
	named := t.needs == "" || o.Given(t.needs)
	for lex.OneOf(o.At(0), t.verbs) {
		named = true
		if o.Pos = o.Pos[1:]; !t.all {
			o = t.parse(o.Pos)
		}
	}
	files = o.All(strings.Fields(t.files)...)
	switch {
	case !named:
		return nil
	case t.here:
		files = append(files, ".")
	case t.all:
		files = append(files, o.Pos...)
	case len(o.Pos) > t.skip && len(files) == 0:
		files = o.Pos[t.skip : t.skip+1]
	case len(o.Pos) > t.skip:
		for _, folder := range files { // of classes, among which the program is
			files = append(files, folder+"/"+o.Pos[t.skip])
		}
	}
	if len(files) == 0 && t.feeds {
		return []string{"-"}
	}
	return files
}

// parse splits arguments. What follows the first operand may be for the program that it names.
func (t *taker) parse(args []string) argv.Options {
	as := rows.Table{Options: t.files + " " + t.options, Leads: !t.all}
	return as.Parse(args)
}

// isFetched reports whether a text came from another machine.
func isFetched(text string) bool { return strings.ContainsRune(text, partial.HoleNetwork) }

// These programs make a program of a source, or unpack an archive.
const (
	compilers = "babel bunzip2 bzip2 c++ cc clang clang++ coffee crystal csc dart dmd emcc esbuild fpc fsc g++ gcc" +
		" gdc gfortran ghc go groovyc gunzip gzip javac kotlinc ldc2 lz4 lzma mcs nasm nim nvcc ocamlc ocamlopt odin" +
		" rustc scalac swc swiftc tcc tinygo tsc unlzma unxz unzstd v valac xz zig zstd"
	unpackers = "7z 7za 7zz ar bsdtar cabextract cpio ditto dpkg dpkg-deb gtar jar tar unar unrar unsquashfs unzip"
)

// madeEnds are the ends of the names of such results.
const madeEnds = ". .js .mjs .class .jar .exe .wasm .o .so"

// reportPassedOn remembers that what a program makes of a fetched file is fetched, too.
func reportPassedOn(sh *shell.Shell, c shell.Command) {
	if c.In == nil && !sh.Brings() {
		return // as nearly always: no list is searched
	}
	compiles, unpacks := lex.OneOf(c.Name, compilers), lex.OneOf(c.Name, unpackers)
	made := outputs(c)
	from := fetchedInput(sh, c)
	switch {
	case from == "":
		return
	case compiles:
		made = append(made, compiled(c, from)...)
	case unpacks && !lex.ContainsAny(c.Args, "-C -d --directory"):
		sh.Unpacks("")
		sh.Unpacks(strings.TrimPrefix(lex.First(c.Args[max(0, len(c.Args)-1):]), "-o"))
	}
	for _, file := range made {
		if p := sh.Path(file); sh.Files[p] == "" && p != sh.Place.Cwd {
			sh.Remember(p, partial.UnknownNetwork)
		}
	}
}

// fetchedInput returns the first fetched file among the arguments, "-" for the standard input.
func fetchedInput(sh *shell.Shell, c shell.Command) string {
	if isFetched(lex.First(rows.Stdin(c))) {
		return "-"
	}
	for _, a := range c.Args {
		if text, _ := sh.Brought(a); isFetched(text) {
			return a
		}
	}
	return ""
}

// compiled returns the names that a result may have: those of the source, in its folder and in those of options.
func compiled(c shell.Command, source string) []string {
	made := []string{"a.out"}
	name := strings.TrimSuffix(source, path.Ext(source))
	o := argv.ParseOptions(c.Args, "d outDir out-dir outdir")
	folders := append(o.All("d", "outDir", "out-dir", "outdir"), ".")
	for _, end := range strings.Fields(madeEnds) {
		end = strings.TrimSuffix(end, ".")
		made = append(made, name+end)
		for _, folder := range folders {
			made = append(made, folder+"/"+fspath.Base(name)+end)
		}
	}
	return append(made, folders...)
}
