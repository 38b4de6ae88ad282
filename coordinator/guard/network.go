package guard

import "strings"

func networkRow(name string) row {
	switch name {
	case "curl", "wget", "http", "https", "xh", "aria2c", "fetch", "lwp-request", "httpie", "curlie":
		return httpClient
	case "nc", "ncat", "netcat", "socat", "telnet":
		return rawSocket
	case "scp", "sftp", "rcp":
		return secureCopy
	case "rsync", "rclone", "unison", "lftp":
		return syncCopies
	case "robocopy":
		return func(sh *shell, c command) {
			if low := strings.ToLower(strings.Join(c.args, " ")); len(c.args) > 1 && (strings.Contains(low, "/mir") || strings.Contains(low, "/purge")) {
				sh.effect(DeleteCopies, "local", strings.ReplaceAll(sh.path(c.args[1]), "\\", "/"))
			}
		}
	case "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "pfctl", "ipset", "ebtables":
		return firewall
	case "ip", "ifconfig", "ifdown", "nmcli", "route", "networksetup", "tc", "ipconfig", "netplan", "wg-quick":
		return interfaces
	case "nsupdate":
		return func(sh *shell, c command) { sh.effect(ChangeRemote, "dns", "nsupdate") }
	case "ssh-add":
		return func(sh *shell, c command) {
			if o := parseOptions(c.args, "t s e"); o.short('D') || o.short('d') {
				sh.effect(ChangeSystem, "keys of the agent", "")
			}
		}
	case "mail", "mailx", "sendmail", "mutt", "msmtp", "swaks":
		return func(sh *shell, c command) {
			if c.in != nil && strings.ContainsRune(*c.in, holeSecret) {
				sh.effect(SendOut, "secret", "mail")
				return
			}
			sh.effect(SendOut, "mail", strings.Join(parseOptions(c.args, "s a").pos, " "))
		}
	case "ngrok", "localtunnel", "lt", "bore":
		return func(sh *shell, c command) { sh.effect(PublishOut, c.name, "tunnel") }
	case "nmap", "masscan", "hydra", "sqlmap", "nikto", "aircrack-ng", "arpspoof", "ettercap", "tcpdump", "wireshark", "tshark":
		return scanners
	}
	return nil
}

func scanners(sh *shell, c command) {
	if o := parseOptions(c.args, "z G W w i"); c.name == "tcpdump" {
		if code, ok := o.get("z"); ok {
			sh.run(code, nil)
		}
	}
}

func httpClient(sh *shell, c command) {
	o := parseOptions(c.args, "X d o O_ H u A e F T b c x K w m C E r U Q P request data data-raw data-binary data-urlencode data-ascii json form upload-file output header user user-agent cookie "+
		"cookie-jar config write-out max-time connect-timeout retry url cacert cert key proxy resolve post-data post-file body-data method body-file output-document directory-prefix referer execute timeout tries unix-socket dir out")
	if c.name != "wget" && c.name != "curl" {
		sh.plainHTTP(c, o)
	}
	host := ""
	for _, p := range append(o.all("url"), o.pos...) {
		if strings.Contains(p, ".") || strings.Contains(p, "://") || strings.HasPrefix(p, "localhost") || hasHole(p) {
			host = p
			break
		}
	}
	sh.fetched(append(o.all("url"), o.pos...))
	sh.outgoing(c, o, host)
	method := ""
	if given := o.all("X", "request", "method"); len(given) > 0 {
		method = given[len(given)-1] // the last one counts
	}
	sh.httpMethod(strings.ToUpper(method), host, o)
	if f, ok := o.get("o", "output", "out"); ok && f != "-" && !(c.name == "wget" && !o.exact("output")) {
		sh.remember(sh.write(f), unknownNetwork)
		return
	}
	if f, ok := o.get("O", "output-document"); ok && f != "-" {
		sh.remember(sh.write(f), unknownNetwork)
		return
	}
	if o.short('O') && c.name == "curl" || o.exact("remote-name") || c.name == "wget" && !wgetStdout(c.args) {
		name := baseName(strings.TrimSuffix(host, "/"))
		if wf := wgetFile(c); wf != "" {
			if wf != "-" {
				sh.remember(sh.write(wf), unknownNetwork)
				return
			}
		} else if name != "" {
			sh.remember(sh.path(name), unknownNetwork)
			return
		}
	}
	sh.print(unknownNetwork)
}

func wgetStdout(args []string) bool {
	for i, a := range args {
		if a == "-O-" || a == "-qO-" || strings.HasSuffix(a, "O-") || strings.HasPrefix(a, "-") && strings.HasSuffix(a, "O") && i+1 < len(args) && args[i+1] == "-" || a == "--output-document=-" {
			return true
		}
	}
	return false
}

func wgetFile(c command) string {
	if c.name != "wget" {
		return ""
	}
	for i, a := range c.args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "O") && i+1 < len(c.args) {
			return c.args[i+1]
		}
	}
	return ""
}

// plainHTTP reads httpie's METHOD as an operand.
func (sh *shell) plainHTTP(c command, o options) {
	files := []string{}
	for _, p := range o.pos {
		if i := strings.IndexByte(p, '@'); i >= 0 && !strings.Contains(p, "://") {
			files = append(files, p[i+1:])
		}
	}
	sh.carries(c, files, c.name)
	if len(o.pos) > 1 && oneOf(strings.ToUpper(o.pos[0]), "DELETE PUT PATCH POST") {
		sh.httpMethod(strings.ToUpper(o.pos[0]), o.pos[1], o)
	}
}

// httpMethod: a DELETE destroys what its address names, except on a
// developer's own machine; stores listen there on ports of their own.
func (sh *shell) httpMethod(method, url string, o options) {
	path := url
	if i := strings.Index(path, "://"); i >= 0 {
		path = path[i+3:]
	}
	host, path, _ := strings.Cut(path, "/")
	local := strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "0.0.0.0") || strings.HasPrefix(host, "[::1]")
	store := false
	for _, port := range [...]string{":9200", ":9201", ":7700", ":8108", ":5984", ":8983", ":6333", ":8529", ":2379", ":8500", ":8200", ":8001", ":8444", ":15672", ":4222", ":8222"} {
		store = store || strings.HasSuffix(host, port)
	}
	body := strings.Join(o.all("d", "data", "data-raw", "data-binary", "json", "post-data"), " ")
	switch {
	case method == "DELETE" && (!local || store):
		op := "part"
		if hostedWhole(host, path) {
			op = "teardown"
		}
		if store && strings.Count(strings.Trim(path, "/"), "/") == 0 && !strings.Contains(host, ":8001") {
			op = "teardown"
		}
		sh.effect(DestroyRemote, op, url)
	case store && containsAny(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '?' }), "_delete_by_query _close _shrink _freeze delete-batch _reindex _settings documents"):
		if strings.Contains(path, "delete") || strings.Contains(path, "_close") || strings.Contains(path, "_freeze") {
			sh.effect(DestroyRemote, "part", url)
		}
	case store && (method == "PUT" || method == "POST") && strings.HasPrefix(path, "_cluster/"):
		sh.effect(ChangeRemote, "cluster settings", url)
	case method == "POST" && !local && oneOf(baseName(strings.TrimSuffix(path, "/")), "shutdown quit quitquitquit restart"):
		sh.effect(StopService, "http", url)
	case method == "POST" && hasWord(verbWords(path), "delete destroy purge terminate truncate wipe revoke"):
		sh.effect(ChangeRemote, "http", url)
	case strings.Contains(body, "mutation") && hasWord(verbWords(body), "delete destroy"):
		sh.effect(DestroyRemote, "part", url)
	}
}

// hostedWhole is true of an address at a provider's own API that names a whole
// thing: a repository, a project, a database.
func hostedWhole(host, path string) bool {
	if !strings.HasPrefix(host, "api.") && !strings.HasPrefix(host, "gitlab.") && !strings.HasPrefix(host, "management.azure.") && !strings.HasSuffix(host, ".googleapis.com") {
		return false
	}
	path, _, _ = strings.Cut(strings.Trim(path, "/"), "?")
	seg := strings.Split(path, "/")
	if n := len(seg); n > 1 && oneOf(seg[n-2], wholeNouns) {
		return true
	}
	return len(seg) == 3 && seg[0] == "repos"
}

// outgoing reports secrets in what a request carries: known ones in its body
// and its address, possible ones in its headers, where a token belongs.
func (sh *shell) outgoing(c command, o options, host string) {
	for _, f := range o.all("d", "data", "data-binary", "data-urlencode", "data-raw", "json", "F", "form", "T", "upload-file", "post-file", "body-file", "post-data", "K", "config") {
		name := f
		if i := strings.IndexAny(f, "@<"); i >= 0 {
			name = f[i+1:]
		}
		if i := strings.IndexByte(name, ';'); i > 0 {
			name = name[:i]
		}
		piped := name == "-" && c.in != nil
		if strings.ContainsRune(f, holeSecret) || piped && strings.ContainsRune(*c.in, holeSecret) {
			sh.effect(SendOut, "secret", host)
			return
		}
		if piped && strings.ContainsRune(*c.in, holeKey) {
			sh.possible(SendOut, "secret", host)
		}
		if name != f || o.exact("T", "upload-file", "post-file", "body-file") {
			if text := sh.fileText(name); strings.ContainsRune(text, holeSecret) {
				sh.effect(SendOut, "secret", host)
				return
			}
		}
	}
	if strings.ContainsRune(host, holeSecret) {
		sh.effect(SendOut, "secret", host)
		return
	}
	for _, a := range c.args {
		if strings.ContainsRune(a, holeSecret) {
			sh.possible(SendOut, "secret", host)
			return
		}
	}
	sh.keysLeave(append(o.all("d", "data", "data-raw", "data-binary", "data-urlencode", "json", "F", "form", "post-data"), host), host)
}

// fileText is the content of a file as far as it matters for what leaves.
func (sh *shell) fileText(name string) string {
	p := sh.path(name)
	if text, ok := sh.files[p]; ok {
		return text
	}
	if secretPath(p, sh.place.home) {
		return unknownSecret
	}
	return unknown
}

func rawSocket(sh *shell, c command) {
	o := parseOptions(c.args, "e c p s w q i X x sh-exec exec")
	joined := strings.Join(c.args, " ")
	if _, ok := o.get("e", "exec", "c", "sh-exec"); ok && c.name != "socat" || strings.Contains(joined, "EXEC:") || strings.Contains(joined, "SYSTEM:") || strings.Contains(joined, "exec:") {
		sh.effect(ReverseShell, "socket", joined)
		return
	}
	sh.carries(c, nil, o.at(0))
	if c.in != nil && oneOf(o.at(1), "6379 6380 11211") {
		for _, line := range splitLines(*c.in) {
			sh.redisCommand(strings.Fields(strings.Replace(line, "flush_all", "FLUSHALL", 1)))
		}
	}
	if c.in != nil && strings.Contains(joined, "/") && hasWord(strings.Fields(*c.in), destroyVerbs+" "+changeVerbs) {
		sh.effect(ChangeRemote, "socket", joined)
	}
	sh.print(unknownNetwork)
}

func isRemotePath(p string) bool {
	i := strings.IndexByte(p, ':')
	return i > 1 && !strings.Contains(p[:i], "/") && !hasHole(p[:1]) || strings.Contains(p, "://")
}

func secureCopy(sh *shell, c command) {
	o := parseOptions(c.args, "P i F o c S l J D X b B R")
	if c.name == "sftp" && c.in != nil {
		sh.transferCommands(*c.in, o.at(0))
	}
	if batch, ok := o.get("b"); ok && c.name == "sftp" {
		sh.transferCommands(sh.files[sh.path(batch)], o.at(0))
	}
	if len(o.pos) < 2 {
		return
	}
	to := o.pos[len(o.pos)-1]
	for _, from := range o.pos[:len(o.pos)-1] {
		if isRemotePath(to) && !isRemotePath(from) && strings.ContainsRune(sh.fileText(from), holeSecret) {
			sh.effect(SendOut, "secret", to)
		}
		sh.bringsFrom(from, to)
	}
	sh.writeTo(to)
}

// transferCommands reads what sftp and lftp are told: what they delete goes on
// the other side, for everybody who keeps files there.
func (sh *shell) transferCommands(text, host string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			sh.runText(code)
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch strings.TrimPrefix(f[0], "-") {
		case "put", "mput", "reput":
			sh.carries(command{}, f[1:], host)
		case "rm", "mrm", "rmdir", "glob":
			if f[0] != "glob" || oneOf(parseOptions(f[1:], "").at(0), "rm rmdir") {
				sh.effect(DestroyRemote, "part", strings.Join(f[1:], " "))
			}
		case "mirror":
			if containsAny(f, "--delete --delete-first") {
				sh.effect(DeleteCopies, "", line)
			}
		}
	}
}

// writeTo reports the destination of a copy, here or on the host it names.
func (sh *shell) writeTo(to string) {
	if !isRemotePath(to) {
		sh.write(to)
		return
	}
	away := sh.sub()
	away.place = remotePlace()
	if _, p, ok := strings.Cut(to, ":"); ok && strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "//") {
		away.effect(WriteFile, "", cleanPath(p))
	}
}

func syncCopies(sh *shell, c command) {
	o := parseOptions(c.args, "e f T B exclude include filter files-from rsh rsync-path password-file log-file bwlimit port timeout backup-dir config transfers checkers")
	if o.short('n') || o.exact("dry-run") {
		return
	}
	if c.name == "rclone" {
		sh.rclone(o)
		return
	}
	if c.name == "lftp" {
		o = parseOptions(c.args, "e c f p u")
		for _, code := range o.all("e", "c") {
			sh.transferCommands(code, o.at(0))
		}
		if c.in != nil {
			sh.transferCommands(*c.in, o.at(0))
		}
		return
	}
	if rsh, ok := o.get("e", "rsh"); ok && strings.Contains(rsh, " ") {
		sh.run(rsh, nil)
	}
	if code, ok := o.get("rsync-path"); ok && strings.Contains(code, " ") {
		child := sh.sub()
		child.place = remotePlace()
		child.run(code, nil)
	}
	if len(o.pos) < 2 {
		return
	}
	to := o.pos[len(o.pos)-1]
	for _, from := range o.pos[:len(o.pos)-1] {
		if isRemotePath(to) && !isRemotePath(from) && strings.ContainsRune(sh.fileText(from), holeSecret) {
			sh.effect(SendOut, "secret", to)
		}
		sh.bringsFrom(from, to)
	}
	for _, f := range o.flags {
		if strings.HasPrefix(f.name, "del") || f.name == "remove-source-files" {
			sh.rsyncDelete(o, to, f.name)
			return
		}
	}
	if !isRemotePath(to) {
		sh.write(to)
	}
}

func (sh *shell) rsyncDelete(o options, to, flag string) {
	if flag == "remove-source-files" {
		for _, from := range o.pos[:len(o.pos)-1] {
			sh.effect(DeleteTree, "", sh.path(from))
		}
		return
	}
	if isRemotePath(to) {
		sh.effect(DeleteCopies, "", to)
		return
	}
	sh.effect(DeleteCopies, "local", sh.path(to))
}

func (sh *shell) rclone(o options) {
	if oneOf(o.at(0), "copy copyto sync move moveto") && strings.Contains(o.at(2), ":") {
		sh.carries(command{}, o.pos[1:2], o.at(2))
	}
	switch o.at(0) {
	case "sync", "bisync":
		if strings.Contains(o.at(2), ":") {
			sh.effect(DeleteCopies, "", o.at(2))
		} else {
			sh.effect(DeleteCopies, "local", sh.path(o.at(2)))
		}
	case "delete", "purge", "deletefile", "rmdir", "rmdirs", "cleanup", "dedupe", "backend":
		sh.effect(DestroyRemote, "teardown", o.at(1))
	case "move", "moveto":
		sh.effect(ChangeRemote, "move", o.at(1))
	}
}

func firewall(sh *shell, c command) {
	o := parseOptions(c.args, "t p s d j i o m dport sport")
	if o.exact("L", "S", "list", "n", "list-all", "state", "get-active-zones", "sr", "si") || oneOf(o.at(0), "status list show") || o.exact("s") && c.name == "pfctl" {
		return
	}
	if len(c.args) > 0 {
		sh.effect(ChangeSystem, "firewall", strings.Join(c.args, " "))
	}
}

func interfaces(sh *shell, c command) {
	if verb, _, _ := strings.Cut(strings.TrimPrefix(first(c.args), "-"), " "); c.name == "networksetup" {
		for _, change := range [...]string{"set", "remove", "delete", "create", "rename", "import", "order"} {
			if strings.HasPrefix(verb, change) {
				sh.effect(ChangeSystem, "network", strings.Join(c.args, " "))
				return
			}
		}
	}
	if containsAny(c.args, "down del delete flush off disable -setairportpower") && !containsAny(c.args, "show list -getinfo") {
		sh.effect(ChangeSystem, "network", strings.Join(c.args, " "))
	}
}
