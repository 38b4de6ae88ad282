package guard

import "strings"

// Programs that show what lies in a file without being made for it. Most files
// are nobody's business: only credentials are reported.

// showsFiles reports credentials among the files that a program prints.
func (sh *shell) showsFiles(files []string) {
	for _, f := range files {
		if sh.holdsSecret(f) {
			sh.print(sh.read(f))
		}
	}
}

func (sh *shell) holdsSecret(file string) bool {
	return sh.place.away == "" && secretPath(sh.path(file), sh.place.home)
}

// dataQuery is jq or yq: an expression, then files.
func dataQuery(sh *shell, c command) {
	o := parseOptions(c.args, "f L indent from-file arg argjson slurpfile rawfile p o")
	files := o.pos
	if oneOf(first(files), "e eval ea eval-all") {
		files = files[1:]
	}
	if _, ok := o.get("f", "from-file"); !ok && len(files) > 0 {
		files = files[1:]
	}
	for i, a := range c.args {
		if oneOf(a, "--slurpfile --rawfile") && i+2 < len(c.args) {
			files = append(files, c.args[i+2])
		}
	}
	sh.showsFiles(files)
	quiet(sh, c)
}

// keyTool is ssh-keygen, which prints what belongs to a private key.
func keyTool(sh *shell, c command) {
	o := parseOptions(c.args, "f t b C N P m I n V O")
	if file, ok := o.get("f"); ok && (o.short('y') || o.short('e') || o.short('p')) {
		sh.showsFiles([]string{file})
	}
}

// opened reports credentials that an editor opens.
func (sh *shell) opened(c command) {
	if oneOf(c.name, "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak") {
		sh.showsFiles(parseOptions(c.args, "c u S T").pos)
	}
}

// fetched reports what a client of the network fetches from this machine or its
// cloud: a local file by its URL, the credentials of the machine itself.
func (sh *shell) fetched(urls []string) {
	for _, u := range urls {
		if file, ok := strings.CutPrefix(strings.ToLower(u), "file://"); ok {
			sh.showsFiles([]string{u[len(u)-len(strings.TrimPrefix(file, "localhost")):]})
		}
		if metadataURL(u) {
			sh.effect(RevealSecret, "credentials of the machine", u)
		}
	}
}

// metadataURL is true of the address at which a cloud hands a machine its own
// credentials.
func metadataURL(u string) bool {
	host := strings.ToLower(u)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	for _, name := range [...]string{"169.254.169.254", "169.254.170.2", "metadata.google.internal", "[fd00:ec2::254]", "100.100.100.200"} {
		if rest, ok := strings.CutPrefix(host, name); ok && (rest == "" || strings.IndexByte("/:?", rest[0]) >= 0) {
			return true
		}
	}
	return false
}
