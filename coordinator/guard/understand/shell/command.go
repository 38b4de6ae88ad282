package shell

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Command is one simple command after expansion.
type Command struct {
	Name string   // lower-case base name of the program
	Args []string // without the program
	In   *string  // its standard input; nil = not known
}

// MaxCombinations bounds the argument lists that one command is evaluated with,
// if its words may have several values.
const MaxCombinations = 12

func (sh *Shell) call(c *syntax.CallExpr, in *string) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			sh.assignment(a)
		}
		return
	}
	env := sh
	if len(c.Assigns) > 0 {
		env = sh.with(c.Assigns)
		for _, a := range c.Assigns {
			if a.Name != nil {
				env.RunVariable(a.Name.Value)
			}
		}
	}
	env.literals = literalWords(c.Args)
	for _, argv := range oneStep(sh.argvs(c.Args)) {
		env.Exec(argv, in)
	}
	if env != sh {
		env.mistaken(c)
		var own []string
		for _, a := range c.Assigns {
			if a.Name != nil {
				own = append(own, a.Name.Value)
			}
		}
		sh.adopt(env, own)
	}
}

// with returns a child scope with the variables of one command. They replace those of the shell,
// whether or not the command surely runs.
func (sh *Shell) with(variables []*syntax.Assign) *Shell {
	env := sh.Sub()
	env.uncertain = 0
	for _, a := range variables {
		env.assignment(a)
	}
	env.uncertain = sh.uncertain
	return env
}

// adopt takes over what a command or a function has set in its scope, without its own variables.
func (sh *Shell) adopt(scope *Shell, own []string) {
	for name, v := range scope.vars {
		if !slices.Contains(own, name) {
			sh.set(name, v)
		}
	}
	for name, f := range scope.funcs {
		sh.define(name, f)
	}
	sh.Place = scope.Place
}

// mistaken also evaluates a command such as "T=/x rm -rf $T" with the new value
// of T. The shell expands the argument before it assigns, but the writer may have
// meant the new value.
func (sh *Shell) mistaken(c *syntax.CallExpr) {
	uses := slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return sh.usesOwn(w.Parts) })
	if !uses {
		return
	}
	n := len(sh.Eval.Effects)
	for _, argv := range sh.Sub().argvs(c.Args) {
		sh.Sub().Exec(argv, nil)
	}
	sh.Doubt(n)
}

// usesOwn reports whether parts of a word use a variable of this scope. The parser's
// Walk knows no braces that were split, so it gets the words between them.
func (sh *Shell) usesOwn(parts []syntax.WordPart) (uses bool) {
	for _, part := range parts {
		if braces, ok := part.(*syntax.BraceExp); ok {
			uses = uses || slices.ContainsFunc(braces.Elems, func(w *syntax.Word) bool { return sh.usesOwn(w.Parts) })
			continue
		}
		syntax.Walk(part, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				_, own := sh.vars[p.Param.Value]
				uses = uses || own
			}
			return !uses
		})
	}
	return uses
}

// oneStep merges the alternatives of a "cd" to one of several subdirectories into
// one cd to an unknown one. Evaluated one after the other they would add up.
func oneStep(lists [][]string) [][]string {
	if len(lists) < 2 {
		return lists
	}
	for _, argv := range lists {
		switch {
		case len(argv) != 2, argv[0] != "cd":
			return lists
		case argv[1] == "", strings.Contains(argv[1], ".."), lex.BeginsWith(argv[1], "/ ~ -"):
			return lists
		}
	}
	return [][]string{{"cd", "./" + partial.Unknown}}
}

// expanded are the characters that the shell expands in a word without quotes.
const expanded = "*?[~"

// literalWords returns the words that stand in quotes as a whole and have a wildcard or a
// tilde, which the shell leaves as they are.
func literalWords(words []*syntax.Word) (literal []string) {
	for _, w := range words {
		if len(w.Parts) != 1 {
			continue
		}
		var text string
		switch q := w.Parts[0].(type) {
		case *syntax.Lit:
			text = escapedText(q.Value)
		case *syntax.SglQuoted:
			text = q.Value
		case *syntax.DblQuoted:
			if len(q.Parts) == 1 {
				text, _ = grammar.PlainQuoted(q)
			}
		}
		if strings.ContainsAny(text, expanded) {
			literal = append(literal, text)
		}
	}
	return literal
}

// escapedText returns a word without its backslashes if each character that the shell expands has
// one, or "".
func escapedText(word string) string {
	if !strings.Contains(word, `\`) {
		return ""
	}
	var text []byte
	for i := 0; i < len(word); i++ {
		switch {
		case word[i] == '\\' && i+1 < len(word):
			i++
		case strings.IndexByte(expanded, word[i]) >= 0:
			return ""
		}
		text = append(text, word[i])
	}
	return string(text)
}

// AsFile returns an argument as the name of one file. In a word in quotes, other characters
// take the places of the wildcards.
func (sh *Shell) AsFile(arg string) string {
	if !slices.Contains(sh.literals, arg) {
		return arg
	}
	return strings.NewReplacer("*", "∗", "?", "？", "[", "［", "~", "～").Replace(arg)
}

// commandVariables are the variables whose values other programs run in a shell.
const commandVariables = "BROWSER CVS_RSH EDITOR GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER" +
	" GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND LESSCLOSE LESSOPEN MANPAGER MANROFFOPT PAGER" +
	" PROMPT_COMMAND RSYNC_RSH SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR VISUAL"

// RunVariable runs the value of a variable that other programs run.
func (sh *Shell) RunVariable(name string) {
	v, _ := sh.Lookup(name)
	text := strings.TrimPrefix(lex.First(v), "|")
	switch {
	case lex.OneOf(name, "BASH_ENV ENV"):
		sh.Sub().scriptNamed(text)
	case lex.OneOf(name, commandVariables) && (sh.outside || strings.Contains(text, " ")):
		sh.Run(text, nil)
	case lex.OneOf(name, "LD_PRELOAD DYLD_INSERT_LIBRARIES "+commandVariables):
		if code, ok := sh.Brought(text); ok {
			sh.Opaque(code)
		} else if strings.Contains(text, "/") {
			sh.Unread(text)
		}
	}
}

// argvs expands words into the argument lists that they may become.
func (sh *Shell) argvs(words []*syntax.Word) [][]string {
	lists := [][]string{make([]string, 0, len(words))}
	for _, w := range words {
		if arg := plainArg(w); arg != "" && len(lists) == 1 { // as for most words
			lists[0] = append(lists[0], arg)
			continue
		}
		alts := sh.alternatives(w)
		if !sh.Spend(len(lists) * len(alts) / ArgsPerStep) {
			return nil
		}
		lists = combine(lists, alts)
	}
	return lists
}

// plainArg returns the argument that a word is, if it is a literal in which nothing is
// expanded, and "" for any other word.
func plainArg(w *syntax.Word) string {
	lit := plainLit(w)
	if lit == "" || lit[0] == '~' || strings.IndexByte(lit, partial.SplitMark) >= 0 {
		return ""
	}
	return lit
}

// combine appends every alternative to every list. Beyond MaxCombinations it
// pairs them so that each occurs at least once. Lists grow in place.
func combine(lists, alts [][]string) [][]string {
	if len(alts) == 0 {
		return lists
	}
	if len(alts) > 1 && len(lists)*len(alts) <= MaxCombinations {
		var out [][]string
		for _, b := range alts {
			for _, a := range lists {
				out = append(out, append(slices.Clone(a), b...))
			}
		}
		return out
	}
	for n := len(lists); len(lists) < len(alts); {
		lists = append(lists, slices.Clone(lists[len(lists)%n]))
	}
	for i := range lists {
		lists[i] = append(lists[i], alts[i%len(alts)]...)
	}
	return lists
}

// Exec evaluates one argument list, which calls a function or a program.
func (sh *Shell) Exec(argv []string, in *string) {
	if len(argv) == 0 || !sh.Spend(PerCommand+len(argv)/ArgsPerStep) {
		return
	}
	if sh.Depth >= MaxDepth {
		sh.exhausted()
		return
	}
	switch f := sh.function(argv[0]); {
	case f == nil:
	case f.alias != "":
		sh.callAlias(f, argv, in) // a shell that expands no aliases, or not yet, runs the program
	case f.calls == 0, sh.forked:
		sh.callFunction(f, argv, in)
		return
	}
	c := Command{Name: lex.ProgramName(argv[0]), Args: argv[1:], In: in}
	via := sh.Via
	sh.Via = c.Name
	sh.Depth++
	before, outer, stdin := sh.printed(), sh.Eval.begin(sh, argv), sh.stdin
	if in != nil {
		sh.stdin = in
	}
	silent := sh.Eval.dispatch(sh, c, argv[0])
	sh.stdin, sh.Eval.at = stdin, outer
	sh.ends(c)
	if sh.printed() == before && !silent {
		sh.Print(partial.Unknown)
	}
	sh.Depth--
	sh.Via = via
}

func (sh *Shell) printed() int {
	if sh.Out == nil {
		return 0
	}
	return sh.Out.Len()
}

// callAlias runs what an alias stands for. In its own text its name is that of the program.
func (sh *Shell) callAlias(f *function, argv []string, in *string) {
	if f.calls > 0 {
		return
	}
	f.calls++
	sh.Run(f.alias+" "+QuoteAll(argv[1:]), in)
	f.calls--
}

func (sh *Shell) callFunction(f *function, argv []string, in *string) {
	if f.body == nil {
		return
	}
	if f.calls > 0 {
		sh.Effect(effect.ForkBomb, effect.Named("a function that forks itself"), "")
		return
	}
	f.calls++
	child := sh.Sub()
	child.params = append([]string{}, argv[1:]...)
	child.Src = f.src
	child.Depth++
	child.caller, child.locals = sh, nil
	child.stmt(f.body, in)
	for _, name := range child.locals {
		delete(sh.Eval.constant, name)
	}
	sh.adopt(child, child.locals)
	if child.ended == exited {
		sh.ended = exited
	}
	f.calls--
}

// QuoteAll makes words safe to be parsed again. A word with a wildcard gets a second part in
// quotes: it is not known whether it stood in quotes before, see literalWords.
func QuoteAll(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if strings.ContainsAny(w, expanded) {
			b.WriteString(`""`)
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// Assigned returns the value of a variable that the call itself sets.
func (sh *Shell) Assigned(name string) (string, bool) {
	v, ok := sh.assigned(name)
	return lex.First(v), ok
}

// Doubt marks the effects from the n-th on as only possible.
func (sh *Shell) Doubt(n int) {
	for i := n; i < len(sh.Eval.Effects); i++ {
		sh.Eval.Effects[i].Sure = effect.Possible
	}
}

// Creates marks that the writes from the n-th effect on overwrite no file.
func (sh *Shell) Creates(n int) {
	for i := n; i < len(sh.Eval.Effects); i++ {
		if e := &sh.Eval.Effects[i]; e.Kind == effect.WriteFile && e.Op == "" {
			e.Op = effect.Create
		}
	}
}

// Forgets drops the effects of a kind from the n-th on: what they are about was made by this call.
func (sh *Shell) Forgets(n int, kind effect.Kind) {
	made := slices.DeleteFunc(sh.Eval.Effects[n:], func(e effect.Effect) bool { return e.Kind == kind })
	sh.Eval.Effects = sh.Eval.Effects[:n+len(made)]
}

// OriginOf returns where the unknown part of a text comes from; "" for the output
// of a harmless program.
func OriginOf(text string) effect.Op {
	switch {
	case strings.ContainsRune(text, partial.HoleNetwork):
		return effect.Network
	case strings.ContainsRune(text, partial.HoleDecoded):
		return effect.Decoded
	case strings.ContainsRune(text, partial.HoleBenign):
		return ""
	}
	return effect.Unseen
}

// ScriptFile runs a file that this call wrote or fetched, with its arguments. It
// returns false if full is not such a file.
func (sh *Shell) ScriptFile(full string, args []string) bool {
	if _, searched := sh.Assigned("PATH"); !strings.Contains(full, "/") && !searched {
		return false
	}
	if _, ok := sh.Arrived(full); !ok {
		return false
	}
	child := sh.Sub()
	child.params = append([]string{}, args...)
	return child.runArrived(full)
}

// RunText runs a text as a shell program, or reports that the text is unknown.
func (sh *Shell) RunText(text string) { sh.RunTextIn(text, nil) }

// RunTextIn is RunText for a shell whose standard input is in.
func (sh *Shell) RunTextIn(text string, in *string) {
	if sh.InFile(text, func(child *Shell, text string) { child.Run(text, in) }) {
		return
	}
	if !sh.Opaque(text) {
		sh.Run(text, in)
	}
}

// Opaque reports a program text whose commands cannot be read: it has only holes, or it
// contains fetched or decoded text. It returns false for a text that can be read.
func (sh *Shell) Opaque(text string) bool {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "", trimmed == partial.UnknownBenign:
		return false
	case strings.ContainsAny(text, string(partial.HoleNetwork)+string(partial.HoleDecoded)),
		strings.Trim(trimmed, partial.Holes+" \n") == "",
		sh.outside && strings.ContainsFunc(text, isBinary):
		sh.Effect(effect.RunUnknown, OriginOf(text), "")
		return true
	}
	return false
}
