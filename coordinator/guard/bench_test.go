package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// workday is a mix of commands that sessions run, about 1 kB in a round.
const workday = `(cd "$PWD/web" && npm run build -- --mode=production 2>&1 | tail -n 40)
git add -A && git commit -m "fix: keep the reply until the hook has read it" -m "details of the change"
for f in internal/*/*.go; do gofmt -l "$f"; done
if [ -d node_modules ]; then rm -rf node_modules/.cache; fi
cat > notes.md <<'EOT'
# Notes
rm -rf / is what we must never run
EOT
find . -name '*.tmp' -mtime +3 -print | xargs -r ls -la
curl -fsS "https://api.example.com/v1/items?page=$PAGE" | jq -r '.items[].id' > ids.txt
docker compose exec -T db psql -U app -c "SELECT count(*) FROM users WHERE id > 10"
python3 -c "import json,sys; print(json.load(open('package.json'))['version'])"
X=$(git rev-parse --short HEAD); echo "built $X at $(date +%s)"
kubectl -n staging get pods -o json | jq '.items | length'
ssh build.example.com 'cd /srv/app && git pull && make test'
aws s3 cp dist/app.tgz "s3://releases/app-${X}.tgz" --no-progress
`

func BenchmarkJudge(b *testing.B) {
	for _, rounds := range []int{1, 10, 100, 600} {
		text := strings.Repeat(workday, rounds)
		b.Run(strconv.Itoa(len(text)/1000)+"kB/judge", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Judge(bash(text), testContext())
			}
		})
		b.Run(strconv.Itoa(len(text)/1000)+"kB/parse", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				syntax.NewParser().Parse(strings.NewReader(text), "")
			}
		})
	}
}

func BenchmarkShort(b *testing.B) {
	for b.Loop() {
		Judge(bash("git status --short && go test ./..."), testContext())
	}
}

// BenchmarkQuestions counts questions and denials per 100 shell commands, without a wall and behind one. The files of
// AFAR_TEST_CALLS, separated by colons, hold a call in each line, as {"tool_name": ..., "tool_input": ...}.
func BenchmarkQuestions(b *testing.B) {
	var commands []string
	for _, file := range filepath.SplitList(os.Getenv("AFAR_TEST_CALLS")) {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var call struct {
				Tool  string                   `json:"tool_name"`
				Input struct{ Command string } `json:"tool_input"`
			}
			if json.Unmarshal([]byte(line), &call) == nil && call.Tool == "Bash" {
				commands = append(commands, call.Input.Command)
			}
		}
	}
	if len(commands) == 0 {
		b.Skip("AFAR_TEST_CALLS names no calls")
	}
	for name, isWalled := range map[string]bool{"without": false, "walled": true} {
		counts := map[Verdict]float64{}
		for _, command := range commands {
			ctx := testContext()
			ctx.Walled = isWalled
			counts[Judge(bash(command), ctx).Verdict]++
		}
		b.ReportMetric(counts[Ask]*100/float64(len(commands)), "asked-of-100-"+name)
		b.ReportMetric(counts[Deny]*100/float64(len(commands)), "denied-of-100-"+name)
	}
	b.ReportMetric(float64(len(commands)), "calls")
}

// BenchmarkShapes judges each hostile shape at 10 kB and at 1 MB. It reports the milliseconds
// per 10 kB at both sizes, how much more time a byte takes in the large one, and how often the
// shell parser alone could have read an ordinary text of the large size in that time.
func BenchmarkShapes(b *testing.B) {
	const small, large = 10_000, 1_000_000
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			short, long := s.call(small), s.call(large)
			var forShort, forLong, yard time.Duration
			for b.Loop() {
				yard += timed(func() { parseOrdinary(large) })
				forShort += timed(func() { Judge(short, testContext()) })
				forLong += timed(func() { Judge(long, testContext()) })
			}
			n := float64(b.N)
			b.ReportMetric(forShort.Seconds()*1e3/n, "ms-10kB")
			b.ReportMetric(forLong.Seconds()*1e3/n/(large/small), "ms-10kB-of-1MB")
			b.ReportMetric(float64(forLong)/float64(forShort)/(large/small), "x-growth")
			b.ReportMetric(float64(forLong)/float64(yard), "x-parse")
		})
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// parseOrdinary is the yardstick: the shell parser alone, on an ordinary text.
func parseOrdinary(n int) {
	_, _ = syntax.NewParser().Parse(strings.NewReader(fill(workday, n)[:n]), "")
}
