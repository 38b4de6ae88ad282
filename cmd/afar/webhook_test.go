//go:build unix

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdWebhook sends a file to the page as a webhook, signed as Standard Webhooks wants it, and prints
// the status and the reply: webhook NAME ID SECRET FILE.
func cmdWebhook(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 4, "webhook NAME ID SECRET FILE")
	id, body := args[1], ts.ReadFile(args[3])
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(args[2], "whsec_"))
	ts.Check(err)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	req, err := http.NewRequest(http.MethodPost, pageOf(ts)+"/hook/"+args[0], strings.NewReader(body))
	ts.Check(err)
	req.Header = http.Header{
		"Content-Type":      {"application/json"},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintln(ts.Stdout(), resp.StatusCode, string(said))
}

// pageOf returns the address of a script's page.
func pageOf(ts *testscript.TestScript) string {
	noted := ts.ReadFile(filepath.Join(ts.Getenv("AFAR_HOME"), "state", "page"))
	addr := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(noted)
	if addr == "" {
		ts.Fatalf("the page is not served: %q", noted)
	}
	return "http://" + addr
}
