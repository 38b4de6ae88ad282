package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A client of a cloud or of a cluster may be told to talk to this machine: to an emulator, or to
// a cluster in containers. What it does there concerns nobody else.

// An emulated row says how clients are told where their service is: by options, or by variables.
// To a variable that ends in "_", the service is added that the client names first.
type emulated struct{ programs, options, variables string }

const storageEmulators = "FIRESTORE_EMULATOR_HOST FIREBASE_DATABASE_EMULATOR_HOST STORAGE_EMULATOR_HOST"

var emulators = []emulated{
	{"aws awslocal", "endpoint-url", "AWS_ENDPOINT_URL_ AWS_ENDPOINT_URL"},
	{"sam cdk copilot", "", "AWS_ENDPOINT_URL"},
	{"s3cmd s5cmd", "host endpoint-url", "S3_ENDPOINT_URL"},
	{"gcloud", "", "CLOUDSDK_API_ENDPOINT_OVERRIDES_"},
	{"gsutil firebase", "o", storageEmulators},
	{"bq", "api", ""},
	{"az azcopy", "connection-string blob-endpoint queue-endpoint table-endpoint", "AZURE_STORAGE_CONNECTION_STRING"},
	{"mc", "", "MC_HOST_"},
	{
		"kubectl k oc kubecolor helm istioctl velero flux linkerd", "context kube-context server s kube-apiserver",
		kubeContext,
	},
}

// kubeContext is where the cluster is remembered that a command of this call chooses.
const kubeContext = "kube-context"

// emulatedBy returns the row of a client, or nil.
func emulatedBy(name string) *emulated {
	i := slices.IndexFunc(emulators, func(e emulated) bool { return lex.OneOf(name, e.programs) })
	if i < 0 {
		return nil
	}
	return &emulators[i]
}

// pointsHere reports whether a client talks to a service on this machine. A nil row is that of
// any other program.
func (e *emulated) pointsHere(sh *shell.Shell, c shell.Command) bool {
	if e == nil || sh.Place.Away == shell.RemotePlace().Away {
		return false
	}
	o := shell.ParseOptions(c.Args, commonValues+" "+e.options)
	if told := o.All(strings.Fields(e.options)...); len(told) > 0 {
		return !slices.ContainsFunc(told, isElsewhere)
	}
	for name := range strings.FieldsSeq(e.variables) {
		if strings.HasSuffix(name, "_") {
			name += serviceNamed(c.Name, o)
		}
		if told, ok := sh.Lookup(name); ok {
			return !slices.ContainsFunc(told, isElsewhere)
		}
	}
	return c.Name == "awslocal" || c.Name == "mc" && serviceNamed(c.Name, o) == "local"
}

// serviceNamed returns the service of a command as the names of variables have it: of mc it is
// the alias of a host.
func serviceNamed(client string, o shell.Options) string {
	if client == "mc" {
		alias, _, _ := strings.Cut(o.At(1), "/")
		return alias
	}
	return strings.ToUpper(strings.ReplaceAll(o.At(0), "-", "_"))
}

// localContexts are the names of clusters that tools make on this machine.
const localContexts = "minikube docker-desktop docker-for-desktop rancher-desktop orbstack colima microk8s kind k3d"

// isElsewhere reports whether an address or the name of a cluster is not known to be of this
// machine.
func isElsewhere(place string) bool {
	switch {
	case lex.OneOf(place, localContexts), lex.BeginsWith(place, "kind- k3d- colima-"):
		return false
	case lex.Mentions(place, "UseDevelopmentStorage=true Endpoint=http://127.0.0.1: Endpoint=http://localhost: "+
		"_host=localhost _host=127. _port="):
		return false
	}
	return !web.IsLocalHost(place)
}

// hostedKinds are the kinds of effect that concern others.
var hostedKinds = []effect.Kind{
	effect.DestroyRemote, effect.ChangeRemote, effect.PublishOut, effect.SendOut, effect.RevealSecret,
}

// staysHere marks the effects on a service from the n-th effect on as those of an emulator.
func staysHere(sh *shell.Shell, n int) {
	for i := n; i < len(sh.Eval.Effects); i++ {
		if e := &sh.Eval.Effects[i]; slices.Contains(hostedKinds, e.Kind) {
			e.Away = effect.OnEmulator
		}
	}
}

// storePrograms work on databases that they name.
const storePrograms = "psql pgcli pgsql mysql mariadb mycli dropdb mysqladmin mariadb-admin pg_restore mongo mongosh " +
	"mongorestore redis-cli valkey-cli keydb-cli sqlite3 sqlite duckdb litecli sqlcmd mssql-cli clickhouse-client " +
	"usql dolt"

// serverNames are the variables that tell such a program where its server is.
var serverNames = [...]string{"PGHOST", "PGHOSTADDR", "MYSQL_HOST"}

// losesTests marks what a program loses, from the n-th effect on, in databases of this machine
// whose names say that they are for tests.
func losesTests(sh *shell.Shell, o shell.Options, n int) {
	servers := o.All("h", "host", "S", "server")
	for _, name := range serverNames {
		told, _ := sh.Lookup(name)
		servers = append(servers, told...)
	}
	if sh.Place.Away == shell.RemotePlace().Away || slices.ContainsFunc(servers, isFarServer) {
		return
	}
	own := onMadeServer(sh, o)
	connected := slices.ContainsFunc(append(o.All("d", "dbname", "D", "database"), o.At(0)), isForTests)
	for i := n; i < len(sh.Eval.Effects); i++ {
		e := &sh.Eval.Effects[i]
		switch {
		case own && e.Kind == effect.StopService, e.Kind == effect.DropData && (own || dropsTests(e, connected)),
			e.Op == effect.Database && sh.Made("database", e.Target):
			e.Away = effect.OnEmulator
		}
	}
}

// ownContainer is set in a container that this call made.
const ownContainer = "own container"

// onMadeServer reports whether a client talks to a server in a container that this call made: inside
// it, or through its port.
func onMadeServer(sh *shell.Shell, o shell.Options) bool {
	port, _ := o.Get("p", "P", "port")
	if _, address, ok := strings.Cut(o.At(0), "://"); ok && !isFarServer(web.HostOf(o.At(0))) {
		address, _, _ = strings.Cut(address, "/")
		port = address[strings.LastIndexByte(address, ':')+1:]
	}
	_, inside := sh.Assigned(ownContainer)
	return inside || sh.Made("port", port)
}

// startsServer remembers a server that this call starts: its port, and the folder of its data.
func startsServer(sh *shell.Shell, _ shell.Command, o shell.Options) {
	port, _ := o.Get("p", "P", "port")
	makesPort(sh, port)
	if dir, ok := o.Get("D", "pgdata"); ok {
		sh.Makes("cluster", sh.Path(dir))
	}
}

// makesPort remembers the port of a server that this call starts. On a usual port another one may
// run already.
func makesPort(sh *shell.Shell, port string) {
	if !lex.OneOf(port, "3306 5432 6379 9200 27017") {
		sh.Makes("port", port)
	}
}

// stopsCluster reports that a server of Postgres is stopped that this call did not start.
func stopsCluster(sh *shell.Shell, c shell.Command, o shell.Options) {
	dir, _ := o.Get("D", "pgdata")
	if !sh.Made("cluster", sh.Path(dir)) {
		sh.Effect(effect.StopService, effect.Named("server"), c.Name)
	}
}

// isFarServer reports whether the server of a database is not known to be on this machine. A path
// is that of a socket.
func isFarServer(server string) bool {
	return server != "" && server[0] != '/' && !web.IsLocalHost(server)
}

// dropsTests reports whether what is lost is for tests. A whole database is judged by its own name,
// and all else by the database that the client is connected to.
func dropsTests(e *effect.Effect, connected bool) bool {
	what, name, several := strings.Cut(e.Target, " ")
	switch {
	case e.Op != effect.Database, what == "SCHEMA", what == "OWNED":
		return connected
	case !several:
		return isForTests(what)
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "IF EXISTS "), " ")
	return isForTests(strings.Trim(name, "'"))
}

// isForTests reports whether the name or the address of a database says that it is for tests, and
// not that it is on another machine.
func isForTests(database string) bool {
	if strings.Contains(database, "://") && isFarServer(web.HostOf(database)) {
		return false
	}
	name, _, _ := strings.Cut(database[strings.LastIndexByte(database, '/')+1:], "?")
	return lex.ForTests(name) || lex.Mentions(database, ":memory: :///tmp/ ////tmp/")
}

// madeHere reports whether this call made all that the names say.
func madeHere(sh *shell.Shell, kind string, names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !sh.Made(kind, name) })
}

// choosesCluster remembers the cluster that the last operand names.
func choosesCluster(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Assign(kubeContext, shell.Value{o.At(len(o.Pos) - 1)})
}

// namesHost remembers the host that mc gets a name for.
func namesHost(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Assign("MC_HOST_"+o.At(2), shell.Value{o.At(3)})
}

// choosesOwn remembers a cluster of the tool that makes it.
func choosesOwn(sh *shell.Shell, c shell.Command, _ shell.Options) {
	sh.Assign(kubeContext, shell.Value{c.Name})
}
