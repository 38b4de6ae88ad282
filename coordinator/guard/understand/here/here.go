// Package here knows what is on this machine or for the session alone: emulators of services, clusters and databases
// for tests. What is lost there is nobody else's.
package here

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A client of a cloud or of a cluster may be told to talk to this machine: to an emulator, or to
// a cluster in containers. What it does there affects only the developer.

// An Emulated row says how clients are told where their service is: by options, by switches, or by
// variables. To a variable that ends in "_", the service is added that the client names first. What
// the options of tests name has to be for tests, too.
type Emulated struct{ programs, options, variables, switches, tests string }

const storageEmulators = "FIRESTORE_EMULATOR_HOST FIREBASE_DATABASE_EMULATOR_HOST STORAGE_EMULATOR_HOST"

var emulators = []Emulated{
	{programs: "aws awslocal", options: "endpoint-url", variables: "AWS_ENDPOINT_URL_ AWS_ENDPOINT_URL"},
	{programs: "sam cdk copilot", variables: "AWS_ENDPOINT_URL"},
	{programs: "s3cmd s5cmd", options: "host endpoint-url", variables: "S3_ENDPOINT_URL"},
	{programs: "gcloud", variables: "CLOUDSDK_API_ENDPOINT_OVERRIDES_"},
	{programs: "gsutil firebase", options: "o", variables: storageEmulators},
	{programs: "bq", options: "api"},
	{
		programs: "az azcopy", options: "connection-string blob-endpoint queue-endpoint table-endpoint",
		variables: "AZURE_STORAGE_CONNECTION_STRING",
	},
	{programs: "mc", variables: "MC_HOST_"},
	{programs: "cast forge hardhat truffle", options: "rpc-url r network", variables: "ETH_RPC_URL"},
	{programs: "solana", options: "u url"},
	{programs: "wrangler supabase", options: "db-url", switches: "local"},
	{
		programs: "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs " +
			"kafka-configs.sh kafka-delete-records kafka-delete-records.sh kafka-acls kafka-acls.sh",
		options: "bootstrap-server zookeeper", tests: "topic group entity-name",
	},
	{programs: "temporal tctl", options: "address", variables: "TEMPORAL_ADDRESS"},
	{
		programs: "kubectl k oc kubecolor helm istioctl velero flux linkerd",
		options:  "context kube-context server s kube-apiserver", variables: KubeContext,
	},
}

// KubeContext is where the cluster is remembered that a command of this call chooses.
const KubeContext = "kube-context"

// EmulatorOf returns the row of a client, or nil.
func EmulatorOf(name string) *Emulated {
	for i := range emulators {
		if lex.OneOf(name, emulators[i].programs) {
			return &emulators[i]
		}
	}
	return nil
}

// pointsHere reports whether a client talks to a service on this machine. A nil row is that of
// any other program.
func (e *Emulated) IsHere(sh *shell.Shell, c shell.Command) bool {
	if e == nil || sh.Place.Away == shell.RemotePlace().Away {
		return false
	}
	o := argv.ParseOptions(c.Args, CommonValues+" "+e.options+" "+e.tests)
	if told := o.All(strings.Fields(e.options)...); len(told) > 0 {
		named := strings.Join(o.All(strings.Fields(e.tests)...), ",")
		return !slices.ContainsFunc(told, IsElsewhere) && (e.tests == "" || lex.ForTests(named))
	}
	if o.Given(e.switches) {
		return true
	}
	for name := range strings.FieldsSeq(e.variables) {
		if strings.HasSuffix(name, "_") {
			name += serviceNamed(c.Name, o)
		}
		if told, ok := sh.Lookup(name); ok {
			return !slices.ContainsFunc(told, IsElsewhere)
		}
	}
	switch c.Name {
	case "awslocal":
		return true
	case "mc":
		return serviceNamed(c.Name, o) == "local"
	}
	return false
}

// serviceNamed returns the service of a command as the names of variables have it: of mc it is
// the alias of a host.
func serviceNamed(client string, o argv.Options) string {
	if client == "mc" {
		alias, _, _ := strings.Cut(o.At(1), "/")
		return alias
	}
	return strings.ToUpper(strings.ReplaceAll(o.At(0), "-", "_"))
}

// localContexts are the names of clusters that tools make on this machine.
const localContexts = "anvil colima development docker-desktop docker-for-desktop hardhat k3d kind l microk8s" +
	" minikube orbstack rancher-desktop"

// IsElsewhere reports whether an address or a cluster is not known to be on this machine.
func IsElsewhere(place string) bool {
	switch {
	case lex.OneOf(place, localContexts), lex.BeginsWith(place, "kind- k3d- colima-"),
		lex.Mentions(place, "UseDevelopmentStorage=true Endpoint=http://127.0.0.1: Endpoint=http://localhost: "+
			"_host=localhost _host=127. _port="):
		return false
	}
	return !web.IsLocalHost(place)
}

// MarkEffects marks the effects on a service from the n-th effect on as those of an emulator. It leaves
// out the losses of another client that the command starts.
func MarkEffects(sh *shell.Shell, n int) {
	for i := n; i < len(sh.Eval.Effects); i++ {
		switch e := &sh.Eval.Effects[i]; e.Kind {
		case effect.DropData:
			if e.Via == sh.Via {
				e.Away = effect.OnEmulator
			}
		case effect.DestroyRemote, effect.ChangeRemote, effect.PublishOut, effect.SendOut, effect.RevealSecret:
			e.Away = effect.OnEmulator
		}
	}
}

// RememberServer remembers a server that this call starts: its port, and the folder of its data.
func RememberServer(sh *shell.Shell, _ shell.Command, o argv.Options) {
	port, _ := o.Get("p", "P", "port")
	RememberPort(sh, port)
	if dir, ok := o.Get("D", "pgdata"); ok {
		sh.Makes("cluster", sh.Path(dir))
	}
}

// RememberPort remembers the port of a server that this call starts, if no other one usually has it.
func RememberPort(sh *shell.Shell, port string) {
	if !lex.OneOf(port, "27017 3306 5432 6379 9200") {
		sh.Makes("port", port)
	}
}

// RememberHost remembers the host that mc gets a name for.
func RememberHost(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.Assign("MC_HOST_"+o.At(2), expand.Value{o.At(3)})
}

// A database is the one that a client works on, as far as its command says.
type database struct {
	name  string
	local bool // it is not known to be on another machine
	made  bool // its server runs in a container that this call has started
}

// StoreClients are the clients that get the name of a database, and fileStores those that work in
// memory if they get no file.
const (
	StoreClients = "psql pgcli pgsql mysql mariadb mycli mongo mongosh dropdb mysqladmin mariadb-admin pg_restore " +
		"mongorestore mongoimport sqlcmd osql cqlsh clickhouse-client usql mssql-cli " + KeyStores + " " + fileStores
	KeyStores  = "redis-cli valkey-cli keydb-cli dragonfly-cli"
	fileStores = "clickhouse-local duckdb litecli sqlcipher sqlite sqlite3"
)

// storeHosts are variables with the host of a database.
var storeHosts = [...]string{"PGHOST", "PGHOSTADDR", "MYSQL_HOST", "PGSERVICE"}

// databaseOf returns the database of a client.
func databaseOf(sh *shell.Shell, c shell.Command, o argv.Options) database {
	hosts := o.All("h", "host", "S", "server")
	named := o.Pos
	switch {
	case lex.OneOf(c.Name, KeyStores): // to others, -u is a user
		hosts, named = append(hosts, o.All("u")...), nil
	case lex.OneOf(c.Name, "mysqladmin mariadb-admin"): // with a verb
		named = o.From(1)
	}
	for _, name := range storeHosts {
		told, _ := sh.Lookup(name)
		hosts = append(hosts, told...)
	}
	name := lex.First(append(o.All("d", "dbname", "D", "database", "uri", "nsInclude"), named...))
	if scheme, rest, ok := strings.Cut(name, "://"); ok {
		hosts = append(hosts, scheme+"://"+rest)
		_, name, _ = strings.Cut(rest, "/")
		name, _, _ = strings.Cut(name, "?")
	}
	if name == "" && lex.BeginsWith(c.Name, "psql pgcli pgsql pg_") {
		told, _ := sh.Lookup("PGDATABASE")
		name = strings.Join(told, ",")
	}
	for _, pair := range strings.Fields(name) { // "host=db dbname=shop"
		switch key, value, _ := strings.Cut(pair, "="); key {
		case "host", "hostaddr", "service":
			hosts = append(hosts, value)
		case "dbname":
			name = value
		}
	}
	far := slices.ContainsFunc(hosts, func(h string) bool { return h != "" && h[0] != '/' && !web.IsLocalHost(h) })
	places := append(hosts, o.All("p", "P", "port")...)
	return database{
		name:  name,
		local: !far && sh.Place.Away != shell.RemotePlace().Away,
		made:  sh.Place.Away == "container" && len(hosts) == 0 || madePort(sh, places),
	}
}

// madePort reports whether an address or a number is a port of a container that this call has started.
func madePort(sh *shell.Shell, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		if _, rest, ok := strings.Cut(place, "://"); ok {
			place, _, _ = strings.Cut(rest, "/")
		}
		port := place[strings.LastIndexByte(place, ':')+1:]
		return lex.IsNumber(port) && sh.Made("port", port)
	})
}

// MarkOwn marks the losses from the n-th effect on in a database that only the session uses:
// one for tests, in memory, or made by this call.
func MarkOwn(sh *shell.Shell, c shell.Command, o argv.Options, n int) {
	isOthers := func(name string) bool { return !sh.Made("database", strings.ToLower(name)) && !lex.ForTests(name) }
	db := databaseOf(sh, c, o)
	own := !isOthers(db.name) || variableForTests(sh, db.name)
	if chosen := choosesDatabases(c); len(chosen) > 0 {
		own = !slices.ContainsFunc(chosen, isOthers)
	} else if lex.OneOf(c.Name, fileStores) && inMemory(db.name) {
		own = true
	}
	if !db.local {
		return
	}
	for i := n; i < len(sh.Eval.Effects); i++ {
		e := &sh.Eval.Effects[i]
		spared := own
		if name, named := droppedName(e); named {
			spared = lex.ForTests(name) || sh.MadeBefore("database", name, i)
		}
		changesData := e.Kind == effect.DropData || e.Kind == effect.ChangeRemote
		switch {
		case db.made && e.Kind == effect.StopService:
			e.Away = effect.OnEmulator
		case e.Via != c.Name, !changesData:
		case db.made, spared:
			e.Away = effect.OnEmulator
		}
	}
}

// variableForTests reports whether a variable with an unknown database says that it is for tests.
func variableForTests(sh *shell.Shell, name string) bool {
	return partial.HasHole(name) && lex.Mentions(sh.Text(), "$TEST_ ${TEST_ _TEST_URL _TEST_DATABASE_URL")
}

// inMemory reports whether the name of a file, "" for none, or the SQL in its place, stands for a
// database in memory or in a temporary file.
func inMemory(name string) bool {
	return name == "" || lex.BeginsWith(name, ":memory: /tmp/ file::memory:") || strings.Contains(name, " ")
}

// choosesDatabases returns the names behind the words with which a text goes on in another database.
func choosesDatabases(c shell.Command) (names []string) {
	texts := strings.Join(append(rows.Stdin(c), c.Args...), " ")
	words := strings.FieldsFunc(texts, func(r rune) bool { return strings.ContainsRune(" \n\t;()'\"", r) })
	for i, w := range words[:max(0, len(words)-1)] {
		if lex.OneOf(strings.ToLower(w), `.open .restore \c \connect attach db.getsiblingdb getsiblingdb use`) {
			names = append(names, words[i+1])
		}
	}
	return names
}

// droppedName returns the name of the database that a statement drops.
func droppedName(e *effect.Effect) (name string, ok bool) {
	rest, ok := strings.CutPrefix(e.Target, "DATABASE ")
	if e.Op != effect.Database || !ok {
		return "", false
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(rest, "IF EXISTS "), " ")
	return strings.ToLower(strings.Trim(name, `'"`)), true
}

// CommonValues are the options with a value that such programs take before or between their verbs.
const CommonValues = "n namespace context kubeconfig profile region output o p project zone c config l selector " +
	"endpoint-url query cli-input-json a app r remote g resource-group subscription account org organization team t " +
	"token s server u user f file filename R repo host port scope e env environment site cluster command scripts " +
	"parameters command-id document-name instance-ids desired-count desired-capacity max-size min-size size " +
	"num-nodes new-capacity node-count replicas C name id bucket format F vault instance location type H header d " +
	"data k key topic bootstrap-server stack stage chdir var var-file target workspace auth-token service subject " +
	"start-ip-address end-ip-address source-ranges phone-number message acl cache-control content-type exclude include " +
	"sse storage-class credential-file address addr as as-group kube-context kube-apiserver cwd cache-dir"
