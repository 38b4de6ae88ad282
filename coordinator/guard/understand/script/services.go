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
	if s := r.services[object]; s != unknownService || !lex.OneOf(name, serviceClients) {
		return s
	}
	if slices.ContainsFunc(callTokens(r.toks[i+1:]), func(t Token) bool {
		return t.Kind == 's' && strings.Contains(t.Text, "://") && web.IsLocalHost(t.Text)
	}) {
		return localService
	}
	return hostedService
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
