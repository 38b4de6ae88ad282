package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and the forms of ${x…} that can be evaluated without running a
// program. It returns a hole for every other form.
func (sh *Shell) param(p *syntax.ParamExp) expand.Value {
	if p.Param == nil {
		sh.nested(p)
		return expand.Value{partial.Unknown}
	}
	v, set := sh.paramValue(p)
	switch {
	case p.Length, p.Names != 0, p.Width, p.IsSet:
		return expand.Value{partial.Unknown}
	case p.Excl:
		return sh.indirect(v)
	case p.Exp != nil:
		v = sh.expansion(p.Exp, v, set)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			sh.Assign(p.Param.Value, v)
		}
		return v
	case p.Repl != nil:
		return sh.replace(p.Repl, v)
	case p.Slice != nil:
		return sh.slice(p, v)
	}
	if !set {
		return expand.Value{sh.Unset(p.Param.Value)}
	}
	return v
}

// Unset returns the hole for a variable that the call does not assign.
func (sh *Shell) Unset(name string) string {
	if protected.SecretName(sh.Eval.named(name)) {
		return partial.UnknownKey
	}
	return partial.Unknown
}

func (sh *Shell) paramValue(p *syntax.ParamExp) (expand.Value, bool) {
	name := p.Param.Value
	if sh.missing(name) {
		return expand.Value{partial.Unknown}, false
	}
	if v, ok := sh.special(name); ok {
		return v, true
	}
	v, ok := sh.Lookup(name)
	if !ok {
		return expand.Value{sh.Unset(name)}, false
	}
	if p.Index != nil {
		return sh.indexed(v.Each(sh.Afford), p.Index), true
	}
	return v.Each(func(s string) string {
		head, _, _ := strings.Cut(sh.Afford(s), string(partial.SplitMark))
		return head
	}), true
}

func (sh *Shell) special(name string) (expand.Value, bool) {
	switch name {
	case "@", "*":
		if sh.params == nil {
			return expand.Value{partial.Unknown}, true
		}
		return expand.Value{sh.Afford(strings.Join(sh.params, string(partial.SplitMark)))}, true
	case "!":
		return expand.Value{OwnChild}, true
	case "$":
		return expand.Value{partial.UnknownBenign}, true
	case "?", "#", "-", "RANDOM", "SECONDS", "LINENO", "UID", "EUID":
		return expand.Value{partial.Unknown}, true
	}
	if !lex.IsNumber(name) { // as most names, and an error of ParseUint has its cost
		return nil, false
	}
	n, err := strconv.ParseUint(name, 10, 31)
	switch {
	case err != nil:
		return nil, false
	case n == 0:
		return expand.Value{cmp.Or(sh.zero, partial.Unknown)}, true
	case sh.params == nil:
		return expand.Value{partial.Unknown}, true
	}
	return expand.Value{lex.First(sh.params[min(int(n)-1, len(sh.params)):])}, true
}

// partOfWord returns the value v of a part of a longer word. If the part is a
// positional parameter and none are known, the value may be empty, as in r$@m.
func (sh *Shell) partOfWord(p syntax.WordPart, v expand.Value) expand.Value {
	name := paramName(p)
	switch {
	case sh.params != nil, sh.file() != nil, !lex.OneOf(name, "* 1 2 3 4 5 6 7 8 9 @"):
		return v
	}
	switch x := p.(*syntax.ParamExp); {
	case x.Exp != nil, x.Slice != nil, x.Repl != nil, x.Length:
		return v
	}
	return expand.Value{"", partial.Unknown}
}

func (sh *Shell) indexed(v expand.Value, index syntax.ArithmExpr) expand.Value {
	w, ok := index.(*syntax.Word)
	if !ok {
		return expand.Value{partial.Unknown}
	}
	lit := w.Lit()
	if lex.OneOf(lit, "@ *") {
		return v
	}
	if len(v) != 1 {
		return expand.Value{partial.Unknown}
	}
	n, err := strconv.Atoi(lit)
	if err != nil { // a key or an unknown number: it may be any element
		return expand.Elements(v[0])
	}
	for one := range strings.SplitSeq(v[0], string(partial.SplitMark)) {
		if n == 0 {
			return expand.Value{one}
		}
		n--
	}
	return expand.Value{partial.Unknown}
}

func (sh *Shell) indirect(v expand.Value) expand.Value {
	var out expand.Value
	for _, name := range v {
		w, ok := sh.Lookup(name)
		if !ok {
			w = expand.Value{partial.Unknown}
		}
		out = out.Join(w)
	}
	return out
}

func (sh *Shell) expansion(e *syntax.Expansion, v expand.Value, set bool) expand.Value {
	arg := expand.Value{""}
	if e.Word != nil {
		arg = sh.text(e.Word)
	}
	switch e.Op {
	case syntax.DefaultUnset, syntax.AssignUnset:
		if set {
			return v
		}
		return arg.OrSet(v)
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull:
		if set && !slices.Contains(v, "") {
			return v
		}
		return arg.OrSet(slices.DeleteFunc(slices.Clone(v), func(s string) bool { return s == "" }))
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return arg.Join(expand.Value{""})
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return sh.required(v)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return v.Each(func(s string) string { return trimmed(e.Op, s, lex.First(arg)) })
	case syntax.LowerAll:
		return v.Each(strings.ToLower)
	case syntax.UpperAll:
		return v.Each(strings.ToUpper)
	case syntax.LowerFirst:
		return v.Each(func(s string) string { return expand.First(s, strings.ToLower) })
	case syntax.UpperFirst:
		return v.Each(func(s string) string { return expand.First(s, strings.ToUpper) })
	}
	return expand.Value{partial.Unknown}
}

// trimmed removes a pattern from the beginning or end of a text. It handles literal patterns with or
// without a star at an end, which scripts use to split paths.
func trimmed(op syntax.ParExpOperator, s, pattern string) string {
	mark := strings.Trim(pattern, "*")
	if partial.HasHole(mark) || strings.ContainsAny(mark, "*?[") {
		return partial.Unknown
	}
	at := strings.Index(s, mark)
	if op == syntax.RemLargePrefix || op == syntax.RemSmallSuffix {
		at = strings.LastIndex(s, mark)
	}
	switch {
	case op == syntax.RemSmallPrefix && mark == pattern:
		return strings.TrimPrefix(s, mark)
	case op == syntax.RemSmallSuffix && mark == pattern:
		return strings.TrimSuffix(s, mark)
	case at < 0:
		return s
	case op == syntax.RemSmallPrefix, op == syntax.RemLargePrefix:
		return s[at+len(mark):]
	}
	return s[:at]
}

func (sh *Shell) replace(r *syntax.Replace, v expand.Value) expand.Value {
	from, to := "", ""
	if r.Orig != nil {
		from = lex.First(sh.text(r.Orig))
	}
	if r.With != nil {
		to = lex.First(sh.text(r.With))
	}
	if from == "" || strings.ContainsAny(from, "*?[#%") || partial.HasHole(from) {
		return expand.Value{partial.Unknown}
	}
	n := 1
	if r.All {
		n = -1
	}
	return v.Each(func(s string) string { return strings.Replace(s, from, to, n) })
}

// slice returns a part of a text, or of the fields of $@, $* and an array.
func (sh *Shell) slice(p *syntax.ParamExp, v expand.Value) expand.Value {
	from, ok := sh.number(p.Slice.Offset)
	length, limited := sh.number(p.Slice.Length)
	if !ok || p.Slice.Length != nil && (!limited || length < 0) {
		return expand.Value{partial.Unknown}
	}
	const split = string(partial.SplitMark)
	isParams := lex.OneOf(p.Param.Value, "@ *")
	if isParams && from > 0 {
		from-- // $1 is the first, and $0 is none of v
	}
	if isParams || p.Index != nil {
		return v.Each(func(t string) string {
			return strings.Join(expand.Part(strings.Split(t, split), from, length, limited), split)
		})
	}
	return v.Each(func(t string) string {
		if partial.HasHole(t) || from > len(t) {
			return partial.Unknown
		}
		return string(expand.Part([]byte(t), from, length, limited))
	})
}

// number returns the value of a number, or of a variable that has one.
func (sh *Shell) number(x syntax.ArithmExpr) (int, bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return grammar.Number(x)
	}
	v, named := sh.Lookup(w.Lit())
	if !named {
		v = sh.text(w)
	}
	n, err := strconv.Atoi(lex.First(v))
	return n, err == nil && len(v) == 1
}
