package guard

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A shape is a way to write a call of any size. A hostile caller would send shapes to make the
// judge recurse, blow up, loop or give up. Each is cheap to write and takes long to follow.
type shape struct {
	name string
	call func(n int) Call // about n bytes
}

// shapes lists all shapes that we know. To add one, add a line: every test and benchmark about
// hostile calls runs over this list.
func shapes() []shape {
	var all []shape
	for _, list := range [][]shape{brackets(), lists(), words(), values(), sources(), tools()} {
		all = append(all, list...)
	}
	return all
}

// shell makes a shape of a command text.
func shellShape(name string, text func(n int) string) shape {
	return shape{name, func(n int) Call { return bash(text(n)) }}
}

// filled repeats a unit between a head and a tail.
func filled(name, head, unit, tail string) shape {
	return shellShape(name, func(n int) string { return head + fill(unit, n) + tail })
}

func fill(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1) }

// nested opens as deep as the size allows, and closes again.
func nested(name, head, open, middle, closing, tail string) shape {
	return shellShape(name, func(n int) string {
		k := n/(len(open)+len(closing)) + 1
		return head + strings.Repeat(open, k) + middle + strings.Repeat(closing, k) + tail
	})
}

// deep repeats a nesting that is just shallow enough to be followed.
func deep(name, head, open, middle, closing string, depth int) shape {
	unit := head + strings.Repeat(open, depth) + middle + strings.Repeat(closing, depth) + "\n"
	return filled(name, "", unit, "")
}

func brackets() []shape {
	return []shape{
		filled("parens", "", "(", ""),
		nested("balanced", "", "(", "true", ")", ""),
		filled("braces", "", "{ ", ""),
		filled("subst", "", "$(", ""),
		filled("dollar braces", "echo ", "${a:-", ""),
		filled("backticks", "", "`", ""),
		filled("quotes", "", `"`, `'`),
		filled("nested dquote", "", `"$(`, ""),
		filled("ifs", "", "if ", ""),
		filled("if then", "", "if a;then ", ""),
		filled("whiles", "", "while ", ""),
		filled("bangs", "", "! ", ""),
		filled("unary arith", "echo $((", "-", "1))"),
		filled("unary spaced", "echo $((", "- ", "1))"),
		filled("plus arith", "echo $((", "1+", "1))"),
		nested("ternary", "echo $((", "1?", "1", ":1", "))"),
		filled("comma arith", "echo $((", "1,", "1))"),
		filled("assign arith", "echo $((", "a=", "1))"),
		filled("power arith", "echo $((", "1**", "1))"),
		filled("tildes", "echo $((", "~", "1))"),
		filled("many ariths", "", "a=$((1+2*3-b)) ", ""),
		filled("tests", "[[ ", "! ", "a ]]"),
		filled("test ands", "[[ ", "a && ", "a ]]"),
		filled("test ors", "[[ ", "a || ", "a ]]"),
		filled("many tests", "", "[[ a == b && -f c ]];", ""),
		filled("case", "", "case a in a) ", ""),
		filled("while case", "", "while case a in a) ", ""),
		filled("elifs", "if a;then b;", "elif a;then b;", "fi"),
		filled("case arms", "case $x in ", "a) b;; ", "esac"),
		filled("case patterns", "case $x in ", "a|", "a) b;; esac"),
		filled("func", "", "f() ", ""),
		filled("func lines", "", "f()\n", ""),
		filled("func spaced", "", "f ( ) ", ""),
		filled("anonymous funcs", "", "() ", ""),
		filled("func words", "", "function f ", ""),
		filled("func brace", "", "f() { ", ""),
		filled("subshell fd", "", "<(", ""),
		filled("extglob", "echo ", "@(", ""),
		filled("dollar quote", "", "$'", ""),
		filled("arr nest", "", "a[", ""),
		filled("for", "", "for a in b; do ", ""),
		filled("times", "", "time ", ""),
		filled("coprocs", "", "coproc ", ""),
		filled("lets", "let ", "a=", "1"),
		filled("negs", "let ", "!", "1"),
		deep("deep balanced", "", "(", "true", ")", 390),
		deep("deep spaced", "", "( ", "true", " )", 390),
		deep("deep double", "", "((", "1", "))", 190),
		deep("deep arith", "echo ", "$((", "1", "))", 130),
		deep("deep subst", "echo ", "$(", "true", ")", 390),
		deep("deep echo", "echo ", "$(echo a ", "true", ")", 390),
		deep("deep assign", "", "(a=1;", strings.Repeat(": $b$c;", 500), ")", 390),
		deep("deep quoted", "echo ", `"$(echo `, "true", `)"`, 190),
		deep("deep param", "echo ", "${a:-", "x", "}", 390),
		deep("deep func", "", "f() { ", ":", "; }", 390),
		deep("deep mixed", "", "((a) ", "", ")", 190),
		deep("deep test", "[[ ", "( ", "a", " )", 390),
		deep("deep if", "", "if a; then ", "b", "; fi", 4900),
		deep("deep loops", "", "for a in 1 2; do ", "b $a", "; done", 1000),
		deep("deep whiles", "", "while a; do ", "b", "; done", 1000),
		deep("deep extglob", "echo ", "@(a|", "", ")", 390),
		deep("deep procs", "echo ", "<(", "true", ")", 390),
		deep("deep blocks", "", "{ echo a;", "", "} >f;", 390),
		deep("deep array", "", "a[", "1", "]", 390),
		deep("deep back quotes", "echo ", "`echo ", "", "`", 1),
		deep("deep sums", "echo $((", "1+(", strings.Repeat("1?1:", 4000)+"1", ")", 180),
		deep("double mixed", "", "$(( ( ", "", ") ))", 130),
		deep("case deep", "", "case a in a) ", "", ";; esac", 390),
	}
}

func lists() []shape {
	return []shape{
		filled("pipes", "", "a|", "a"),
		filled("spaced pipes", "", "cat x | ", "a"),
		filled("echo pipe", "", "echo a|", "sh"),
		filled("pipe to sh", "", "echo a|sh;", ""),
		filled("cats", "cat f ", "| cat ", "| sh"),
		filled("ands", "", "a&&", "a"),
		filled("spaced ands", "", "make x && ", "a"),
		filled("ors", "", "a||", "rm -rf /"),
		filled("semis", "", "a;", ""),
		filled("colons", "", ":;", "rm -rf /"),
		filled("background", "", "a&", ""),
		filled("negated", "", "! a;", ""),
		filled("subshells", "", "(a);", ""),
		filled("blocks", "", "{ a;};", ""),
		filled("lines", "", "echo hi\n", ""),
		filled("git lines", "", "git status\n", ""),
		filled("deletions", "", "rm a\n", ""),
		filled("unknown names", "", "a1 b2;c3 d4;", ""),
		shellShape("many names", manyNames),
		filled("full paths", "", "/usr/bin/make x;", ""),
		filled("redirections", "", "a>b;", ""),
		filled("redirects", "a ", "> x ", ""),
		filled("empty redirects", "", ">x\n", ""),
		filled("fd moves", "a ", "2>&1 ", ""),
		filled("ifs closed", "", "if a;then b;fi;", ""),
		filled("loops", "", "for a in b;do c;done;", ""),
		filled("cases", "", "case a in b)c;;esac;", ""),
		filled("cds", "", "cd a;", "rm -rf *"),
		filled("cd up", "", "cd ..;", "rm -rf *"),
		filled("pushds", "", "pushd a;", ""),
		filled("traps", "", "trap a EXIT;", ""),
		filled("sources", "", ". f;", ""),
		filled("heredocs", "", "cat <<E\nx\nE\n", ""),
		filled("here strings", "", "sh<<<a;", ""),
		filled("heredoc to file", "", "cat >f <<E\nx\nE\n", ""),
		shellShape("one line, many heredocs", func(n int) string {
			k := n / 12
			return strings.Repeat("cat <<E;", k) + "\n" + strings.Repeat("x\nE\n", k)
		}),
	}
}

func words() []shape {
	return []shape{
		filled("big word", "", "x", ""),
		filled("many words", "echo", " x", ""),
		filled("many flags", "ls", " -l", ""),
		filled("many targets", "rm -rf", " a", ""),
		filled("many paths", "rm -rf", " a/b/../c", ""),
		filled("assigns", "", "A=1 ", "a"),
		filled("export", "export", " A=1", ""),
		filled("dots", "rm -rf ", "../", ""),
		filled("long path", "rm -rf /", "a/", ""),
		filled("globs", "rm -rf ", "*?[", ""),
		filled("glob words", "rm -rf", " *a?", ""),
		filled("escapes", "echo ", `\a`, ""),
		filled("quoted parts", "echo ", `"a"'b'`, ""),
		filled("dollar parts", "echo ", `$a`, ""),
		filled("quoted dollars", `echo "`, `$a`, `"`),
		filled("ansi parts", "echo ", `$'a'`, ""),
		filled("param forms", "echo ", "${a#b}${c//d/e}", ""),
		filled("brace exp", "rm ", "{a,b}", ""),
		filled("brace words", "rm", " {a,b}{c,d}{e,f}", ""),
		filled("brace ranges", "rm ", "{1..99999}", ""),
		filled("brace list", "rm {a", ",a", "}"),
		nested("brace nest", "rm ", "{a,", "", "}", ""),
		deep("brace deep", "rm ", "{a,", "b", "}", 100),
		filled("substs", "echo ", "$(echo a) ", ""),
		filled("back quotes", "echo ", "`echo a` ", ""),
		filled("process substs", "cat ", "<(a) ", ""),
		filled("array", "a=(", "x ", `); echo "${a[@]}"`),
		filled("array reads", "a=(1 2 3);", "b=${a[1]};", ""),
		filled("long array reads", "a=("+strings.Repeat("x ", 2000)+");", "b=${a[1]};", ""),
		filled("nul bytes", "", "\x00", ""),
		filled("control", "", "\x01\x02\x1f", ""),
		filled("invalid utf8", "", "\xff\xfe", ""),
		filled("unicode", "echo ", "é", ""),
		filled("comments", "", "# a\n", ""),
	}
}

func values() []shape {
	return []shape{
		filled("growth", "a=xxxxxxxx;", "a=$a$a;", "rm -rf $a"),
		filled("slow growth", "", "a=${a}xxxxxxxx;", "rm -rf $a"),
		filled("append", "", "a+=x;", "rm -rf $a"),
		filled("appended array", "", "a+=(x);", `rm -rf "${a[@]}"`),
		shellShape("long value", func(n int) string { return "a=" + fill("x", n/2) + ";" + fill(": $a;", n/2) }),
		shellShape("long value, many readers", func(n int) string {
			return "a=$(cat <<E\n" + fill("y", n/2) + "\nE\n);" + fill("echo $(echo $a|cat);", n/2)
		}),
		shellShape("long words, many readers",
			func(n int) string { return "a='" + fill("y ", n/2) + "';" + fill("rm $a;", n/2) }),
		shellShape("long value trimmed",
			func(n int) string { return "a=" + fill("x/", n/2) + ";" + fill(": ${a##*/};", n/2) }),
		shellShape("long value replaced",
			func(n int) string { return "a=" + fill("x/", n/2) + ";" + fill(": ${a//x/y};", n/2) }),
		shellShape("alternatives", func(n int) string {
			return "for a in 1 2 3 4 5 6; do for b in 1 2 3 4 5 6; do x=$a$b; rm " + fill("$x$a$b ", n) + "; done; done"
		}),
		filled("alternative names", "for a in x y z; do ", "$a;", "done"),
		filled("alternative cds", "for a in x y z; do ", "cd $a;", "rm -rf *; done"),
		filled("loop variables", "", "for a in 1 2 3 4 5 6;do :;done;", ""),
		filled("branches", "", "a&&b=$b$c||b=$b$d;", ""),
		shellShape("calls", func(n int) string { return chain(n/20+1) + "f" + strconv.Itoa(n/20+1) }),
		shellShape("calls of one", func(n int) string { return "f() { " + fill("a;", n/2) + "};" + fill("f;", n/2) }),
		filled("recursion", "f() { ", "f;", "}; f"),
		filled("recursions", "f() { g; g; }; g() { f; f; };", "f;g;", ""),
		filled("fork bombs", "", ":(){ :|:& };:\n", ""),
		filled("aliases", "alias a='a a';", "a;", ""),
		shellShape("alias chain", func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				b.WriteString("alias a" + strconv.Itoa(i+1) + "=a" + strconv.Itoa(i) + ";")
			}
			return b.String() + "a200"
		}),
		filled("variables", "", "a1=b;c2=$d;", ""),
		filled("reads", "", "read a b;", ""),
		filled("set", "", "set a b c;", "rm $@"),
		shellShape("set, many readers",
			func(n int) string { return "set " + fill("a ", n/2) + ";" + fill(`: "$@";`, n/2) }),
		filled("shifts", "set a b c;", "shift;", ""),
	}
}

func sources() []shape {
	return []shape{
		filled("evals", "", "eval ", "x"),
		filled("eval each", "", "eval a;", ""),
		shellShape("eval quoted", func(n int) string { return "eval 'eval \"" + fill("a;", n) + "\"'" }),
		shellShape("eval one text often",
			func(n int) string { return "a='" + fill(":;", n/2) + "';" + fill(`eval "$a";`, n/2) }),
		shellShape("bash -c one text often",
			func(n int) string { return "a='" + fill(":;", n/2) + "';" + fill(`sh -c "$a";`, n/2) }),
		filled("sudos", "", "sudo ", "rm -rf /"),
		filled("envs", "", "env A=1 ", "rm -rf /"),
		filled("timeouts", "", "timeout 1 ", "rm -rf /"),
		shellShape("bash in bash", nestedBash),
		filled("bash each", "", "sh -c a;", ""),
		filled("bash each ls", "", "bash -c 'ls -l';", ""),
		filled("ssh each", "", "ssh h a;", ""),
		filled("big heredoc", "cat <<EOF\n", "rm -rf /\n", "EOF\n"),
		filled("heredoc shell", "bash <<EOF\n", "echo x\n", "EOF\n"),
		filled("heredoc python", "python3 <<EOF\n", "print('x')\n", "EOF\n"),
		filled("heredoc to script", "cat >f.sh <<EOF\n", "echo x\n", "EOF\nsh f.sh; sh f.sh"),
		filled("python", "python3 -c '", "os.system(", "'"),
		filled("python calls", "python3 -c '", `f("a",`, "'"),
		filled("python shells", "python3 -c '", `os.system("ls -l")`+"\n", "'"),
		filled("python names", "python3 -c '", "a=b\n", "'"),
		filled("lists of a program", "python3 -c '", "x: a=[b,", "'"),
		filled("chains of a program", "ruby -e '", "A::new(b).delete(c).", "'"),
		filled("python strings", `python3 -c '`, `a="b"+"c"+`, "'"),
		filled("python appends", "python3 -c '", `a+="x";`, "'"),
		filled("python joins", "python3 -c '", `" ".join(["a","b"])+`, "'"),
		filled("links", "", "ln -s a b;", ""),
		filled("unsaved file", "", "> draft.md;", ""),
		filled("unsaved pattern", "", "rm */*.md;", ""),
		filled("coprocess", "coproc sh;", "echo x >&${COPROC[1]};", ""),
		filled("endless loops", "", "while [ 1 ]; do x & done;", ""),
		filled("python lists", "python3 -c '", "run([", "'"),
		filled("patterns of a program", "node -e '", "(/[", "'"),
		filled("lists of lists", "python3 -c '", "for c in ([\"a\",", "'"),
		nested("deep lists", "python3 -c 'for c in ", "[", `"a"`, "]", ":run(c)'"),
		filled("joined lists", "python3 -c '", `" ".join([f(`, "'"),
		filled("joined names", "python3 -c '", `x.join(["a",Path(`, "'"),
		filled("loops of a program", "python3 -c '", "[f(x) for x in (\"a\",\"b\")]\n", "'"),
		filled("functions that run", "node -e '", "g=(...a)=>execFileSync(\"git\",a);g(\"x\");", "'"),
		filled("calls in calls", "node -e '", "copy(join(\"a\",join(\"b\",", "'"),
		filled("names of find", "find . ", "-name x -o ", "-delete"),
		filled("elements of an array", "a=();", "a+=(x y);", `rm "${a[@]}"`),
		filled("changed numbers", "x=1;", "((x+=1));[ $x = 2 ]||", "ls"),
		filled("python grows", "python3 -c 'a=\"xxxxxxxx\"\n", "a=a+a\n", "'"),
		filled("ruby strings", "ruby -e '", `"#{`, "'"),
		filled("js strings", "node -e '", "`${", "'"),
		filled("perl quotes", "perl -e '", "qx{ls};", "'"),
		filled("perl open quotes", "perl -e '", "qx{", "'"),
		filled("awk", "awk '", `{print | "sh"}`, "' f"),
		filled("sql", "psql -c '", "DROP ", "'"),
		filled("sql statements", "psql -c '", "SELECT a;", "'"),
		filled("sql drops", "psql -c '", "DROP TABLE a;", "'"),
		filled("sql comments", "psql -c '", "/*", "'"),
		filled("sql with", "psql -c '", "WITH DELETE ", "'"),
		filled("sed", "sed '", "s/a/b/;", "' f"),
		filled("xargs", "echo ", "x ", "| xargs -I{} rm {}"),
		filled("xargs all", "echo ", "x ", "| xargs rm"),
		filled("xargs chain", "echo a", "| xargs echo ", "| xargs rm"),
		filled("xargs in xargs", "echo a | ", "xargs ", "rm"),
		filled("xargs braces", "echo a | xargs -I{} rm ", "{}", ""),
		filled("parallel", "parallel rm {} :::", " a", ""),
		filled("parallel braces", "parallel rm ", "{}{.}", " ::: a b c"),
		filled("find", "find . ", "-name x ", "-delete"),
		filled("find execs", "find . ", "-exec echo {} ';' ", ""),
		filled("find shells", "find . ", "-exec sh -c 'rm {}' ';' ", ""),
		shellShape("base64", func(n int) string {
			return "echo " + base64.StdEncoding.EncodeToString([]byte(fill("echo a;", n*3/4))) + "|base64 -d|sh"
		}),
		filled("base64 junk", "echo ", "QUFB", "|base64 -d|sh"),
		filled("tr", "echo ", "a", "|tr a-z b-za|sh"),
		filled("tr chain", "echo a", "|tr a-z b-za", "|sh"),
		filled("rev chain", "echo abc", "|rev", "|sh"),
		shellShape("perl quotes", func(n int) string { return "perl -e '" + fill("q{qw(a ", n) + "'" }),
		shellShape("python functions",
			func(n int) string { return "python3 -c '" + fill("def f(x): g(x)\n", n) + "'" }),
		shellShape("js functions", func(n int) string { return "node -e '" + fill("f=(x)=>g(x);", n) + "'" }),
		shellShape("tr long set", func(n int) string {
			return "echo " + fill("a", n/2) + "|tr " + fill("b", n/2) + " c|sh"
		}),
		shellShape("printf", func(n int) string { return "printf '" + fill("%s", n/2) + "' " + fill("a ", n/2) }),
		shellShape("printf again", func(n int) string {
			return "printf '%s" + fill("x", n/2) + "' " + fill("a ", n/2) + "|sh"
		}),
		shellShape("tee copies", func(n int) string { return "echo " + fill("a", n/2) + "|tee " + fill("f ", n/2) }),
		filled("documents at once", "cat", " <<E", "\nx\nE\n"),
		filled("vault", "vault read", " a", ""),
		filled("docker", "docker run -v /:/x ", "-v a:/b ", "i rm -rf /x"),
		filled("powershell", "pwsh -c '", "Remove-Item a;", "'"),
		filled("git aliases", "git ", "-c a.b=c ", "x"),
		filled("git shell aliases", "", "git -c alias.x=!ls x;", ""),
		filled("tar", "tar", " -x", ""),
		filled("curl", "curl", " -d @f", ""),
		filled("kubectl", "kubectl delete pod", " a", ""),
		filled("kill", "kill", " -9 1", ""),
	}
}

func tools() []shape {
	return []shape{
		{"Write", func(n int) Call {
			return Call{Tool: "Write", Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/a.go"},
				{Path: "content", Value: fill("rm -rf / # afar\n", n)}}}
		}},
		{"MultiEdit", func(n int) Call {
			c := Call{Tool: "MultiEdit", Args: []Arg{{Path: "file_path", Value: "/home/dev/proj/a.go"}}}
			for i := 0; i*20 < n; i++ {
				c.Args = append(c.Args, Arg{Path: "edits." + strconv.Itoa(i) + ".new_string", Value: "abc"})
			}
			return c
		}},
		{"long file_path", func(n int) Call {
			return Call{Tool: "Write", Args: []Arg{{Path: "file_path", Value: fill("../a/", n)}}}
		}},
		{"MCP text", func(n int) Call {
			return Call{Tool: "mcp__x__create_issue", Args: []Arg{{Path: "body", Value: fill("rm -rf / ", n)}}}
		}},
		{"MCP command", func(n int) Call {
			return Call{Tool: "mcp__x__run", Args: []Arg{{Path: "command", Value: fill("a|", n)}}}
		}},
		{"MCP SQL", func(n int) Call {
			return Call{Tool: "mcp__x__query", Args: []Arg{{Path: "sql", Value: fill("DROP TABLE a;", n)}}}
		}},
		{"MCP code", func(n int) Call {
			return Call{Tool: "mcp__x__eval", Args: []Arg{{Path: "code", Value: fill("f(a,", n)}}}
		}},
		{"MCP paths", func(n int) Call {
			c := Call{Tool: "mcp__x__delete_files"}
			for i := 0; i*20 < n; i++ {
				c.Args = append(c.Args, Arg{Path: "paths." + strconv.Itoa(i), Value: "/etc/a" + strconv.Itoa(i)})
			}
			return c
		}},
		{"MCP commands", func(n int) Call {
			c := Call{Tool: "mcp__x__run"}
			for i := 0; i*10 < n; i++ {
				c.Args = append(c.Args, Arg{Path: strconv.Itoa(i) + ".command", Value: "echo a"})
			}
			return c
		}},
		{"MCP name", func(n int) Call { return Call{Tool: "mcp__x__" + fill("drop_", n), Args: nil} }},
		{"PowerShell verbs", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: fill("del ", n)}}}
		}},
		{"PowerShell disks", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: fill("format ", n)}}}
		}},
		{"PowerShell", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: fill("del a;", n)}}}
		}},
		{"PowerShell substitutions", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: fill("$(", n)}}}
		}},
		{"PowerShell nested", func(n int) Call {
			return Call{Tool: "PowerShell",
				Args: []Arg{{Path: "command", Value: strings.Repeat("$(", n/3) + strings.Repeat(")", n/3)}}}
		}},
		{"PowerShell variables", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: fill("$x = $x + $x;", n)}}}
		}},
		{"PowerShell pipes", func(n int) Call {
			return Call{Tool: "PowerShell", Args: []Arg{{Path: "command", Value: "ls" + fill("|% {iex $_}", n)}}}
		}},
	}
}

// manyNames uses a new program in each command.
func manyNames(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strconv.FormatInt(int64(i), 36) + ";")
	}
	return b.String()
}

// chain defines functions that each call the one before three times.
func chain(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		f := "f" + strconv.Itoa(i-1)
		b.WriteString("f" + strconv.Itoa(i) + "() { " + f + "; " + f + "; " + f + "; };")
	}
	return b.String()
}

// nestedBash nests as deep as the size allows: quotes in quotes double.
func nestedBash(n int) string {
	s := "rm -rf /"
	for {
		next := "bash -c " + shell.QuoteAll([]string{s})
		if len(next) > n {
			return s
		}
		s = next
	}
}
