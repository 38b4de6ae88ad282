package page

import (
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A View is one page. The types of this file implement it.
type View interface{ shape() shape }

// A shape says what a page is made of.
type shape struct {
	name  string // of its templates
	of    string // whose templates it has instead, "" for its own
	title string // in the browser's title
	path  string // of the page itself; a form comes back to it
	entry string // path of its entry in the menu, "" for none
	home  string // the person's home, shown as ~
	still bool   // the page does not change while it is open
	// parts are the ids of its sections, in their order. A page always has all of them, so
	// that a section that fills or empties keeps its place.
	parts []string
}

// A Frame is what surrounds each page.
type Frame struct {
	Machine  string // its name
	Path     string // of this page with its query, such as /report?since=8h
	Seq      int64  // the newest entry of the journal that the page shows
	SignedIn bool   // this browser is signed in; without it the page has no menu and no stream
	Pulse    Pulse
	Said     *Said // what the last form led to
	// Fleet names the machines of the fleet, this one first; Chosen is the one whose things the page shows, "" for all.
	Fleet  []string
	Chosen string
}

// A Pulse is what each page shows of all others: how many questions wait, and what
// happened lately. It is a section of each page; see Beat.
type Pulse struct {
	Open   int    // questions that wait for an answer
	Paused bool   // the kill switch is on
	Banner string // trouble that every page shows, such as a disk that accepts no writes
	News   []News // newest first; the browser notifies of those it has not seen
}

// News is one thing that a person may want to hear of at once: a question, an end or a
// failure.
type News struct {
	Key   string // names it; a browser notifies of each key once
	At    int64
	Title string
	Text  string
	Path  string // of the page about it
}

// Said is the result of a form.
type Said struct {
	Text string
	Bad  bool // it was refused or failed
}

// SignIn is shown to a browser that is not signed in.
type SignIn struct {
	Trouble string // what is wrong with the link that was used
	Reload  bool   // load the page again, once: a link on another site sends no strict cookie
}

// Message is a page that says one thing, such as that a path is unknown.
type Message struct {
	Title string
	Text  string
}

// Now shows the open questions, the sessions, and what needs nobody.
type Now struct {
	Status   wire.StatusReply // without the sessions
	Cards    []Card           // the open questions and those that ended a moment ago, oldest first
	Runs     []RunRow         // those that need a person or work
	Sessions Running
	News     []wire.Entry       // ends, verdicts and notices, newest first
	Ended    []wire.ReportedAsk // questions that are not among Cards any more
	Home     string             // the person's home, shown as ~
}

// Sessions shows a part of the sessions that run.
type Sessions struct {
	Running
	Home string
}

// Running is a part of the sessions that run.
type Running struct {
	Part  wire.SessionsReply // in its order, see there
	From  int                // how many come before the part
	Most  int                // how many a part has at most
	Asks  map[string]int     // how many questions are open, by session id
	Loops []wire.Loop        // those that go on
}

// A Card shows one question, or several identical ones that are answered together.
type Card struct {
	Asks   []wire.Ask // those that wait first; never empty
	Closed string     // why this page cannot answer it although it waits
	Ended  []string   // how its asks ended, a line each
	Undo   *wire.Undo // the snapshot of its step
}

// Session shows one session.
type Session struct {
	Session wire.Session
	Loop    *wire.Loop // nil without one
	Closed  string     // why this page cannot decide for it, "" if it can
	Cards   []Card     // its open questions
	Grants  []wire.Grant
	Undos   []wire.Undo
	Steps   []wire.Step  // the last tools, newest first
	Entries []wire.Entry // of the journal, newest first
	Further Further      // of the entries
	Home    string
}

// Further leads to the other parts of a list that is too long for one page.
type Further struct {
	Earlier string // path of the page with earlier lines, "" for none
	Newest  string // path of the page with the newest lines, "" on that page itself
}

// Loops shows the loops with their issues, worktrees, checks and reviews.
type Loops struct {
	Loops   []wire.Loop
	Issues  []IssueList
	Reviews []wire.Entry // newest first
	Home    string
}

// An IssueList holds the issues of one project in which a loop works.
type IssueList struct {
	wire.Issues
	Trouble string // why they cannot be read
}

// Questions shows the open questions and the history.
type Questions struct {
	Cards   []Card             // open, or ended a moment ago
	Past    []wire.ReportedAsk // newest first
	Further Further            // of Past
	Channel []wire.Channel
	Home    string
}

// Question shows one question, whole.
type Question struct {
	Card Card
	Home string
}

// Guard shows what was stopped and why, and judges a command that a person tries.
type Guard struct {
	Guard  wire.Guard
	Denied []wire.Entry // newest first
	Spoke  []wire.Entry // what the guard asked about, newest first
	// OfDenied and OfSpoke lead to the other lines of these lists.
	OfDenied, OfSpoke Further
	Past              []wire.Entry // what got past it, newest first
	Undos             []wire.Undo  // newest first
	Command           string       // that is explained, "" for none
	Explain           string       // as `afar guard explain` prints it
	Trouble           string       // why it cannot be explained
	Home              string
}

// Report shows what happened since a time.
type Report struct {
	Report wire.ReportReply
	Spans  []string // that can be chosen, such as 8h
	Since  string   // the one that is shown
	Cost   []Spent  // in order of time
	Home   string
}

// Spent is what the sessions cost in the time that ends At, at list prices.
type Spent struct {
	At  int64
	USD float64
}

// Settings shows the settings in force, the channels, the browsers and the doctor's findings.
type Settings struct {
	Settings []Setting
	Quick    []Field
	Channels []wire.Channel
	Telegram wire.TelegramReply
	Pairing  *wire.TelegramPairReply // the code that waits
	Browsers []Browser
	Checks   []wire.Check
	Home     string
}

// A Setting is one value in force, and where it comes from.
type Setting struct{ Key, Value, From string }

// A Field is a setting that can be changed on the page: Value is what the file has, and Usual what holds without it.
type Field struct{ Key, Label, Value, Usual string }

// A Browser is one that is signed in.
type Browser struct {
	ID      string
	Name    string // as it calls itself
	Since   int64
	Seen    int64
	Expires int64
	Own     bool // it is the one that asks
}

func (SignIn) shape() shape {
	return shape{name: "signin", title: "Sign in", path: "/", parts: []string{"signin"}}
}

func (m Message) shape() shape {
	return shape{name: "message", title: m.Title, path: "/", parts: []string{"message"}}
}

func (n Now) shape() shape {
	return shape{
		name: "now", title: "Now", path: "/", entry: "/", home: n.Home,
		parts: []string{"state", "questions", "runs", "sessions", "news", "channels"},
	}
}

func (s Sessions) shape() shape {
	return shape{
		name: "sessions", title: "Sessions", path: sessionsFrom(s.From), entry: "/", home: s.Home,
		parts: []string{"list"},
	}
}

func (s Session) shape() shape {
	return shape{
		name: "session", title: s.Session.Token, path: "/session/" + url(s.Session.Token), entry: "/", home: s.Home,
		parts: []string{"questions", "head", "loop", "rights", "timeline"},
	}
}

// Empty says where no loop is how one is made.
func (Loops) Empty() string { return view.Loops.Empty }

func (l Loops) shape() shape {
	return shape{
		name: "loops", title: "Loops", path: "/loops", entry: "/loops", home: l.Home,
		parts: []string{"loops", "issues", "reviews"},
	}
}

func (q Questions) shape() shape {
	return shape{
		name: "questions", title: "Questions", path: "/questions", entry: "/questions", home: q.Home,
		parts: []string{"questions", "past"},
	}
}

func (q Question) shape() shape {
	return shape{
		name: "question", title: "Question", path: "/question/" + url(q.Card.Face().ID), entry: "/questions", home: q.Home,
		parts: []string{"question"},
	}
}

func (g Guard) shape() shape {
	return shape{
		name: "guard", title: "Guard", path: "/guard", entry: "/guard", home: g.Home,
		parts: []string{"grade", "explain", "undos", "denied"},
	}
}

func (r Report) shape() shape {
	return shape{
		name: "report", title: "Report", path: "/report?since=" + url(r.Since), entry: "/report", home: r.Home,
		parts: []string{"summary", "first", "day", "ends", "asks"},
	}
}

func (s Settings) shape() shape {
	return shape{
		name: "settings", title: "Settings", path: "/settings", entry: "/settings", home: s.Home,
		parts: []string{"channels", "health", "settings"},
	}
}
