// Package network has the programs that send, fetch and copy over a network.
package network

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/coreutils"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// RunSSHOptions runs the commands in the options of ssh, on this machine or on the remote one.
func RunSSHOptions(sh *shell.Shell, o argv.Options) {
	for _, option := range o.All("o") {
		i := max(strings.IndexAny(option, " ="), 0)
		code := strings.TrimLeft(option[i:], " =")
		switch strings.ToLower(option[:i]) {
		case "proxycommand", "localcommand", "knownhostscommand":
			sh.Run(code, nil)
		case "remotecommand":
			sh.Elsewhere().Run(code, nil)
		}
	}
}

// Programs are the programs of this file, with what each does.
var Programs = []rows.Table{
	{
		Programs: "curl",
		Options: "X d o u A e F T b c x K w m C E r U Q P H request data data-raw data-binary data-urlencode " +
			"data-ascii json form upload-file output header user user-agent cookie cookie-jar config write-out " +
			"max-time connect-timeout retry url output-dir cacert cert key proxy resolve referer unix-socket",
		Keeps: "no-clobber", Do: httpClient,
	},
	{
		Programs: "wget",
		Options: "O o P e a i t T U w Q A R D I X l B output-document output output-file directory-prefix execute " +
			"header post-data post-file body-data body-file method user-agent referer timeout tries user password " +
			"input-file proxy use-askpass!",
		Keeps: "c continue no-clobber", Do: httpClient,
	},
	{
		Programs: "http https xh axel fetch lwp-request httpie curlie",
		Options: "X d o H u A e F T b c x K w m C E r U Q P request data data-raw data-binary data-urlencode " +
			"data-ascii json form upload-file output header user cookie config timeout url cert key proxy method " +
			"dir out output-document",
		Do: httpClient,
	},
	{
		Programs: "aria2c",
		Options:  "o d i x s j k out dir input-file header allow-overwrite split method continue?",
		Keeps:    "c continue",
		Do:       httpClient,
	},
	{
		Programs: "grpcurl evans", Options: "- d H authority cacert cert key proto import-path protoset host port",
		Do: callRemote,
	},
	{Programs: "telnet", Options: "e l b n S X", Do: rawSocket},
	{Programs: "nc ncat netcat socat", Options: "e c p s w q i X x sh-exec exec", Do: rawSocket},
	{Programs: "scp rcp", Options: "P i F o c S! l J D X", Do: secureCopy},
	{Programs: "sftp", Options: "P i F o c S! l J D X b B R", Do: transferSession},
	{
		Programs: "rsync unison",
		Options: "e! f T B exclude include filter files-from rsh! rsync-path password-file log-file bwlimit port " +
			"timeout backup-dir",
		Dry: "n dry-run", Keeps: "ignore-existing b backup",
		Rows: []rows.Row{
			{Given: "rsync-path", GoOn: true, Runs: &rows.Start{Text: rows.ValueOf("rsync-path"), Away: true}},
			{GoOn: true, Also: reportSentCopies},
			{Given: "remove-source-files", GoOn: true, Does: effect.DeleteTree, To: rows.Paths{rows.AllButLast}},
			{
				Given: "del delete delete-before delete-during delete-delay delete-after delete-excluded " +
					"delete-missing-args",
				Also: reportDeletedCopies,
			},
			{Without: "remove-source-files", Also: reportCopies},
		},
	},
	{Programs: "lftp", Options: "e c f p u", Do: transferSession},
	{Programs: "rclone", Options: "config transfers checkers exclude include filter", Dry: "n dry-run", Rows: []rows.Row{
		{Words: "copy|copyto|sync|move|moveto", GoOn: true, Also: secret.ReportCopied},
		{Words: "copyto|moveto", GoOn: true, Also: reportCopies},
		{Words: "sync|bisync", Also: reportDeletedCopies},
		{
			Words: "delete|purge|deletefile|rmdir|rmdirs|cleanup|dedupe|backend",
			Does:  effect.DestroyRemote, Op: effect.Teardown, To: rows.Operand(1),
		},
		{Words: "move|moveto", Does: effect.ChangeRemote, Op: effect.Move, To: rows.Operand(1)},
	}},
	{Programs: "mail mailx sendmail mutt msmtp swaks zulip-send", Options: "s a", Do: reportMail},
	{Programs: "robocopy", Rows: []rows.Row{{Mention: "/mir /purge", Also: reportMirroredFolder}}},
	{
		Programs: "iptables ip6tables nft ufw firewall-cmd pfctl ipset ebtables",
		Options:  "t p s d j i o m dport sport", Dry: "L S list n list-all state get-active-zones sr si",
		Rows: []rows.Row{
			{Words: "status|list|show"},
			{Of: "pfctl", Given: "s"},
			{Bare: true},
			{Does: effect.ChangeSystem, Op: "firewall", To: rows.Arguments},
		},
	},
	{Programs: "networksetup ip ifconfig ifdown nmcli route tc ipconfig netplan wg-quick resolvectl rfkill " +
		"networkctl", Rows: []rows.Row{
		{
			Of: "networksetup", First: "-set*|-remove*|-delete*|-create*|-rename*|-import*|-order*|" +
				"set*|remove*|delete*|create*|rename*|import*|order*",
			As: &changesNetwork,
		},
		{Of: "ip", Words: "netns exec", Also: runInNamespace},
		{Args: "show|list|-getinfo"},
		{Of: "resolvectl", Words: "dns|domain|default-route|revert *", As: &changesNetwork},
		{Of: "rfkill", Words: "block", As: &changesNetwork},
		{Of: "ifdown", Words: "*", As: &changesNetwork},
		{Of: "tc", Words: "* add|replace|change", As: &changesNetwork},
		{Args: "blackhole|unreachable|prohibit|throw|reject|-reject|-blackhole|replace", As: &changesNetwork},
		{
			Args: "down|del|delete|flush|off|disable|-setairportpower",
			As:   &changesNetwork,
		},
	}},
	{Programs: "nsupdate", Rows: []rows.Row{{Does: effect.ChangeRemote, Op: "dns", To: rows.ProgramName}}},
	{
		Programs: "ssh-add", Options: "t s e",
		Rows: []rows.Row{{Given: "D d", Does: effect.ChangeSystem, Op: "keys of the agent"}},
	},
	{Programs: "websocat", Rows: []rows.Row{
		{Mention: "sh-c: exec: cmd:", Does: effect.ReverseShell, Op: effect.Socket, To: rows.Arguments},
	}},
	{Programs: "ssh-copy-id", Options: "i p o F t", Dry: "n h", Rows: []rows.Row{
		{Words: "*", Does: effect.ChangeRemote, Op: effect.Rights, To: rows.OperandsFrom(0)},
	}},
	{Programs: "ngrok localtunnel lt bore tmate ttyd gotty sshx upterm frpc zrok", Dry: "version h", Rows: []rows.Row{
		{Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("tunnel")},
	}},
	{Programs: "tcpdump", Options: "z! G W w i"},
	{Programs: "nmap masscan hydra sqlmap nikto aircrack-ng arpspoof ettercap wireshark tshark"},
}

// reportMail reports a message, and a secret in its text.
func reportMail(sh *shell.Shell, c shell.Command, o argv.Options) {
	if secret.HasMark(rows.Stdin(c), partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.Secret, "mail")
		return
	}
	sh.Effect(effect.SendOut, effect.Named("mail"), strings.Join(o.Pos, " "))
}

// callRemote reports a procedure of another machine whose name says that it destroys something.
func callRemote(sh *shell.Shell, _ shell.Command, o argv.Options) {
	hosts := append(o.All("host"), o.At(0))
	procedure := o.At(len(o.Pos) - 1)
	verb := lex.First(lex.VerbWords(procedure[strings.LastIndexAny(procedure, "/.")+1:]))
	if hosted.IsDestroying(verb) && !slices.ContainsFunc(hosts, web.IsLocalHost) {
		sh.Effect(effect.DestroyRemote, effect.Part, procedure)
	}
}

// rawSocket reports reverse shells, and text that is sent to a socket.
func rawSocket(sh *shell.Shell, c shell.Command, o argv.Options) {
	joined := strings.Join(c.Args, " ")
	switch {
	case lex.Mentions(joined, "EXEC: SYSTEM: exec:"),
		!lex.OneOf(c.Name, "socat telnet") && o.Given("e= exec= c= sh-exec="):
		sh.Effect(effect.ReverseShell, effect.Socket, joined)
		return
	}
	secret.ReportCarried(sh, c, nil, o.At(0))
	secret.ReportKeys(sh, append(rows.Stdin(c), c.Args...), o.At(0))
	for _, text := range rows.Stdin(c) {
		socketText(sh, text, joined, o.At(1))
	}
	sh.Print(partial.UnknownNetwork)
}

var changesNetwork = rows.Act{Kind: effect.ChangeSystem, Op: effect.Network, To: rows.Arguments}

// socketText reports what a text does that is sent to a port, or to a socket in a file.
func socketText(sh *shell.Shell, text, to, port string) {
	if lex.OneOf(port, "6379 6380 11211") {
		for _, line := range shell.SplitLines(text) {
			database.ReportRedis(sh, strings.Fields(strings.Replace(line, "flush_all", "FLUSHALL", 1)))
		}
	}
	changes := func(word string) bool { return verbs.Of(word) >= verbs.Changes }
	if strings.Contains(to, "/") && slices.ContainsFunc(strings.Fields(text), changes) {
		sh.Effect(effect.ChangeRemote, effect.Socket, to)
	}
}

// copied returns the sources and the destination of a copy, which rclone names behind its verb.
func copied(c shell.Command, o argv.Options) (sources []string, to string) {
	if c.Name == "rclone" {
		return rows.OperandsTo(argv.Options{Pos: o.From(1)})
	}
	return rows.OperandsTo(argv.Options{Pos: o.Pos})
}

// secureCopy reports files that scp sends or writes.
func secureCopy(sh *shell.Shell, c shell.Command, o argv.Options) {
	RunSSHOptions(sh, o)
	reportSentCopies(sh, c, o)
	sources, to := copied(c, o)
	switch {
	case to == "":
	case shell.IsRemotePath(to):
		if _, path, _ := strings.Cut(to, ":"); strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
			sh.Elsewhere().Effect(effect.WriteFile, "", fspath.Clean(path))
		}
	case o.Given("r"):
		sh.Write(to)
	default:
		for _, from := range sources {
			sh.Arrives(from, to)
		}
	}
}

// transferSession reports what the commands of sftp and lftp do, and what sftp copies.
func transferSession(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, text := range append(o.All("e", "c"), rows.Stdin(c)...) {
		transferCommands(sh, text, o.At(0))
	}
	for _, batch := range o.All("b") {
		transferCommands(sh, sh.Files[sh.Path(batch)], o.At(0))
	}
	if c.Name == "sftp" {
		secureCopy(sh, c, o)
	}
}

// reportSentCopies reports secrets that a copy sends to another machine, and remembers what it brings.
func reportSentCopies(sh *shell.Shell, c shell.Command, o argv.Options) {
	sources, to := copied(c, o)
	for _, from := range sources {
		if shell.IsRemotePath(to) && !shell.IsRemotePath(from) {
			secret.ReportCarried(sh, shell.Command{}, []string{from}, to)
		}
		sh.BringsFrom(from, to)
	}
}

// Statements returns the parts of a text between its lines and semicolons.
func Statements(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;", r) })
}

// transferCommands reads the commands of sftp and lftp. Their deletions happen on the
// remote side, where others may keep files, too.
func transferCommands(sh *shell.Shell, text, host string) {
	for _, line := range Statements(text) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			sh.RunText(code)
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch strings.TrimPrefix(f[0], "-") {
		case "put", "mput", "reput":
			secret.ReportCarried(sh, shell.Command{}, f[1:], host)
		case "rm", "mrm", "rmdir":
			sh.Effect(effect.DestroyRemote, effect.Part, strings.Join(f[1:], " "))
		case "glob":
			transferCommands(sh, strings.Join(argv.ParseOptions(f[1:], "").Pos, " "), host)
		case "mirror":
			if lex.ContainsAny(f, "--delete --delete-first") {
				sh.Effect(effect.DeleteCopies, "", line)
			}
		}
	}
}

// reportCopies reports the files of this machine that a copy writes.
func reportCopies(sh *shell.Shell, c shell.Command, o argv.Options) {
	sources, to := copied(c, o)
	if to == "" || shell.IsRemotePath(to) {
		return
	}
	sh.Write(to)
	for _, from := range sources {
		if shell.IsRemotePath(from) {
			sh.Arrives(from, to)
			continue
		}
		coreutils.ReportTree(sh, to, from, strings.HasSuffix(from, "/"))
	}
}

// reportDeletedCopies reports that the destination loses the files that the sources lack.
func reportDeletedCopies(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch _, to := copied(c, o); {
	case strings.Contains(to, ":"):
		sh.Effect(effect.DeleteCopies, "", to)
	case to != "":
		sh.Effect(effect.DeleteCopies, effect.Local, sh.Path(to))
	}
}

// runInNamespace runs the command of "ip netns exec NAME".
func runInNamespace(sh *shell.Shell, c shell.Command, _ argv.Options) {
	sh.Exec(lex.After(c.Args, "exec", 2), c.In)
}

// reportMirroredFolder reports a copy that deletes files missing from its source.
func reportMirroredFolder(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if len(c.Args) > 1 {
		sh.Effect(effect.DeleteCopies, effect.Local, strings.ReplaceAll(sh.Path(c.Args[1]), "\\", "/"))
	}
}

// A requester is a row about HTTP clients: which of their options say what of a request.
type requester struct {
	Programs string
	Method   string
	body     string // a text that is sent, or "@" and the name of a file
	file     string // the name of a file that is sent
	output   string // the file that is written
	keeps    string // options with which the file has the name that it has at its host
	folder   string // the folder of that file
	joins    bool   // and of one that is named
	numbers  bool   // it has that name in any case, or a new one if there is a file
	operands bool   // operands are a method and fields, and standard input is sent
}

var Requesters = []requester{
	{
		Programs: "curl", Method: "X request",
		body: "d data data-ascii data-binary data-urlencode data-raw json F form K config",
		file: "T upload-file", output: "o output", keeps: "O remote-name", folder: "output-dir",
		joins: true,
	},
	{
		Programs: "wget", Method: "method", body: "post-data body-data", file: "post-file body-file",
		output: "O output-document output", keeps: "N timestamping", folder: "P directory-prefix",
		numbers: true,
	},
	{Programs: "lwp-request", Method: "m", operands: true},
	{Programs: "aria2c", Method: "method", output: "o out", keeps: "allow-overwrite", folder: "d dir", joins: true,
		numbers: true},
	{
		Programs: "http https xh axel fetch httpie curlie", Method: "X request method",
		body: "d data data-binary data-urlencode data-raw json F form K config", file: "T upload-file",
		output: "o output out O output-document", keeps: "remote-name download", folder: "d dir", operands: true,
	},
}

// httpClient reports the effects of an HTTP client's request and of its output files.
func httpClient(sh *shell.Shell, c shell.Command, o argv.Options) {
	i := 0
	for !lex.OneOf(c.Name, Requesters[i].Programs) {
		i++
	}
	row := &Requesters[i]
	if row.operands {
		var files []string
		for _, p := range o.Pos {
			if _, file, ok := strings.Cut(p, "@"); ok && !strings.Contains(p, "://") {
				files = append(files, file)
			}
		}
		secret.ReportCarried(sh, c, files, c.Name)
	}
	bodies := row.bodies(sh, c, o)
	r := row.request(o)
	if !o.Given("G get") {
		r.Body = strings.Join(bodies, " ")
	}
	secret.ReportFetched(sh, append(o.All("url"), o.Pos...))
	secret.ReportOutgoing(sh, c, bodies, r.URL)
	web.Request(sh, r)
	if lex.ContainsAny(lex.VerbWords(r.URL), "search suggest") { // a text that is searched for
		bodies = nil
	}
	for _, text := range bodies {
		if text = strings.TrimPrefix(text, "q="); lex.BeginsWith(strings.ToUpper(text), "DROP TRUNCATE DELETE ALTER") {
			sql.Read(sh, text) // for a database that takes SQL
		}
	}
	row.writes(sh, o, r.URL)
}

// request returns the request without its body, as far as the command shows it.
func (row *requester) request(o argv.Options) web.Sent {
	r := web.Sent{Headers: o.All("H", "header")}
	for _, method := range rows.Values(o, row.Method) {
		r.Method = method // of several the last one
	}
	urls := append(o.All("url"), o.Pos...)
	if row.operands && lex.OneOf(strings.ToUpper(o.At(0)), RequestMethods) {
		r.Method, urls = o.Pos[0], o.Pos[1:]
	}
	if i := slices.IndexFunc(urls, isAddress); i >= 0 {
		r.URL = urls[i]
	}
	if socket, ok := o.Get("unix-socket"); ok { // the address does not say which program answers there
		_, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
		r.URL = "http://" + fspath.Base(socket) + "/" + path
	}
	return r
}

// isAddress reports whether an operand of a client may be the address of a request.
func isAddress(operand string) bool {
	switch {
	case lex.Mentions(operand, ". ://"), lex.BeginsWith(operand, "localhost :"):
		return true
	}
	return partial.HasHole(operand)
}

const RequestMethods = "DELETE GET HEAD OPTIONS PATCH POST PUT"

// bodies returns the parts of a body, with the content of files as far as it is known.
func (row *requester) bodies(sh *shell.Shell, c shell.Command, o argv.Options) []string {
	var bodies []string
	for _, value := range rows.Values(o, row.body) {
		bodies = append(bodies, value)
		if i := strings.IndexAny(value, "@<"); i >= 0 {
			name, _, _ := strings.Cut(value[i+1:], ";")
			bodies = append(bodies, sentFile(sh, c, name))
		}
	}
	for _, name := range rows.Values(o, row.file) {
		bodies = append(bodies, name, sentFile(sh, c, name))
	}
	if !row.operands {
		return bodies
	}
	for _, p := range o.Pos {
		if i := strings.IndexAny(p, "=:"); i > 0 && p[i] == '=' {
			bodies = append(bodies, p)
		}
	}
	return append(bodies, rows.Stdin(c)...)
}

// sentFile returns the content of a file that is sent, "-" for the standard input.
func sentFile(sh *shell.Shell, c shell.Command, name string) string {
	if name == "-" && c.In != nil {
		return *c.In
	}
	return secret.FileText(sh, name)
}

// writes reports the file that a client writes, or prints what it gets.
func (row *requester) writes(sh *shell.Shell, o argv.Options, url string) {
	file, named := o.Get(strings.Fields(row.output)...)
	remote := fspath.Base(strings.TrimSuffix(url, "/"))
	if folder, ok := o.Get(strings.Fields(row.folder)...); ok {
		remote = folder + "/" + remote
		if file != "-" && row.joins {
			file = fspath.Join(sh.Path(folder), file)
		}
	}
	keepsName := !named && remote != ""
	switch {
	case named && file != "-":
		sh.Remember(sh.Write(file), partial.UnknownNetwork)
	case keepsName && o.Given(row.keeps):
		sh.Remember(sh.Write(remote), partial.UnknownNetwork)
	case keepsName && row.numbers:
		sh.Remember(sh.WriteAs(effect.Create, remote), partial.UnknownNetwork)
	default:
		sh.Print(partial.UnknownNetwork)
	}
}
