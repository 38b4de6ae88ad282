package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// networkPrograms are the programs of this file, with what each does.
var networkPrograms = []table{
	{
		programs: "curl",
		options: "X d o u A e F T b c x K w m C E r U Q P H request data data-raw data-binary data-urlencode " +
			"data-ascii json form upload-file output header user user-agent cookie cookie-jar config write-out " +
			"max-time connect-timeout retry url output-dir cacert cert key proxy resolve referer unix-socket",
		keeps: "no-clobber", do: httpClient,
	},
	{
		programs: "wget",
		options: "O o P e a i t T U w Q A R D I X l B output-document output output-file directory-prefix execute " +
			"header post-data post-file body-data body-file method user-agent referer timeout tries user password " +
			"input-file proxy use-askpass!",
		keeps: "c continue no-clobber", do: httpClient,
	},
	{
		programs: "http https xh axel fetch lwp-request httpie curlie",
		options: "X d o H u A e F T b c x K w m C E r U Q P request data data-raw data-binary data-urlencode " +
			"data-ascii json form upload-file output header user cookie config timeout url cert key proxy method " +
			"dir out output-document",
		do: httpClient,
	},
	{
		programs: "aria2c",
		options:  "o d i x s j k out dir input-file header allow-overwrite split method continue?",
		keeps:    "c continue",
		do:       httpClient,
	},
	{
		programs: "grpcurl evans", options: "- d H authority cacert cert key proto import-path protoset host port",
		do: callsRemote,
	},
	{programs: "telnet", options: "e l b n S X", do: rawSocket},
	{programs: "nc ncat netcat socat", options: "e c p s w q i X x sh-exec exec", do: rawSocket},
	{programs: "scp rcp", options: "P i F o c S! l J D X", do: secureCopy},
	{programs: "sftp", options: "P i F o c S! l J D X b B R", do: transferSession},
	{
		programs: "rsync unison",
		options: "e! f T B exclude include filter files-from rsh! rsync-path password-file log-file bwlimit port " +
			"timeout backup-dir",
		dry: "n dry-run", keeps: "ignore-existing b backup",
		rows: []row{
			{given: "rsync-path", goOn: true, runs: &start{text: valueOf("rsync-path"), away: true}},
			{goOn: true, also: sendsCopies},
			{given: "remove-source-files", goOn: true, does: effect.DeleteTree, to: files{allButLast}},
			{
				given: "del delete delete-before delete-during delete-delay delete-after delete-excluded " +
					"delete-missing-args",
				also: deletesCopies,
			},
			{without: "remove-source-files", also: writesCopies},
		},
	},
	{programs: "lftp", options: "e c f p u", do: transferSession},
	{programs: "rclone", options: "config transfers checkers exclude include filter", dry: "n dry-run", rows: []row{
		{words: "copy|copyto|sync|move|moveto", goOn: true, also: copiesOut},
		{words: "copyto|moveto", goOn: true, also: writesCopies},
		{words: "sync|bisync", also: deletesCopies},
		{
			words: "delete|purge|deletefile|rmdir|rmdirs|cleanup|dedupe|backend",
			does:  effect.DestroyRemote, op: effect.Teardown, to: operand(1),
		},
		{words: "move|moveto", does: effect.ChangeRemote, op: effect.Move, to: operand(1)},
	}},
	{programs: "mail mailx sendmail mutt msmtp swaks zulip-send", options: "s a", do: sendsMail},
	{programs: "robocopy", rows: []row{{mention: "/mir /purge", also: mirrorsFolder}}},
	{
		programs: "iptables ip6tables nft ufw firewall-cmd pfctl ipset ebtables",
		options:  "t p s d j i o m dport sport", dry: "L S list n list-all state get-active-zones sr si",
		rows: []row{
			{words: "status|list|show"},
			{of: "pfctl", given: "s"},
			{bare: true},
			{does: effect.ChangeSystem, op: "firewall", to: arguments},
		},
	},
	{programs: "networksetup ip ifconfig ifdown nmcli route tc ipconfig netplan wg-quick resolvectl rfkill " +
		"networkctl", rows: []row{
		{
			of: "networksetup", first: "-set*|-remove*|-delete*|-create*|-rename*|-import*|-order*|" +
				"set*|remove*|delete*|create*|rename*|import*|order*",
			as: &changesNetwork,
		},
		{of: "ip", words: "netns exec", also: runsInNamespace},
		{args: "show|list|-getinfo"},
		{of: "resolvectl", words: "dns|domain|default-route|revert *", as: &changesNetwork},
		{of: "rfkill", words: "block", as: &changesNetwork},
		{of: "ifdown", words: "*", as: &changesNetwork},
		{of: "tc", words: "* add|replace|change", as: &changesNetwork},
		{args: "blackhole|unreachable|prohibit|throw|reject|-reject|-blackhole|replace", as: &changesNetwork},
		{
			args: "down|del|delete|flush|off|disable|-setairportpower",
			as:   &changesNetwork,
		},
	}},
	{programs: "nsupdate", rows: []row{{does: effect.ChangeRemote, op: "dns", to: programName}}},
	{
		programs: "ssh-add", options: "t s e",
		rows: []row{{given: "D d", does: effect.ChangeSystem, op: "keys of the agent"}},
	},
	{programs: "websocat", rows: []row{
		{mention: "sh-c: exec: cmd:", does: effect.ReverseShell, op: effect.Socket, to: arguments},
	}},
	{programs: "ssh-copy-id", options: "i p o F t", dry: "n h", rows: []row{
		{words: "*", does: effect.ChangeRemote, op: effect.Rights, to: operandsFrom(0)},
	}},
	{programs: "ngrok localtunnel lt bore tmate ttyd gotty sshx upterm frpc zrok", dry: "version h", rows: []row{
		{does: effect.PublishOut, opOf: programName, to: text("tunnel")},
	}},
	{programs: "tcpdump", options: "z! G W w i"},
	{programs: "nmap masscan hydra sqlmap nikto aircrack-ng arpspoof ettercap wireshark tshark"},
}

// sendsMail reports a message, and a secret in its text.
func sendsMail(sh *shell.Shell, c shell.Command, o shell.Options) {
	if hasMark(stdin(c), partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.Secret, "mail")
		return
	}
	sh.Effect(effect.SendOut, effect.Named("mail"), strings.Join(o.Pos, " "))
}

// callsRemote reports a procedure of another machine whose name says that it destroys something.
func callsRemote(sh *shell.Shell, _ shell.Command, o shell.Options) {
	hosts := append(o.All("host"), o.At(0))
	procedure := o.At(len(o.Pos) - 1)
	verb := lex.First(lex.VerbWords(procedure[strings.LastIndexAny(procedure, "/.")+1:]))
	if isDestroying(verb) && !slices.ContainsFunc(hosts, web.IsLocalHost) {
		sh.Effect(effect.DestroyRemote, effect.Part, procedure)
	}
}

// rawSocket reports reverse shells, and text that is sent to a socket.
func rawSocket(sh *shell.Shell, c shell.Command, o shell.Options) {
	joined := strings.Join(c.Args, " ")
	switch {
	case lex.Mentions(joined, "EXEC: SYSTEM: exec:"),
		!lex.OneOf(c.Name, "socat telnet") && o.Given("e= exec= c= sh-exec="):
		sh.Effect(effect.ReverseShell, effect.Socket, joined)
		return
	}
	Carries(sh, c, nil, o.At(0))
	keysLeave(sh, append(stdin(c), c.Args...), o.At(0))
	for _, text := range stdin(c) {
		socketText(sh, text, joined, o.At(1))
	}
	sh.Print(partial.UnknownNetwork)
}

var changesNetwork = act{kind: effect.ChangeSystem, op: effect.Network, to: arguments}

// socketText reports what a text does that is sent to a port, or to a socket in a file.
func socketText(sh *shell.Shell, text, to, port string) {
	if lex.OneOf(port, "6379 6380 11211") {
		for _, line := range shell.SplitLines(text) {
			redisCommand(sh, strings.Fields(strings.Replace(line, "flush_all", "FLUSHALL", 1)))
		}
	}
	changes := func(word string) bool { return verbs.Of(word) >= verbs.Changes }
	if strings.Contains(to, "/") && slices.ContainsFunc(strings.Fields(text), changes) {
		sh.Effect(effect.ChangeRemote, effect.Socket, to)
	}
}

// copied returns the sources and the destination of a copy, which rclone names behind its verb.
func copied(c shell.Command, o shell.Options) (sources []string, to string) {
	if c.Name == "rclone" {
		return operandsTo(shell.Options{Pos: o.From(1)})
	}
	return operandsTo(shell.Options{Pos: o.Pos})
}

// secureCopy reports files that scp sends or writes.
func secureCopy(sh *shell.Shell, c shell.Command, o shell.Options) {
	sshOptions(sh, o)
	sendsCopies(sh, c, o)
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
func transferSession(sh *shell.Shell, c shell.Command, o shell.Options) {
	for _, text := range append(o.All("e", "c"), stdin(c)...) {
		transferCommands(sh, text, o.At(0))
	}
	for _, batch := range o.All("b") {
		transferCommands(sh, sh.Files[sh.Path(batch)], o.At(0))
	}
	if c.Name == "sftp" {
		secureCopy(sh, c, o)
	}
}

// sendsCopies reports secrets that a copy sends to another machine, and remembers what it brings.
func sendsCopies(sh *shell.Shell, c shell.Command, o shell.Options) {
	sources, to := copied(c, o)
	for _, from := range sources {
		if shell.IsRemotePath(to) && !shell.IsRemotePath(from) {
			Carries(sh, shell.Command{}, []string{from}, to)
		}
		sh.BringsFrom(from, to)
	}
}

// statements returns the parts of a text between its lines and semicolons.
func statements(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;", r) })
}

// transferCommands reads the commands of sftp and lftp. Their deletions happen on the
// remote side, where others may keep files, too.
func transferCommands(sh *shell.Shell, text, host string) {
	for _, line := range statements(text) {
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
			Carries(sh, shell.Command{}, f[1:], host)
		case "rm", "mrm", "rmdir":
			sh.Effect(effect.DestroyRemote, effect.Part, strings.Join(f[1:], " "))
		case "glob":
			transferCommands(sh, strings.Join(shell.ParseOptions(f[1:], "").Pos, " "), host)
		case "mirror":
			if lex.ContainsAny(f, "--delete --delete-first") {
				sh.Effect(effect.DeleteCopies, "", line)
			}
		}
	}
}

// writesCopies reports the files of this machine that a copy writes.
func writesCopies(sh *shell.Shell, c shell.Command, o shell.Options) {
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
		copiesTree(sh, to, from, strings.HasSuffix(from, "/"))
	}
}

// deletesCopies reports that the destination loses the files that the sources lack.
func deletesCopies(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch _, to := copied(c, o); {
	case strings.Contains(to, ":"):
		sh.Effect(effect.DeleteCopies, "", to)
	case to != "":
		sh.Effect(effect.DeleteCopies, effect.Local, sh.Path(to))
	}
}

// runsInNamespace runs the command of "ip netns exec NAME".
func runsInNamespace(sh *shell.Shell, c shell.Command, _ shell.Options) {
	sh.Exec(lex.After(c.Args, "exec", 2), c.In)
}

// mirrorsFolder reports a copy that deletes files missing from its source.
func mirrorsFolder(sh *shell.Shell, c shell.Command, _ shell.Options) {
	if len(c.Args) > 1 {
		sh.Effect(effect.DeleteCopies, effect.Local, strings.ReplaceAll(sh.Path(c.Args[1]), "\\", "/"))
	}
}

// A requester is a row about HTTP clients: which of their options say what of a request.
type requester struct {
	programs string
	method   string
	body     string // a text that is sent, or "@" and the name of a file
	file     string // the name of a file that is sent
	output   string // the file that is written
	keeps    string // options with which the file has the name that it has at its host
	folder   string // the folder of that file
	joins    bool   // and of one that is named
	numbers  bool   // it has that name in any case, or a new one if there is a file
	operands bool   // operands are a method and fields, and standard input is sent
}

var requesters = []requester{
	{
		programs: "curl", method: "X request",
		body: "d data data-ascii data-binary data-urlencode data-raw json F form K config",
		file: "T upload-file", output: "o output", keeps: "O remote-name", folder: "output-dir",
		joins: true,
	},
	{
		programs: "wget", method: "method", body: "post-data body-data", file: "post-file body-file",
		output: "O output-document output", keeps: "N timestamping", folder: "P directory-prefix",
		numbers: true,
	},
	{programs: "lwp-request", method: "m", operands: true},
	{programs: "aria2c", method: "method", output: "o out", keeps: "allow-overwrite", folder: "d dir", joins: true,
		numbers: true},
	{
		programs: "http https xh axel fetch httpie curlie", method: "X request method",
		body: "d data data-binary data-urlencode data-raw json F form K config", file: "T upload-file",
		output: "o output out O output-document", keeps: "remote-name download", folder: "d dir", operands: true,
	},
}

// values returns the values of options that are separated by blanks.
func values(o shell.Options, names string) []string { return o.All(strings.Fields(names)...) }

// httpClient reports the effects of an HTTP client's request and of its output files.
func httpClient(sh *shell.Shell, c shell.Command, o shell.Options) {
	i := 0
	for !lex.OneOf(c.Name, requesters[i].programs) {
		i++
	}
	row := &requesters[i]
	if row.operands {
		var files []string
		for _, p := range o.Pos {
			if _, file, ok := strings.Cut(p, "@"); ok && !strings.Contains(p, "://") {
				files = append(files, file)
			}
		}
		Carries(sh, c, files, c.Name)
	}
	bodies := row.bodies(sh, c, o)
	r := row.request(o)
	if !o.Given("G get") {
		r.Body = strings.Join(bodies, " ")
	}
	reportFetched(sh, append(o.All("url"), o.Pos...))
	outgoing(sh, c, bodies, r.URL)
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
func (row *requester) request(o shell.Options) web.Sent {
	r := web.Sent{Headers: o.All("H", "header")}
	for _, method := range values(o, row.method) {
		r.Method = method // of several the last one
	}
	urls := append(o.All("url"), o.Pos...)
	if row.operands && lex.OneOf(strings.ToUpper(o.At(0)), requestMethods) {
		r.Method, urls = o.Pos[0], o.Pos[1:]
	}
	if i := slices.IndexFunc(urls, isAddress); i >= 0 {
		r.URL = urls[i]
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

const requestMethods = "GET HEAD OPTIONS POST PUT PATCH DELETE"

// bodies returns the parts of a body, with the content of files as far as it is known.
func (row *requester) bodies(sh *shell.Shell, c shell.Command, o shell.Options) []string {
	var bodies []string
	for _, value := range values(o, row.body) {
		bodies = append(bodies, value)
		if i := strings.IndexAny(value, "@<"); i >= 0 {
			name, _, _ := strings.Cut(value[i+1:], ";")
			bodies = append(bodies, sentFile(sh, c, name))
		}
	}
	for _, name := range values(o, row.file) {
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
	return append(bodies, stdin(c)...)
}

// sentFile returns the content of a file that is sent, "-" for the standard input.
func sentFile(sh *shell.Shell, c shell.Command, name string) string {
	if name == "-" && c.In != nil {
		return *c.In
	}
	return fileText(sh, name)
}

// writes reports the file that a client writes, or prints what it gets.
func (row *requester) writes(sh *shell.Shell, o shell.Options, url string) {
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
