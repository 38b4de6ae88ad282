package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// Where a database of a program is.
const (
	unknownPlace = iota
	nobodys      // in memory, in temporary files, or for tests on this machine
	elsewhere
)

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

// namesOwnStores reports whether a program names databases, and each of them is nobody's. It looks at
// the texts and the calls of the whole program, because a statement does not name its database.
func (r *reading) namesOwnStores() bool {
	found := false
	for i := range r.toks {
		switch r.databaseAt(i) {
		case elsewhere:
			return false
		case nobodys:
			found = true
		}
	}
	return found
}

// opensStore are the last words of the names of calls that open a database.
const opensStore = "connect Database DatabaseSync createConnection createPool create_engine create_async_engine " +
	"createClient MongoClient Pool Client"

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
		return nobodys
	case kindAt(r.toks, i+1) == '(' && lex.OneOf(unqualified(t.Text), opensStore):
		if r.madeFor(given) != nobodys {
			return elsewhere
		}
	}
	return unknownPlace
}

// databaseNamed returns where the database is that a text names, if it is the address or the file of one.
func (r *reading) databaseNamed(text string) int {
	store, spare := web.StoreAt(text)
	file := lex.EndsWith(text, ".db .sqlite .sqlite3 .duckdb")
	switch {
	case spare, lex.Mentions(text, ":memory: mode=memory"):
		return nobodys
	case file && strings.Contains(text, "/tmp/"), file && !strings.Contains(text, "/") && r.makesTemporary():
		return nobodys
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
		return nobodys
	}
	return r.databaseNamed(r.consts[t.Text])
}

// makesTemporary reports whether the program makes temporary folders or files.
func (r *reading) makesTemporary() bool {
	return slices.ContainsFunc(r.toks, func(t Token) bool {
		return t.calls(tempMakers + " tmp_path NamedTemporaryFile")
	})
}
