package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Where the databases of a program are.
const (
	unknownPlace = iota
	inMemory     // or in temporary files: they end with the program
	elsewhere
)

// passing reports whether all databases of the program end with it. It looks at the texts and the
// calls of the whole program, because a statement does not name its database.
func (r *reading) passing() bool {
	if r.databases == unknownPlace {
		r.databases = elsewhere
		found := false
		for i := range r.toks {
			switch r.databaseAt(i) {
			case elsewhere:
				return false
			case inMemory:
				found = true
			}
		}
		if found {
			r.databases = inMemory
		}
	}
	return r.databases == inMemory
}

// databaseAt returns where the database is that the token at i names or opens.
func (r *reading) databaseAt(i int) int {
	t := r.toks[i]
	switch {
	case t.Kind == 's':
		return r.databaseNamed(t.Text)
	case t.Kind != 'n':
	case lex.Mentions(strings.ToLower(t.Text), "database_url db_url db_host psycopg pymysql asyncpg mongoclient"):
		return elsewhere
	case lex.OneOf(t.Text, "duckdb.connect MongoMemoryServer.create newDb") && !Shaped(r.toks, i+1, "(s"):
		return inMemory
	case lex.OneOf(unqualified(t.Text), "connect create_engine Database DatabaseSync createConnection createPool Pool"):
		if given := tokenAt(r.toks, i+2); Shaped(r.toks, i+1, "(n") && r.madeFor(given.Text) == unknownPlace {
			return elsewhere
		}
	}
	return unknownPlace
}

// databaseNamed returns where the database is that a text names, if it is the address or the file of
// one.
func (r *reading) databaseNamed(text string) int {
	file := lex.EndsWith(text, ".db .sqlite .sqlite3 .duckdb")
	switch {
	case lex.Mentions(text, ":memory: mode=memory"), text == "sqlite://", text == "sqlite+aiosqlite://":
		return inMemory
	case file && strings.Contains(text, "/tmp/"), file && !strings.Contains(text, "/") && r.makesTemporary():
		return inMemory
	case file, strings.Contains(text, ":") && lex.BeginsWith(text, servers):
		return elsewhere
	}
	return unknownPlace
}

// servers are the beginnings of addresses of databases that stay.
const servers = "postgres mysql mariadb mssql oracle mongodb sqlite:///"

// madeFor returns where a database is whose address or file a name stands for.
func (r *reading) madeFor(name string) int {
	if lex.OneOf(unqualified(name), "join Path") || lex.OneOf(unqualified(name), tempMakers) {
		return inMemory
	}
	return r.databaseNamed(r.consts[name])
}

// makesTemporary reports whether the program makes temporary folders or files.
func (r *reading) makesTemporary() bool {
	for _, t := range r.toks {
		if t.Kind == 'n' && lex.OneOf(unqualified(t.Text), tempMakers+" tmp_path NamedTemporaryFile") {
			return true
		}
	}
	return false
}
