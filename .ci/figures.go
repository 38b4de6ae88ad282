// Command figures runs the benchmarks that have a yardstick, and writes docs/figures.md and its plots:
//
//	go run .ci/figures.go
//
// A yardstick is the least that the machine could do for the same, measured in turn with it in the same run: an empty Go
// program, a durable write, the shell parser alone. The ratio says what Afar adds; the time alone says what this machine is.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A figure is a benchmark: where it is, how often it runs, and what its metrics mean.
type figure struct {
	title, yardstick string
	pkg, bench, runs string
	rows             []row
}

// A row is one value of a benchmark. Its ratio is a metric of its own, or the value through the yardstick. Without a value it
// is a ratio alone.
type row struct{ label, value, yard, ratio string }

var figures = []figure{
	{"A hook, from its start to its end", "an empty Go program with the same input", "./hooks", "Hook", "200x",
		[]row{{"", "ms-p50", "", "x-empty-go-p50"}}},
	{"The Stop hook, with a coordinator", "an empty Go program with the same input", "./hooks", "Stop", "100x", []row{
		{"without a loop", "no-loop-ms-p50", "empty-ms-p50", ""}, {"in a loop", "loop-ms-p50", "empty-ms-p50", ""},
		{"in a loop, transcript of 50 MB", "loop-50MB-ms-p50", "empty-ms-p50", ""}}},
	{"From a tap on the phone to the end of the hook", "a request to the stand-in for Telegram, a call on the socket and " +
		"three durable writes", "./coordinator/e2e", "Tap", "50x", []row{{"tap", "ms-tap-p50", "ms-yardstick-p50", ""}}},
	{"What a standing permission adds to a hook", "a durable write", "./coordinator/e2e", "Grant", "50x",
		[]row{{"grant", "ms-grant-adds", "ms-yardstick-p50", ""}}},
	{"A card, from the question to Telegram", "a request to the stand-in and a durable write",
		"./coordinator/internal/channel/telegram", "Card", "50x", []row{{"card", "ms-card-p50", "ms-yardstick-p50", ""}}},
	{"A call between two machines of a fleet", "a bare request over the same server and TLS", "./coordinator/internal/link", "Link", "500x",
		[]row{{"to the hub", "ms-up-p50", "ms-yardstick-p50", ""}, {"to a member", "ms-down-p50", "ms-yardstick-p50", ""}}},
	{"A question of another machine of the fleet", "the same on the hub itself, in turn", "./coordinator/e2e", "Fleet", "50x", []row{
		{"from the hook's start to the card", "ms-card-p50", "ms-card-here-p50", ""},
		{"from the tap to the hook's end", "ms-tap-p50", "ms-tap-here-p50", ""}}},
	{"A hub with 50 machines, 1,000 sessions, 1,000 open questions, after 100,000 changes", "the same hub without a member",
		"./coordinator/e2e", "FleetMany", "1x", []row{
			{"memory with its server", "", "", "x-MB"}, {"the page Now", "ms-page-now", "", "x-ms-page-now"},
			{"the page Questions", "ms-page-questions", "", "x-ms-page-questions"},
			{"the page Sessions", "ms-page-sessions", "", "x-ms-page-sessions"},
			{"the page Machines", "ms-page-machines", "", "x-ms-page-machines"}, {"/status on the phone", "ms-status", "", "x-ms-status"}}},
	{"An event of a run", "a durable write", "./coordinator/e2e", "RunEvent", "50x", []row{
		{"in the journal", "ms-journal-p50", "ms-yardstick-p50", ""}, {"on the page", "ms-page-p50", "ms-yardstick-p50", ""}}},
	{"The start of a run", "the same agent, started directly", "./coordinator/e2e", "RunStart", "20x",
		[]row{{"run", "ms-run-p50", "ms-direct-p50", ""}}},
	{"The guard on hostile commands, for each 10 kB of 1 MB", "the shell parser alone on an ordinary text",
		"./coordinator/guard", "Shapes", "1x", []row{{"", "ms-10kB-of-1MB", "", "x-parse"}}},
	{"A page, with 10,000 sessions and 100,000 journal entries", "the smallest file of the page",
		"./coordinator/internal/channel/web", "Pages", "20x", []row{{"", "ms-p95", "", "x-file"}}},
	{"A search of 10,000 notes of the memory", "a plain search of SQLite's FTS5 for the same words", "./coordinator/internal/store", "Search", "50x",
		[]row{{"search", "ms-p95", "", "x-plain-p95"}}},
	{"A program behind the wall, from its start to its end", "the same program without a wall", "./coordinator/wall",
		"Start", "100x", []row{{"wall", "ms-wall-p50", "ms-plain-p50", ""}}},
	{"A database of 90 days", "the same on an empty database", "./coordinator/e2e", "Past", "1x", []row{
		{"start", "", "", "x-start"}, {"memory", "", "", "x-memory"}, {"idle, processor time", "", "", "x-idle-processor"},
		{"a question", "", "", "x-question"}, {"the page Now", "", "", "x-page-now"}, {"the page Inbox", "", "", "x-page-inbox"},
		{"the page Questions", "", "", "x-page-questions"}, {"the page Runs", "", "", "x-page-runs"},
		{"the hook after a call", "", "", "x-hook-post-tool-use"}}},
	{"50 open pages", "one open page", "./coordinator/e2e", "Tabs", "1x",
		[]row{{"processor time of a change", "ms-processor-50", "ms-processor-1", ""}}},
}

// without are the benchmarks that measure without a yardstick.
var without = []string{"Judge", "Short", "Render", "MarkerHuge", "Sync", "OfTCP", "UnrelatedCommit", "Questions", "FleetIdle"}

// A result is a row with its numbers.
type result struct {
	label        string
	value, ratio float64
}

func main() {
	log.SetFlags(0)
	everyBenchmark()
	var page strings.Builder
	fmt.Fprintf(&page, "# Figures\n\nWritten by `go run .ci/figures.go`; do not edit. Each yardstick is measured in turn with "+
		"what it is compared with, in the\nsame run. **Read the ratios**: the times are those of this machine. What a busy machine "+
		"takes from both makes ratios larger,\ntoo: with a load above the number of cores, only the order of the figures counts.\n\n"+
		"Machine: %s, %d cores, %s/%s, %s, load %s at the start.\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		goVersion(), load())
	for i, f := range figures {
		results, left := most(f.run())
		name := fmt.Sprintf("figures-%d.svg", i+1)
		must(os.WriteFile(filepath.Join("docs", name), plot(f, results), 0o644))
		fmt.Fprintf(&page, "\n## %s\n\nYardstick: %s. `Benchmark%s` in `%s`.\n\n![%s](%s)\n\n| | ms | times the yardstick |\n|---|--:|--:|\n",
			f.title, f.yardstick, f.bench, strings.TrimPrefix(f.pkg, "./"), f.title, name)
		for _, r := range results {
			fmt.Fprintf(&page, "| %s | %s | %s |\n", r.label, short(r.value), short(r.ratio))
		}
		if left > 0 {
			fmt.Fprintf(&page, "\nThese are the largest; %d others are below them.\n", left)
		}
		must(os.WriteFile("docs/figures.md", []byte(page.String()), 0o644)) // so far
	}
}

// everyBenchmark fails if a benchmark of the repository is in neither list.
func everyBenchmark() {
	known := slices.Clone(without)
	for _, f := range figures {
		known = append(known, f.bench)
	}
	declared := regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`)
	must(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if !slices.Contains(known, string(m[1])) {
				log.Fatalf("%s: Benchmark%s is in no list of .ci/figures.go", path, m[1])
			}
		}
		return err
	}))
}

// run runs the benchmark and returns its rows.
func (f figure) run() (all []result) {
	log.Print(f.title)
	test := exec.Command("go", "test", "-run", "^$", "-vet=off", "-bench", "^Benchmark"+f.bench+"$", "-benchtime", f.runs, "-timeout", "20m", f.pkg)
	out, err := test.CombinedOutput()
	if err != nil {
		log.Fatalf("%v: %v\n%s", test.Args, err, out)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark"+f.bench) {
			continue
		}
		metrics := map[string]float64{}
		for i := 2; i+1 < len(words); i += 2 {
			n, err := strconv.ParseFloat(words[i], 64)
			must(err)
			metrics[words[i+1]] = n
		}
		for _, r := range f.rows {
			all = append(all, r.read(words[0], metrics))
		}
	}
	if len(all) == 0 {
		log.Fatalf("%v printed no figures:\n%s", test.Args, out)
	}
	return all
}

func (r row) read(name string, metrics map[string]float64) result {
	ratio := metrics[r.ratio]
	if r.ratio == "" {
		ratio = metrics[r.value] / metrics[r.yard]
	}
	if r.value != "" && metrics[r.value] == 0 || ratio == 0 || math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		log.Fatalf("%s has no %s, %s or %s in %v", name, r.value, r.yard, r.ratio, metrics)
	}
	label := r.label
	if label == "" {
		_, label, _ = strings.Cut(name, "/")
		label = strings.ReplaceAll(regexp.MustCompile(`-\d+$`).ReplaceAllString(label, ""), "_", " ")
	}
	return result{label, metrics[r.value], ratio}
}

// most returns the results with the largest ratios, the largest first, and how many it leaves out: a page is read.
func most(all []result) (largest []result, left int) {
	const shown = 20
	if len(all) <= shown {
		return all, 0
	}
	largest = slices.SortedFunc(slices.Values(all), func(a, b result) int { return cmp.Compare(b.ratio, a.ratio) })
	return largest[:shown], len(all) - shown
}

// plot draws the ratios as bars, with a line where the yardstick is.
func plot(f figure, results []result) []byte {
	const left, width, step = 330, 420, 26
	longest := 1.0
	for _, r := range results {
		longest = max(longest, r.ratio)
	}
	scale := width / longest
	height := step*len(results) + 34
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 %d" font-family="sans-serif" font-size="13" fill="#666">`+"\n", height)
	for i, r := range results {
		y := i*step + 8
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.1f" height="16" rx="2" fill="#3a7ca5"/>`+
			`<text x="%.1f" y="%d">%s</text>`+"\n",
			left-8, y+13, escape(r.label), left, y, max(1, r.ratio*scale), left+r.ratio*scale+6, y+13, said(r))
	}
	x := left + scale
	fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="2" y2="%d" stroke="#d1495b" stroke-dasharray="4 3"/>`+
		`<text x="8" y="%d" fill="#d1495b">1×: %s</text>`+"\n</svg>\n", x, x, height-22, height-8, escape(f.yardstick))
	return b.Bytes()
}

func said(r result) string {
	if r.value == 0 {
		return short(r.ratio) + "×"
	}
	return fmt.Sprintf("%s× (%s ms)", short(r.ratio), short(r.value))
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// short prints a number with three digits that count, and nothing for none.
func short(n float64) string {
	if n == 0 {
		return ""
	}
	if n >= 100 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
	return strings.TrimSpace(string(out))
}

// load returns the mean number of processes that ran or wanted to, over a minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func goVersion() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	must(err)
	return strings.TrimSpace(string(out))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
