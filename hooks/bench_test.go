package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHook measures an installed hook from spawn to exit, in turn with an empty Go
// program. The ratios count: at most 1.5 at the median and at most 3 at the 99th
// percentile. For the 99th percentile use -benchtime 1000x. Where a script is read, a program
// that only parses it runs in turn with them: x-parser-p50 is the ratio to it.
func BenchmarkHook(b *testing.B) {
	empty, parser := emptyProgram(b), parserProgram(b)
	script := aScript(b)
	text, err := os.ReadFile(script)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, event, rest, policy string }{
		{"guard without an opinion", "PreToolUse", bash("go test ./... && git status"), ""},
		{"guard with a policy file", "PreToolUse", bash("go test ./... && git status"), aPolicy},
		{"guard on a long command", "PreToolUse", bash(strings.Repeat("echo hello; ", 800)), ""},
		{"guard on a script of 100 lines", "PreToolUse", bash("bash " + script), ""},
		{"stop without a coordinator", "Stop", `,"last_assistant_message":"fin"`, ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			root := b.TempDir()
			if c.policy != "" {
				writePolicy(b, root, c.policy)
			}
			in := payload(c.event, c.rest)
			program := filepath.Join(installed(b, bins, root), binary(c.event))
			var hook, yard, parsing []time.Duration
			for b.Loop() {
				yard = append(yard, spawn(b, empty, root, in))
				hook = append(hook, spawn(b, program, root, in))
				if strings.Contains(c.rest, script) {
					parsing = append(parsing, spawn(b, parser, root, string(text)))
				}
			}
			if len(parsing) > 0 {
				b.ReportMetric(quantile(hook, 0.5)/quantile(parsing, 0.5), "x-parser-p50")
			}
			b.ReportMetric(quantile(hook, 0.5)/quantile(yard, 0.5), "x-empty-go-p50")
			b.ReportMetric(quantile(hook, 0.99)/quantile(yard, 0.99), "x-empty-go-p99")
			b.ReportMetric(quantile(hook, 0.5)*1e3, "ms-p50")
			b.ReportMetric(quantile(hook, 0.99)*1e3, "ms-p99")
		})
	}
}

// aScript returns the path of a script of 100 lines that the guard has no opinion on.
func aScript(b *testing.B) string {
	b.Helper()
	text, err := os.ReadFile("testdata/release.sh")
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "scripts")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "release.sh")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// aPolicy is a policy file of usual size, with rules of each kind.
var aPolicy = "[rules]\npublish = 'deny'\n'git.push-lease' = 'ask'\n" +
	strings.Repeat("[[protect]]\npath = ['infra/prod/**', 'db/**/*.sql', '*.lock']\n", 5) +
	"[[rule]]\nid = 't.a'\nverdict = 'ask'\nwhy = 'w'\ncommand = 'kubectl delete'\nargs = '*prod*'\n" +
	"[[rule]]\nid = 't.b'\nverdict = 'ask'\nwhy = 'w'\ntool = 'mcp__github__*'\ninput.repo = 'acme/*'\n"

func writePolicy(b *testing.B, root, text string) {
	b.Helper()
	dir := filepath.Join(root, "afar")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard.toml"), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

func emptyProgram(b *testing.B) string {
	b.Helper()
	src := filepath.Join(b.TempDir(), "main.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return built(b, "empty", src)
}

// parserProgram returns a program that reads a script with the parser of the guard, and ends.
func parserProgram(b *testing.B) string {
	b.Helper()
	return built(b, "parser", "./testdata/parser")
}

// built builds a program and returns its path.
func built(b *testing.B, name, source string) string {
	b.Helper()
	dir := b.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, name), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	return filepath.Join(copied(b, dir), name)
}

func spawn(b *testing.B, program, home, stdin string) time.Duration {
	b.Helper()
	cmd := exec.Command(program)
	cmd.Env = append([]string{
		"HOME=" + home,
		"AFAR_HOME=" + filepath.Join(home, "afar"),
		"PATH=/usr/bin:/bin",
		"AFAR_DISABLED=0",
	}, attended...)
	cmd.Stdin = strings.NewReader(stdin)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func quantile(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	return all[int(float64(len(all)-1)*q)].Seconds()
}
