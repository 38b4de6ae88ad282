package guard

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and the forms of ${x…} that can be followed without
// running anything; every other form is a hole.
func (sh *shell) param(p *syntax.ParamExp) value {
	if p.Param == nil {
		sh.nested(p)
		return value{unknown}
	}
	v, set := sh.paramValue(p)
	switch {
	case p.Length, p.Names != 0, p.Width, p.IsSet:
		return value{unknown}
	case p.Excl:
		return sh.indirect(v)
	case p.Exp != nil:
		v = sh.expansion(p.Exp, v, set)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			sh.assign(p.Param.Value, v)
		}
		return v
	case p.Repl != nil:
		return sh.replace(p.Repl, v)
	case p.Slice != nil:
		return sh.slice(p.Slice, v)
	}
	if !set {
		return value{sh.unset(p.Param.Value)}
	}
	return v
}

// unset is the text of a variable that nothing in the call assigns.
func (sh *shell) unset(name string) string {
	if secretName(sh.u.named(name)) {
		return unknownKey
	}
	return unknown
}

func (sh *shell) paramValue(p *syntax.ParamExp) (value, bool) {
	name := p.Param.Value
	if v, ok := sh.special(name); ok {
		return v, true
	}
	v, ok := sh.lookup(name)
	if !ok {
		return value{sh.unset(name)}, false
	}
	if p.Index != nil {
		return sh.indexed(v.with(sh.afford), p.Index), true
	}
	return v.with(func(s string) string {
		head, _, _ := strings.Cut(sh.afford(s), string(splitMark))
		return head
	}), true
}

func (sh *shell) special(name string) (value, bool) {
	switch name {
	case "@", "*":
		if sh.params == nil {
			return value{unknown}, true
		}
		return value{sh.afford(strings.Join(sh.params, string(splitMark)))}, true
	case "?", "$", "!", "#", "-", "RANDOM", "SECONDS", "LINENO", "UID", "EUID":
		return value{unknown}, true
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return nil, false
	}
	if n == 0 && sh.zero != "" {
		return value{sh.zero}, true
	}
	if n >= 1 && n <= len(sh.params) {
		return value{sh.params[n-1]}, true
	}
	if n >= 1 && sh.params != nil {
		return value{""}, true
	}
	return value{unknown}, true
}

// within is what a part of a longer word stands for: a parameter of a call itself,
// which has none, is nothing there, as in r$@m.
func (sh *shell) within(p syntax.WordPart, v value) value {
	x, ok := p.(*syntax.ParamExp)
	if !ok || sh.params != nil || x.Param == nil || x.Exp != nil || x.Slice != nil || x.Repl != nil || x.Length {
		return v
	}
	if name := x.Param.Value; name != "@" && name != "*" && (len(name) != 1 || name[0] < '1' || name[0] > '9') {
		return v
	}
	return value{"", unknown}
}

func (sh *shell) indexed(v value, index syntax.ArithmExpr) value {
	w, ok := index.(*syntax.Word)
	if !ok {
		return value{unknown}
	}
	lit := w.Lit()
	if lit == "@" || lit == "*" {
		return v
	}
	if len(v) != 1 {
		return value{unknown}
	}
	n, err := strconv.Atoi(lit)
	if err != nil { // a key, or a number that is not known: any element
		return elements(v[0])
	}
	for i, rest, more := 0, v[0], true; more && n >= 0; i++ {
		var one string
		if one, rest, more = strings.Cut(rest, string(splitMark)); i == n {
			return value{one}
		}
	}
	return value{unknown}
}

// elements are those of an array, as many as a value keeps apart.
func elements(array string) (v value) {
	for rest, more := array, true; more; {
		var one string
		one, rest, more = strings.Cut(rest, string(splitMark))
		if v = v.joined(one); len(v) == maxAlternatives && v[maxAlternatives-1] == unknown {
			break
		}
	}
	return v
}

func (sh *shell) indirect(v value) value {
	var out value
	for _, name := range v {
		w, ok := sh.lookup(name)
		if !ok {
			w = value{unknown}
		}
		out = out.join(w)
	}
	return out
}

func (sh *shell) expansion(e *syntax.Expansion, v value, set bool) value {
	arg := value{""}
	if e.Word != nil {
		arg = sh.text(e.Word)
	}
	switch e.Op {
	case syntax.DefaultUnset, syntax.AssignUnset:
		if set {
			return v
		}
		return arg.join(v)
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull:
		if set && !containsString(v, "") {
			return v
		}
		return arg.join(v)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return arg.join(value{""})
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return v.trimmed(e.Op, first(arg))
	case syntax.LowerAll:
		return v.each(strings.ToLower)
	case syntax.UpperAll:
		return v.each(strings.ToUpper)
	case syntax.LowerFirst, syntax.UpperFirst:
		return v
	}
	return value{unknown}
}

// with is each for an f that leaves most texts as they are: what does not change
// is not copied.
func (v value) with(f func(string) string) value {
	out, mine := v, false
	for i, s := range v {
		t := f(s)
		if t != s && !mine {
			out, mine = slices.Clone(v), true
		}
		if mine {
			out[i] = t
		}
	}
	return out
}

func (v value) each(f func(string) string) value {
	out := make(value, len(v))
	for i, s := range v {
		out[i] = f(s)
	}
	return out
}

// trimmed handles literal patterns and a star at one end, the forms that
// scripts use to cut paths apart.
func (v value) trimmed(op syntax.ParExpOperator, pattern string) value {
	if hasHole(pattern) || strings.ContainsAny(strings.Trim(pattern, "*"), "*?[") {
		return value{unknown}
	}
	return v.each(func(s string) string { return trimPattern(op, s, pattern) })
}

func trimPattern(op syntax.ParExpOperator, s, pattern string) string {
	mark := strings.Trim(pattern, "*")
	cut := func(i, n int) string {
		switch {
		case i < 0:
			return s
		case op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix:
			return s[i+n:]
		}
		return s[:i]
	}
	star := mark != pattern
	switch op {
	case syntax.RemSmallPrefix:
		if !star {
			return strings.TrimPrefix(s, mark)
		}
		return cut(strings.Index(s, mark), len(mark))
	case syntax.RemLargePrefix:
		return cut(strings.LastIndex(s, mark), len(mark))
	case syntax.RemSmallSuffix:
		if !star {
			return strings.TrimSuffix(s, mark)
		}
		return cut(strings.LastIndex(s, mark), len(mark))
	}
	return cut(strings.Index(s, mark), len(mark))
}

func (sh *shell) replace(r *syntax.Replace, v value) value {
	from, to := "", ""
	if r.Orig != nil {
		from = first(sh.text(r.Orig))
	}
	if r.With != nil {
		to = first(sh.text(r.With))
	}
	if from == "" || strings.ContainsAny(from, "*?[#%") || hasHole(from) {
		return value{unknown}
	}
	n := 1
	if r.All {
		n = -1
	}
	return v.each(func(s string) string { return strings.Replace(s, from, to, n) })
}

func (sh *shell) slice(s *syntax.Slice, v value) value {
	from, ok := arithNumber(s.Offset)
	if !ok || from < 0 {
		return value{unknown}
	}
	length, limited := arithNumber(s.Length)
	if s.Length != nil && (!limited || length < 0) {
		return value{unknown}
	}
	return v.each(func(t string) string {
		if hasHole(t) || from > len(t) {
			return unknown
		}
		t = t[from:]
		if limited && length < len(t) {
			t = t[:length]
		}
		return t
	})
}

func arithNumber(x syntax.ArithmExpr) (int, bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(w.Lit())
	return n, err == nil
}
