package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A service says where the service is whose client, or a part of it, a name stands for.
type service byte

const (
	unknownService service = iota
	hostedService
	localService // on this machine, for tests
)

// serviceClients are the calls that return a client of a hosted service.
const serviceClients = "boto3.resource boto3.client boto3.Session storage.Client storage.NewClient bigquery.Client " +
	"firestore.Client BlobServiceClient BlobServiceClient.from_connection_string ContainerClient AWS.S3 AWS.DynamoDB " +
	"Aws::S3::Resource.new Aws::S3::Client.new Aws::DynamoDB::Client.new S3Client DynamoDBClient Storage github.Github " +
	"Octokit Octokit::Client.new hcloud.Client digitalocean.Manager"

// httpClients are the calls that return a client of the host that their arguments name.
const httpClients = "Net::HTTP.start Net::HTTP.new Faraday.new HTTP.persistent Excon.new RestClient::Resource.new " +
	"axios.create got.extend ky.create ky.extend httpx.Client httpx.AsyncClient aiohttp.ClientSession " +
	"http.client.HTTPSConnection HTTPSConnection Client"

// rememberService notes that a name stands for a client of a service: for what a known call
// returns, or a call of the client of another name. The expression begins at a token.
func (r *reading) rememberService(name string, from int) {
	for lex.OneOf(textAt(r.toks, from), "new await") {
		from++
	}
	if s := r.serviceAt(from); s != unknownService && kindAt(r.toks, from+1) == '(' {
		r.services[name] = s
	}
}

// serviceAt returns the service of the name at a token.
func (r *reading) serviceAt(i int) service {
	name := textAt(r.toks, i)
	object, _, _ := strings.Cut(name, ".")
	s := r.services[object]
	switch {
	case s != unknownService:
		return s
	case lex.OneOf(name, httpClients):
		return hostOf(callTokens(r.toks[i+1:]), unknownService)
	case lex.OneOf(name, serviceClients):
		return hostOf(callTokens(r.toks[i+1:]), hostedService)
	}
	return unknownService
}

// hostOf returns the service whose host the arguments of a call name, or otherwise the given one. A
// host without a scheme is the first argument.
func hostOf(args []Token, otherwise service) service {
	for i, t := range args {
		switch {
		case t.Kind != 's', i > 0 && !strings.Contains(t.Text, "://"):
		case web.IsLocalHost(t.Text):
			return localService
		case strings.Contains(web.HostOf(t.Text), "."):
			otherwise = hostedService
		}
	}
	return otherwise
}

// bindsClient notes that a name in a block, or behind "as", stands for the client that the call
// before it returns: Net::HTTP.start("x") { |h| … }, with httpx.Client(…) as c.
func (r *reading) bindsClient(i int) {
	from := i + 1 + len(callTokens(r.toks[i+1:])) + 2
	for lex.OneOf(textAt(r.toks, from), "do { as | async (") && from < i+64 {
		from++
	}
	before := textAt(r.toks, from-1)
	if s := r.serviceAt(i); s != unknownService && lex.OneOf(before, "| as") && kindAt(r.toks, from) == 'n' {
		r.services[r.toks[from].Text] = s
	}
}

// deletesHosted reports a call that deletes what the calls before it have named: every row of a
// table, or a part of a hosted service. The name of the call is the token at i.
func (r *reading) deletesHosted(k knownCall, i int) bool {
	if !lex.OneOf(k.short, "delete Delete deleteMany delete_all destroy terminate") || kindAt(r.toks, i+1) != '(' {
		return false
	}
	s := r.serviceAt(r.chainStart(i))
	switch {
	case s == hostedService:
		r.sh.Effect(effect.DestroyRemote, effect.Part, r.toks[r.chainStart(i)].Text)
	case s == unknownService && k.short == "delete" && everyRow(r.toks[:i]):
		r.sh.Effect(effect.DropData, effect.Rows, r.toks[i].Text)
		return true
	}
	return s != unknownService
}

// chainStart returns the first token of a chain of calls that ends with the name at token i.
func (r *reading) chainStart(i int) int {
	const longestChain = 16
	for range longestChain {
		open := opening(r.toks, i-1)
		if kindAt(r.toks, i-1) != '.' || open < 1 || kindAt(r.toks, open-1) != 'n' {
			return i
		}
		i = open - 1
	}
	return i
}

// sparesOwn marks the losses from the n-th effect on as those of databases that are nobody's, if
// the program names such databases only.
func (r *reading) sparesOwn(n int) {
	effects := r.sh.Eval.Effects[n:]
	lost := func(e effect.Effect) bool { return e.Kind == effect.DropData && e.Away == "" }
	if !slices.ContainsFunc(effects, lost) || !r.namesOwnStores() {
		return
	}
	for i := range effects {
		if e := &effects[i]; lost(*e) && (e.Via == r.sh.Via || lex.OneOf(e.Via, "drop delete truncate update alter")) {
			e.Away = effect.OnEmulator
		}
	}
}

// opensStore are the last words of the names of calls that open a database.
const opensStore = "connect Database DatabaseSync createConnection createPool create_engine create_async_engine " +
	"createClient MongoClient Pool Client"

// namesOwnStores reports whether a program names databases, and each of them is nobody's.
func (r *reading) namesOwnStores() bool {
	found := false
	for i, t := range r.toks {
		switch store, nobodys := web.StoreAt(t.Text); {
		case t.Kind == 's' && store && !nobodys:
			return false
		case t.Kind == 's':
			found = found || store
		case t.Kind != 'n' || kindAt(r.toks, i+1) != '(' || !lex.OneOf(unqualified(t.Text), opensStore):
		case t.Text == "duckdb.connect" && kindAt(r.toks, i+2) == ')':
			found = true
		default:
			if store, _ := web.StoreAt(textAt(r.toks, i+2)); !store {
				return false
			}
		}
	}
	return found
}

// Requests reports the requests in code that a browser runs.
func Requests(sh *shell.Shell, text string) {
	r := newReading(sh, text, "js")
	for i, t := range r.toks {
		if t.Kind != 'n' {
			continue
		}
		r.remember(i)
		if k := r.callNamed(t.Text); k.requests && r.requestAt(r.toks[i+1:]).URL != "" {
			r.request(k, i)
		}
	}
}
