package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A service says where the service is whose client, or a part of it, a name stands for.
type service byte

const (
	unknownService service = iota
	hostedService
	localService // on this machine, for tests
	storeService // a database, wherever it is
	mailService  // one that brings messages to people
)

// serviceModules are the modules of clients of hosted services, and storeModules those of clients of
// databases. Those of serviceFamilies begin so.
const (
	serviceModules = "@hubspot/api-client @kubernetes/client-node @notionhq/client @octokit/rest" +
		" @supabase/supabase-js algoliasearch aws-sdk boto3 braintree cloudflare digitalocean firebase-admin" +
		" firebase_admin github hcloud heroku3 hubspot kubernetes linode_api4 notion_client octokit paypalrestsdk" +
		" pinecone qdrant_client shopify stripe supabase"
	serviceFamilies = "@aws-sdk/ @google-cloud/ @azure/ google.cloud azure. aws-sdk-"
	mailModules     = "@sendgrid/mail @slack/web-api nodemailer resend sendgrid slack_sdk smtplib twilio twilio.rest"
	storeModules    = "@elastic/elasticsearch cassandra cassandra-driver elasticsearch ioredis knex mongodb mongoose" +
		" motor opensearchpy pymongo redis"
)

// serviceClients are the calls that return a client of a hosted service.
const serviceClients = "AWS.DynamoDB AWS.S3 Aws::DynamoDB::Client.new Aws::S3::Client.new Aws::S3::Resource.new" +
	" BlobServiceClient BlobServiceClient.from_connection_string ContainerClient DynamoDBClient Octokit" +
	" Octokit::Client.new S3Client Storage bigquery.Client boto3.Session boto3.client boto3.resource" +
	" digitalocean.Manager firestore.Client github.Github hcloud.Client storage.Client storage.NewClient"

// httpClients are the calls that return a client of the host that their arguments name.
const httpClients = "Client Excon.new Faraday.new HTTP.persistent HTTPSConnection Net::HTTP.new Net::HTTP.start" +
	" RestClient::Resource.new aiohttp.ClientSession axios.create got.extend http.client.HTTPSConnection" +
	" httpx.AsyncClient httpx.Client ky.create ky.extend"

// rememberService notes that a name stands for a client of a service: for what a known call
// returns, or a call of the client of another name. The expression begins at a token.
func (r *reading) rememberService(name string, from int) {
	for lex.OneOf(textAt(r.toks, from), "new await") {
		from++
	}
	switch s := r.serviceAt(from); {
	case s != unknownService && kindAt(r.toks, from+1) == '(':
		r.services[name] = s
	case Shaped(r.toks, from, "n(s).n(") && lex.OneOf(textAt(r.toks, from+2), httpModules): // require("x").create(…)
		r.services[name] = hostOf(callTokens(r.toks[from+6:]), unknownService)
	}
}

// serviceAt returns the service of the name at a token.
func (r *reading) serviceAt(i int) service {
	name := textAt(r.toks, i)
	object := name
	if i := strings.IndexAny(name, ".:"); i > 0 {
		object = name[:i]
	}
	s := r.services[object]
	switch {
	case s == localService, s == storeService:
		return s
	case s != unknownService, lex.OneOf(name, httpClients):
	case lex.OneOf(name, serviceClients):
		s = hostedService
	default:
		return s
	}
	return hostOf(callTokens(r.toks[i+1:]), s)
}

// hostOf returns the service whose host the arguments of a call name, or otherwise the given one.
func hostOf(args []Token, otherwise service) service {
	for i, t := range args {
		switch {
		case t.Kind != 's':
		case i > 0 && !strings.Contains(t.Text, "://") && !sets(args, i-2, "host hostname endpoint endpoint_url"):
		case web.IsLocalHost(t.Text):
			return localService
		case strings.Contains(web.HostOf(t.Text), "."):
			otherwise = max(otherwise, hostedService)
		}
	}
	return otherwise
}

// moduleService returns the service of whose clients a module is.
func moduleService(module string) service {
	switch {
	case lex.OneOf(module, storeModules):
		return storeService
	case lex.OneOf(module, mailModules):
		return mailService
	case lex.OneOf(module, serviceModules), lex.BeginsWith(module, serviceFamilies):
		return hostedService
	}
	return unknownService
}

// bindsModule notes the names that an import gives to the client of a service. The word import,
// from or require is the token at i.
func (r *reading) bindsModule(i int) {
	from, end := i+1, r.lineEnd(i)
	if kindAt(r.toks, from) == '(' {
		from++
	}
	s := moduleService(textAt(r.toks, from))
	several := r.lang == "python" && r.toks[i].Text == "import" // import a, b
	for several && s == unknownService && from+1 < end {
		from++
		s = moduleService(textAt(r.toks, from))
	}
	if s == unknownService {
		return
	}
	names := r.toks[i:end]
	switch r.lang {
	case "js":
		names = r.toks[max(0, i-maxImported):i]
	case "ruby":
		module := textAt(r.toks, from)
		r.services[strings.ToUpper(module[:1])+module[1:]] = s
	}
	for _, t := range names {
		if t.Kind == 'n' && !lex.OneOf(t.Text, "as async await const from import let require type var") {
			r.services[t.Text] = s
		}
	}
}

// maxImported bounds the tokens among which the names of an import are looked for.
const maxImported = 12

// lineEnd returns the first token behind the line of the token at i.
func (r *reading) lineEnd(i int) int {
	end := r.toks[i].At + lineLength(r.text[r.toks[i].At:])
	j := i + 1
	for j < min(len(r.toks), i+maxImported) && r.toks[j].At < end {
		j++
	}
	return j
}

// bindsClient notes that a name in a block, or behind "as", stands for the client that the call
// before it returns: Net::HTTP.start("x") { |h| … }, with httpx.Client(…) as c.
func (r *reading) bindsClient(i int) {
	name := loopName(r.toks, i, 1+len(callTokens(r.toks[i+1:]))+2)
	if s := r.serviceAt(i); s != unknownService && name != "" {
		r.services[name] = s
	}
}

// endsOfService reports whether the name of a call says that it deletes something of a service.
func endsOfService(name string) bool {
	verb := lex.First(lex.VerbWords(name))
	return verbs.IsPlain(verb) || lex.OneOf(verb, "del deregister flush flushall flushdb recursive")
}

// ofEverything are such calls that work on a whole database.
const ofEverything = "FlushAll FlushDB dropDatabase drop_database flushAll flushDb flushall flushdb"

// deletesHosted reports a call that deletes what the calls before it have named: every row of a
// table, or a part of a hosted service. The name of the call is the token at i.
func (r *reading) deletesHosted(k knownCall, i int) bool {
	if !k.ends || kindAt(r.toks, i+1) != '(' {
		return false
	}
	start := r.chainStart(i)
	s, name := r.serviceAt(start), textAt(r.toks, start)
	switch {
	case s == storeService:
		return r.dropsStored(k.short, i)
	case tells(r.toks[i].Text):
		if s == mailService && !r.sh.InProgram() {
			r.sh.Effect(effect.SendOut, effect.Message, name)
		}
		return false
	case s == hostedService && refunds(k.short, r.toks[i].Text):
		r.sh.Effect(effect.ChangeRemote, effect.Named("refund"), name)
	case s == hostedService && r.endsService(k.short):
		r.sh.Effect(effect.DestroyRemote, effect.Part, name)
	case s == unknownService && k.short == "delete" && everyRow(r.toks[:i]),
		r.lang == "php" && strings.HasSuffix(r.toks[i].Text, "::truncate"): // of a model
		r.sh.Effect(effect.DropData, effect.Rows, r.toks[i].Text)
	default:
		return s != unknownService
	}
	return true
}

// tells reports whether the name of a call may say that it sends a message to people.
func tells(name string) bool {
	return lex.EndsWith(name, "sendmail send_mail send_mass_mail send_message sendMail chat_postMessage chat.postMessage "+
		"messages.create emails.send")
}

// refunds reports whether a call gives money back, as stripe.refunds.create does.
func refunds(short, name string) bool {
	return short == "create" && strings.Contains(strings.ToLower(name), "refund")
}

// endsService reports whether a call of a client of a service deletes something. In a file, a short
// name may be that of a call on something else.
func (r *reading) endsService(short string) bool {
	return !r.sh.InProgram() || len(lex.VerbWords(short)) > 1 || lex.OneOf(short, "delete Delete destroy terminate")
}

// dropsStored reports a call that takes data out of a database, other than single keys and rows.
func (r *reading) dropsStored(short string, i int) bool {
	chain := r.toks[r.chainStart(i):i]
	where := slices.ContainsFunc(chain, func(t Token) bool {
		return strings.Contains(strings.ToLower(t.Text), "where")
	})
	switch {
	case lex.OneOf(short, ofEverything):
		r.sh.Effect(effect.DropData, effect.Database, short)
	case lex.BeginsWith(short, "drop truncate"), strings.HasSuffix(r.toks[i].Text, "indices.delete"):
		r.sh.Effect(effect.DropData, effect.Table, short)
	case r.sh.InProgram(), where, len(callTokens(r.toks[i+1:])) > 0:
		return false // single keys and rows
	default:
		r.sh.Effect(effect.DropData, effect.Rows, short)
	}
	return true
}

// chainStart returns the first token of a chain of calls that ends with the name at token i.
func (r *reading) chainStart(i int) int {
	const longestChain = 16
	for range longestChain {
		open := opening(r.toks, i-1)
		if kindAt(r.toks, i-1) != '.' || kindAt(r.toks, open-1) != 'n' {
			return i
		}
		i = open - 1
	}
	return i
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

// Where a database of a program is.
const (
	unknownPlace = iota
	disposable   // in memory, in temporary files, or for tests on this machine
	elsewhere
)

// sparesOwn marks the losses from the n-th effect on as those of disposable databases, if
// the program names such databases only.
func (r *reading) sparesOwn(n int) {
	effects := r.sh.Eval.Effects[n:]
	lost := func(e effect.Effect) bool { return e.Kind == effect.DropData && e.Away == "" }
	if !slices.ContainsFunc(effects, lost) || !r.namesOwnStores() {
		return
	}
	for i := range effects {
		if e := &effects[i]; lost(*e) && (e.Via == r.sh.Via || lex.OneOf(e.Via, "alter delete drop truncate update")) {
			e.Away = effect.OnEmulator
		}
	}
}

// namesOwnStores reports whether a program names databases, and each of them is disposable. It looks at
// the texts and the calls of the whole program, because a statement does not name its database.
func (r *reading) namesOwnStores() bool {
	found := false
	for i := range r.toks {
		switch r.databaseAt(i) {
		case elsewhere:
			return false
		case disposable:
			found = true
		}
	}
	return found
}

// opensStore are the last words of the names of calls that open a database.
const opensStore = "Client Database DatabaseSync MongoClient Pool connect createClient createConnection createPool" +
	" create_async_engine create_engine"

// databaseAt returns where the database is that the token at i names or opens.
func (r *reading) databaseAt(i int) int {
	t, given := r.toks[i], tokenAt(r.toks, i+2)
	switch {
	case t.Kind == 's':
		return r.databaseNamed(t.Text)
	case t.Kind != 'n':
	case lex.Mentions(strings.ToLower(t.Text), "database_url db_url db_host"):
		return elsewhere
	case lex.OneOf(t.Text, "duckdb.connect MongoMemoryServer.create newDb") && given.Kind != 's':
		return disposable
	case kindAt(r.toks, i+1) == '(' && lex.OneOf(unqualified(t.Text), opensStore):
		if r.madeFor(given) != disposable {
			return elsewhere
		}
	}
	return unknownPlace
}

// databaseNamed returns where the database is that a text names, if it is the address or the file of one.
func (r *reading) databaseNamed(text string) int {
	store, mayGo := web.StoreAt(text)
	file := lex.EndsWith(text, ".db .sqlite .sqlite3 .duckdb")
	switch {
	case mayGo, lex.Mentions(text, ":memory: mode=memory"):
		return disposable
	case file && strings.Contains(text, "/tmp/"), file && !strings.Contains(text, "/") && r.makesTemporary():
		return disposable
	case store, file, strings.HasPrefix(text, "sqlite:///"):
		return elsewhere
	}
	return unknownPlace
}

// madeFor returns where a database is whose address or file a token shows or stands for.
func (r *reading) madeFor(t Token) int {
	switch {
	case t.Kind == 's':
		return r.databaseNamed(t.Text)
	case lex.OneOf(unqualified(t.Text), "join Path"), lex.OneOf(unqualified(t.Text), tempMakers):
		return disposable
	}
	return r.databaseNamed(r.consts[t.Text])
}

// makesTemporary reports whether the program makes temporary folders or files.
func (r *reading) makesTemporary() bool {
	return slices.ContainsFunc(r.toks, func(t Token) bool {
		return t.calls(tempMakers + " tmp_path NamedTemporaryFile")
	})
}
