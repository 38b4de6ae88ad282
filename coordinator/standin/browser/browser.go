// Package browser drives a real headless browser, Debian's chromium-headless-shell, for the
// tests of the page.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/afar-sh/afar/coordinator/standin/long"
)

// Patience bounds each step in the browser. The machine may be busy.
const Patience = time.Minute

// names are the programs that serve as the browser, the best first.
var names = []string{"chromium-headless-shell", "chrome-headless-shell", "chromium"}

// find returns the browser, or why there is none. AFAR_TEST_BROWSER names it.
func find() (path, why string) {
	if path := os.Getenv("AFAR_TEST_BROWSER"); path != "" {
		return path, ""
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, ""
		}
	}
	return "", "no headless browser: apt-get install chromium-headless-shell, or set AFAR_TEST_BROWSER"
}

// skip skips a test, and says why. With AFAR_TEST_NO_SKIP=1 it fails.
func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("AFAR_TEST_NO_SKIP") == "1" {
		t.Fatal("nothing may be skipped here: " + why)
	}
	t.Skip(why)
}

// fonts has the browser show the system's font as Inter, where that is installed: pages
// then look as they do on a person's desktop, on every machine.
const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<match target="pattern"><test name="family"><string>system-ui</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
<match target="pattern"><test name="family"><string>sans</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
<match target="pattern"><test name="family"><string>sans-serif</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>
</fontconfig>`

// fontFile writes the setting of the fonts, and returns its path.
func fontFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fonts.conf")
	if err := os.WriteFile(path, []byte(fonts), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A Browser is a running browser with a profile that is thrown away.
type Browser struct {
	t   testing.TB
	ctx context.Context
}

// Start starts a browser for a test, or skips the test. What drives a browser runs in CI.
func Start(t testing.TB) *Browser {
	t.Helper()
	long.InCI(t)
	path, why := find()
	if why != "" {
		skip(t, why)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Env("FONTCONFIG_FILE="+fontFile(t)))
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(all)
	t.Cleanup(func() {
		end()
		stop()
	})
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return &Browser{t: t, ctx: ctx}
}

// A Tab is one page of the browser.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	messages []string // errors and warnings of the console
}

// Tab opens a tab with cookies of its own: it is like another browser.
func (b *Browser) Tab(t testing.TB) *Tab {
	t.Helper()
	return b.tab(t, chromedp.WithNewBrowserContext())
}

func (b *Browser) tab(t testing.TB, opts ...chromedp.ContextOption) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, opts...)
	t.Cleanup(end)
	tab := &Tab{t: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			tab.note(m)
		}
	}()
	return tab
}

// note keeps what the console shows as a warning or an error.
func (tab *Tab) note(m chromedp.ConsoleMessage) {
	switch m.Type {
	case chromedp.ConsoleError, chromedp.ConsoleException, "warning", "assert":
		tab.mu.Lock()
		tab.messages = append(tab.messages, fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line))
		tab.mu.Unlock()
	}
}

// Console returns the errors and warnings of the console so far, and forgets them.
func (tab *Tab) Console() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	all := tab.messages
	tab.messages = nil
	return all
}

// Do carries out steps, or fails the test.
func (tab *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, Patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		tab.t.Fatalf("browser: %v", err)
	}
}

// Open loads an address.
func (tab *Tab) Open(url string) {
	tab.t.Helper()
	tab.Do(chromedp.Navigate(url))
}

// phoneWidth is the width below which a window is a phone's.
const phoneWidth = 600

// View sets the width and height of the window, and the colour scheme.
func (tab *Tab) View(width, height int64, dark bool) {
	tab.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}
	var phone []chromedp.EmulateViewportOption
	if width < phoneWidth {
		phone = append(phone, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	tab.Do(
		chromedp.EmulateViewport(width, height, phone...),
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(
				ctx,
				emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: features},
			)
			return err
		}),
	)
}

// Scripts switches scripts on or off for the pages that are opened from now on.
func (tab *Tab) Scripts(on bool) {
	tab.t.Helper()
	tab.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// Init runs a script in each document that is opened from now on, before the scripts of the
// document itself.
func (tab *Tab) Init(script string) {
	tab.t.Helper()
	tab.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// Notices has each document that is opened from now on behave as in a hidden tab, and keep
// the notices that it shows. See Noticed.
func (tab *Tab) Notices() {
	tab.t.Helper()
	tab.Init(`Object.defineProperty(document, "hidden", {get: () => true});
		window.noticed = [];
		window.Notification = class {
			static permission = "granted";
			constructor(title, options) { window.noticed.push(title + ": " + options.body); }
		};`)
}

// Noticed returns the notices that the document of the tab has shown, in their order.
func (tab *Tab) Noticed() []string { return Eval[[]string](tab, "window.noticed") }

// Keys presses keys, one after the other.
func (tab *Tab) Keys(keys string) {
	tab.t.Helper()
	tab.Do(chromedp.KeyEvent(keys))
}

// TakesPresses is the expression for a page that takes presses: it takes none while it changes by itself, and for half a
// second after something has moved.
const TakesPresses = `!document.documentElement.matches(".swapping, .resting")`

// Click clicks the first element that a selector finds, once the page takes presses.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.Wait(TakesPresses)
	tab.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Eval returns the value of an expression in the page.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, Patience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("browser: %s: %v", expression, err)
	}
	return v
}

// Wait waits until an expression in the page is true.
func (tab *Tab) Wait(expression string) {
	tab.t.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		if Eval[bool](tab, "Boolean("+expression+")") {
			return
		}
		if time.Now().After(end) {
			tab.t.Fatalf("browser: %s never became true; the page shows:\n%s", expression, tab.Text())
		}
	}
}

// Text returns what the page shows.
func (tab *Tab) Text() string { return Eval[string](tab, "document.body.innerText") }

// Shoot writes a picture of the whole page to the folder that AFAR_SHOTS names, if it
// names one.
func (tab *Tab) Shoot(name string) {
	tab.t.Helper()
	dir := os.Getenv("AFAR_SHOTS")
	if dir == "" {
		return
	}
	ctx, stop := context.WithTimeout(tab.ctx, Patience)
	defer stop()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		tab.t.Fatalf("take a picture of %s: %v", name, err)
	}
}

// A Finding is something that axe-core does not accept.
type Finding struct {
	Rule   string `json:"id"`
	Impact string `json:"impact"` // minor, moderate, serious or critical
	Help   string `json:"help"`
	Nodes  []struct {
		HTML string `json:"html"`
		Why  string `json:"failureSummary"`
	} `json:"nodes"`
}

func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %s", f.Rule, f.Impact, f.Help)
	for i, n := range f.Nodes {
		if i == 5 {
			fmt.Fprintf(&b, "\n  and %d more", len(f.Nodes)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s\n    %s", n.HTML, strings.ReplaceAll(n.Why, "\n", " "))
	}
	return b.String()
}

// NeedAxe returns the script of axe-core that AFAR_TEST_AXE names, or skips the test.
func NeedAxe(t testing.TB) string {
	t.Helper()
	path := os.Getenv("AFAR_TEST_AXE")
	if path == "" {
		skip(t, "AFAR_TEST_AXE does not name the file axe.min.js of axe-core")
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// Axe returns what axe-core finds on the page.
func (tab *Tab) Axe(script string) (found []Finding) {
	tab.t.Helper()
	raw := Eval[string](tab, script+`;
		axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`)
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		tab.t.Fatalf("axe-core: %v", err)
	}
	return found
}
