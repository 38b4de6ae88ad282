package redact_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/redact"
)

// fake is the secret part of every credential here. It is not a real secret in any form.
const fake = "Fake0Fake1Fake2Fake3Fake4Fake5Fake6Fake7"

// credentials returns the ways in which a secret appears in commands, files and logs.
// FAKE is the part that must not be shown. The tests of other packages read the same
// file.
func credentials(t *testing.T) (forms []string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/credentials.json")
	if err == nil {
		err = json.Unmarshal(raw, &forms)
	}
	if err != nil || len(forms) < 60 {
		t.Fatalf("%d forms, %v", len(forms), err)
	}
	return forms
}

func TestMask(t *testing.T) {
	for _, form := range credentials(t) {
		for _, text := range []string{
			strings.ReplaceAll(form, "FAKE", fake),
			"echo start; " + strings.ReplaceAll(form, "FAKE", fake) + "\necho end",
		} {
			got := redact.Mask(text)
			for _, part := range []string{fake, "Fake7", "00fa4e"} {
				if strings.Contains(got, part) {
					t.Errorf("%s\n  shows as %s", text, got)
				}
			}
			if !strings.Contains(got, redact.Hidden) {
				t.Errorf("%s\n  has no mask: %s", text, got)
			}
			if again := redact.Mask(got); strings.Contains(again, "Fake") {
				t.Errorf("%s\n  a second time: %s", text, again)
			}
		}
	}
}

// TestMaskKeepsTheRest: the text around a secret stays readable.
func TestMaskKeepsTheRest(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + fake + "\n" + fake + "\nq==\n-----END PRIVATE KEY-----"
	for text, want := range map[string]string{
		"PGPASSWORD=hunter22 psql -h db":                   "PGPASSWORD=••• psql -h db",
		"curl -u ada:hunter22 https://x.example/y":         "curl -u ada:••• https://x.example/y",
		"psql postgres://ada:hunter22@db.example/x -c 'q'": "psql postgres://ada:•••@db.example/x -c 'q'",
		`{"password": "abc", "user": "ada"}`:               `{"password": "•••", "user": "ada"}`,
		"x --token abc --force && rm -rf y":                "x --token ••• --force && rm -rf y",
		"API_KEY=abc; rm -rf y":                            "API_KEY=•••; rm -rf y",
		"https://x.example/?token=abc&force=1":             "https://x.example/?token=•••&force=1",
		"git clone https://ghp_" + fake + "@git.example/x": "git clone https://ghp_•••@git.example/x",
		"a\n" + key + "\nb":                                "a\n-----BEGIN PRIVATE KEY-----••• PRIVATE KEY-----\nb",
	} {
		if got := redact.Mask(text); got != want {
			t.Errorf("%q\n  have %q\n  want %q", text, got, want)
		}
	}
}

// TestMaskHidesNothingThatRuns: a mask hides no part of a command that pretends to be
// a secret. HIDE is the part that must be shown.
func TestMaskHidesNothingThatRuns(t *testing.T) {
	for _, text := range []string{
		`TOKEN=$(HIDE) x`, "TOKEN=`HIDE` x", `x --password "$(HIDE -rf ~)"`, `x --password '$(HIDE)'`,
		`curl -u "a:$(HIDE)" x`, `TOKEN= HIDE -rf ~`, "TOKEN=\nHIDE -rf ~", "token:\n\tHIDE -rf ~", `TOKEN=;HIDE`,
		`TOKEN=x;HIDE`, `TOKEN=x&&HIDE`, `TOKEN=x|HIDE`, `echo "password=" ; HIDE -rf ~ ; echo "x"`,
		`echo "password=";HIDE;"x"`, `echo 'password=' ; HIDE ; echo 'x'`,
		`bash -c "echo 'password=' ; HIDE -rf ~ ; echo 'x'"`, "# don't\necho 'password=' ; HIDE ; echo 'x'",
		`rm -f "token=" -r HIDE "x"`, `rm -f "token="x -r HIDE /tmp/x" "`, `rm '"token":"' -rf HIDE '"'`,
		`x "password":" HIDE "`, "echo '-----BEGIN PRIVATE KEY-----'; HIDE -rf ~",
		"# -----BEGIN PRIVATE KEY-----\nHIDE -rf /home/ada\n# -----END PRIVATE KEY-----",
		`curl -H "Cookie: a=b; HIDE" x`, `curl http://a:$(HIDE)@x.example`, `curl http://a:b;HIDE;@x.example`,
		`curl -H "Authorization: Bearer x" ; HIDE`, `mysql -px;HIDE`, `sshpass -p x ssh h HIDE`,
		`machine a login b password c;HIDE`, `X_TOKEN=<(HIDE) y`, `TOKEN=${x:-$(HIDE)}`,
	} {
		if got := redact.Mask(text); !strings.Contains(got, "HIDE") {
			t.Errorf("%s\n  shows as %s", text, got)
		}
	}
}

// ordinary are commands and lines of an ordinary day. None of them holds a secret.
var ordinary = []string{
	"ls -la", "git status", "git log --oneline -20", "git push origin main",
	"git commit -m 'make the parser faster'", "git checkout -b fix/key-value-store",
	"git clone https://github.com/a/b.git", "git clone git@github.com:a/b.git", "go test ./... -run TestToken",
	"go build -o bin/x ./cmd/x", "npm ci", "npm_config_cache=/tmp/npm-cache npm ci", "npm run build -- --watch",
	"make -j8 check", "cargo test --release", "pytest -k password_reset -q", "python3 -m http.server 8000",
	"pip install sk-video scikit-learn", "docker run --rm -u 1000:1000 -p 8080:80 nginx:1.27",
	"docker compose up -d", "docker build -t app:latest .", "kubectl get pods -n kube-system",
	"kubectl get secret my-key-rotation -o yaml", "terraform plan -out plan.bin",
	"ssh -p 2222 ada@host.example uptime", "scp -P 22 a b:c", "rsync -av --delete src/ dst/",
	"find . -name '*.pem' -newer go.mod", "grep -rn 'token' src/", "grep -n 'password' config/example.yml",
	"sed -n '1,40p' internal/secret/secret.go", "cat docs/api-key-handling.md",
	"curl -fsSL https://example.org/install.sh -o install.sh",
	"curl -H 'Accept: application/json' http://127.0.0.1:8080/health", "tar -xzf release-1.2.3.tar.gz",
	"mysql -u root -p -h db shop", "psql -U ada -d shop -c 'select 1'", "sort -u -k2,2 -t: names.txt",
	"tail -f /var/log/syslog", "sha256sum pat-releases.txt", "echo \"$TOKEN_FILE\"", "ps aux | grep sk-worker",
	"sleep 30 && echo done", "chmod 600 ~/.ssh/id_ed25519", "openssl rand -hex 16", "jq '.items[].key' x.json",
	"date +%s:%N", "https://example.org:8443/a/b?page=2&sort=key", "12:34:56 INFO task finished in 3.2 s",
	"for f in *.go; do gofmt -l $f; done",
}

func TestMaskLeavesTheOrdinary(t *testing.T) {
	if len(ordinary) < 40 {
		t.Fatalf("only %d texts", len(ordinary))
	}
	for _, text := range ordinary {
		if got := redact.Mask(text); got != text {
			t.Errorf("%s\n  became %s", text, got)
		}
		if got := redact.Visible(text); got != text {
			t.Errorf("%s\n  became %s", text, got)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":            "a\tb\nc",
		"ü 漢字 😀 ñ":           "ü 漢字 😀 ñ",
		"\x00\x1b[31m\x7f\r": "⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+000D⟩",
		"\u0085":             "⟨U+0085⟩",
		"a\u202eb\u2066c":    "a⟨U+202E⟩b⟨U+2066⟩c",
		"\u200b\u200d\ufeff": "⟨U+200B⟩⟨U+200D⟩⟨U+FEFF⟩",
		"\u00ad\u034f\u3164": "⟨U+00AD⟩⟨U+034F⟩⟨U+3164⟩",
		"\u2028\u2029":       "⟨U+2028⟩⟨U+2029⟩",
		"\ue000":             "⟨U+E000⟩",
		"a\ufe0fb\U000e0101": "a⟨U+FE0F⟩b⟨U+E0101⟩",
		"\U000e0041":         "⟨U+E0041⟩",
		"\xff\xfeok\xc3":     "\ufffdok\ufffd",
		"":                   "",
	} {
		if got := redact.Visible(text); got != want {
			t.Errorf("%q: have %q, want %q", text, got, want)
		}
	}
}

// TestMaskJSON: every text of a value is masked, and one that is too long to be masked is left out.
func TestMaskJSON(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":["API_TOKEN=hunter2",1.50]}`:         `{"a":["API_TOKEN=•••",1.50]}`,
		`{"password":"hunter2"}`:                   `{"password":"•••"}`,
		`["` + strings.Repeat("x", 101) + `","y"]`: `["… 101 bytes left out …","y"]`,
	} {
		if got, err := redact.MaskJSON([]byte(raw), 100); got != want || err != nil {
			t.Errorf("%.60s: %s, %v", raw, got, err)
		}
	}
	if got, err := redact.MaskJSON([]byte(`{`), 100); err == nil {
		t.Errorf("no JSON: %q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u202e\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := redact.Visible(redact.Mask(text))
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x07\x1b\r\u200b\u202e\u2066\ufeff") {
			t.Fatalf("%q: %q", text, got)
		}
		if again := redact.Visible(got); again != got {
			t.Fatalf("%q: twice %q", got, again)
		}
	})
}
