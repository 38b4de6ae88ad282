package database

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// Programs are the programs of this file, with what each does.
var Programs = []rows.Table{
	{
		Programs: "cockroach turso bq wrangler xata pscale planetscale heroku supabase neonctl snow athena snowflake " +
			"influx",
		Options: "e execute c command sql q host url database-url app a", Dry: "dry_run dry-run", Rows: MixedRows,
	},
	{
		Programs: "mongo mongosh", Options: "eval u p host port username password f file authenticationDatabase",
		Do: mongo,
	},
	{Programs: here.KeyStores, Options: "h p a n u s r i D d host port user pass", Do: redis},
	{
		Programs: "cypher-shell",
		Options: "a address u username p password d database f file format P param encryption impersonate " +
			"error-format",
		Do: graph,
	},
	{Programs: migrationPrograms, Do: migration, Rows: []rows.Row{
		{
			Of: "drush", Words: "site:install|site-install|si", Does: effect.DropData, Op: effect.Reset,
			To: rows.Operand(0),
		},
		{Of: "hasura", Words: "metadata clear", Does: effect.DropData, Op: effect.Reset, To: rows.Operand(0)},
	}},
	{Programs: "sqitch", Rows: []rows.Row{
		{Words: "revert|rebase|checkout", Does: effect.DropData, Op: effect.Column, To: rows.Operand(0)},
	}},
	{
		Programs: "pg_dropcluster",
		Rows:     []rows.Row{{Does: effect.DropData, Op: effect.Database, To: rows.OperandsFrom(0)}},
	},
	{
		Programs: "createdb dropdb", Options: "h p U O T E D l host port username owner template maintenance-db",
		Rows: []rows.Row{
			{Of: "dropdb", Does: effect.DropData, Op: effect.Database, To: rows.Operand(0)},
			{Words: "*", Also: rememberDatabase},
		},
	},
	{Programs: "dropuser dropRole", Rows: []rows.Row{{Does: effect.DropData, Op: effect.User, To: rows.Arguments}}},
	{Programs: "mysqladmin mariadb-admin", Options: "h u P S host user port", Rows: []rows.Row{
		{Words: "create *", Also: rememberDatabase},
		{Words: "drop", Does: effect.DropData, Op: effect.Database, To: rows.Operand(1)},
		{Words: "shutdown", Does: effect.StopService, Op: effect.Database, To: rows.Text("mysql")},
	}},
	{
		Programs: "mariadb-dump mongodump mysqldump pg_dump pg_dumpall", Options: "f file r result-file o out",
		Rows: []rows.Row{{Given: "f= file= r= result-file= o= out="}, {Also: rows.PrintData}},
	},
	{Programs: "pg_restore", Options: "d h p U f dbname host port -clean", Rows: []rows.Row{
		{Given: "c clean", Does: effect.DropData, Op: effect.Table, To: rows.Text("restore")},
	}},
	{Programs: "mongorestore mongoimport", Rows: []rows.Row{
		{Given: "drop", Does: effect.DropData, Op: effect.Table, To: rows.Text("restore")},
	}},
	{
		Programs: "celery",
		Options:  "A app b broker workdir Q queues X exclude-queues d destination t timeout",
		Rows: []rows.Row{
			{Words: "purge", Does: effect.DropData, Op: effect.Rows, To: rows.Operand(0)},
			{Words: "control shutdown", As: &rows.StopsServer},
		},
	},
	{Programs: "rq", Options: "u url", Rows: []rows.Row{
		{Words: "empty", Does: effect.DropData, Op: effect.Rows, To: rows.OperandsFrom(1)},
	}},
	{
		Programs: "pg_resetwal pg_rewind",
		Rows:     []rows.Row{{Does: effect.DropData, Op: effect.Log, To: rows.ProgramName}},
	},
}

// Clients are the clients whose purpose is to run SQL.
var Clients = []rows.Table{
	{
		Programs: "psql pgcli pgsql",
		Options:  "c command h p U d f o v F R T L host port username dbname file output set variable",
		Do:       sqlClient,
	},
	{Programs: "mysql mariadb mycli", Options: "e execute h P u D S host port user database socket", Do: sqlClient},
	{Programs: "sqlite3 sqlite duckdb litecli sqlcipher", Options: "- cmd c init separator newline", Do: fileClient},
	{
		Programs: "sqlcmd osql isql sqlplus db2 bteq trino presto impala-shell hive beeline spark-sql ksql vsql nzsql",
		Options:  "Q q e execute c S U P d i f server user", Do: fileClient,
	},
	{
		Programs: "cqlsh clickhouse-client clickhouse clickhouse-local snowsql usql mssql-cli dolt tidb questdb rqlite",
		Options:  "e q query execute Q c h u p k f host user password port", Do: fileClient,
	},
}

// sqlClient reads the SQL that a client gets from options and from standard input.
func sqlClient(sh *shell.Shell, c shell.Command, o argv.Options) {
	printed := ""
	for _, text := range o.All("c", "command", "e", "execute", "cmd", "q", "Q", "query") {
		if !strings.Contains(text, " ") { // the words were not quoted
			text = strings.TrimSpace(text + " " + strings.Join(o.Pos, " "))
		}
		clientText(sh, text)
		printed += literals(text)
	}
	if f, ok := o.Get("f", "file", "i"); ok {
		runStatements(sh, f)
	}
	for _, text := range rows.Stdin(c) {
		clientText(sh, text)
	}
	sh.Print(cmp.Or(printed, partial.Unknown))
}

// literals returns the literal texts of a query, with holes between them. A query may compose
// statements for another client.
func literals(query string) string {
	var b strings.Builder
	for i, part := range strings.Split(query, "'") {
		if i%2 == 1 {
			b.WriteString(part + partial.Unknown)
		}
	}
	return b.String()
}

// fileClient is sqlClient for a client whose operands may be SQL, too.
func fileClient(sh *shell.Shell, c shell.Command, o argv.Options) {
	sqlClient(sh, c, o)
	for i, text := range o.Pos {
		if i > 0 || strings.Contains(text, " ") {
			clientText(sh, text)
		}
	}
}

// clientText reads SQL, unless the whole text consists of shell escapes.
func clientText(sh *shell.Shell, text string) {
	if sh.InFile(text, sql.Read) {
		return
	}
	if f, ok := statementFile(text); ok {
		runStatements(sh, f)
		return
	}
	if !shellEscapes(sh, text) {
		sql.Read(sh, text)
	}
}

// shellEscapes runs the lines that a client passes to a shell, and reports whether all lines are such.
func shellEscapes(sh *shell.Shell, text string) (all bool) {
	all = true
	for _, line := range shell.SplitLines(text) {
		escaped := false
		for _, esc := range [...]string{`\! `, ".shell ", ".system ", "system "} {
			if code, ok := strings.CutPrefix(strings.TrimSpace(line), esc); ok {
				sh.RunText(code)
				escaped = true
			}
		}
		all = all && (writesResult(sh, line) || escaped)
	}
	return all
}

// writesResult reports the file to which a line of a client writes a result or a database: of
// sqlite3, psql and DuckDB. It returns false for any other line.
func writesResult(sh *shell.Shell, line string) bool {
	words := strings.Fields(line)
	if len(words) < 2 {
		return false
	}
	file := strings.Trim(words[len(words)-1], `'"`)
	switch {
	case lex.OneOf(words[0], `.backup .once .out .output .save \g \o \out \w`):
		if code, pipes := strings.CutPrefix(strings.TrimSpace(line[len(words[0]):]), "|"); pipes {
			sh.RunText(code)
		} else if !lex.OneOf(file, "stdout off") {
			sh.Write(file)
		}
		return true
	case words[0] == `\copy`, sh.Via == "duckdb" && strings.EqualFold(words[0], "copy"):
		if file := copiedTo(line); file != "" {
			sh.Write(file)
		}
	}
	return false
}

// copiedTo returns the file behind the "to" of a statement that copies a table, "" if there is none.
func copiedTo(line string) string {
	to := strings.LastIndex(strings.ToLower(line), " to ")
	if to < 0 {
		return ""
	}
	file := strings.TrimLeft(line[to+len(" to "):], ` '"`)
	if end := strings.IndexAny(file, ` '"`); end >= 0 {
		file = file[:end]
	}
	if lex.OneOf(strings.ToLower(file), "stdout program") {
		return ""
	}
	return file
}

// readSQL reads the SQL that the tool of a service gets.
func readSQL(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, text := range append(o.All("e", "execute", "c", "command", "sql", "q"), rows.Stdin(c)...) {
		sql.Read(sh, text)
	}
	for _, text := range o.Pos {
		if strings.Contains(text, " ") {
			sql.Read(sh, text)
		}
	}
}

// runOnHeroku follows the command that runs in an app.
func runOnHeroku(sh *shell.Shell, c shell.Command, o argv.Options) {
	_, rest := argv.Leading(lex.After(c.Args, o.At(0), 1), "a app s size e env r remote type")
	child := sh.Elsewhere()
	secret.ReportVariables(child, rest)
	if code := lex.First(rest); strings.Contains(code, " ") {
		child.RunText(code)
		return
	}
	child.Exec(rest, c.In)
}

// MixedRows describe the tools of services that also run SQL.
var MixedRows = []rows.Row{
	{GoOn: true, Also: readSQL},
	{Of: "heroku", Words: "run|run:*", Also: runOnHeroku},
	{
		Of: "heroku", Words: "pg:copy|pg:backups:restore|pg:push", Does: effect.DropData, Op: effect.Reset,
		To: rows.Operand(0),
	},
	{Of: "bq", Words: "rm", Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.OperandsFrom(0)},
	{Words: "pg:reset*", Does: effect.DropData, Op: effect.Database, To: rows.Operand(1)},
	{
		Of: "supabase", Words: "db reset", Given: "linked db-url", Does: effect.DropData, Op: effect.Database,
		To: rows.Operand(1),
	},
	{Of: "supabase", Words: "db reset"}, // of this machine
	{Also: hosted.Report},
}

// mongo reports the calls in its JavaScript that drop data or stop the server.
func mongo(sh *shell.Shell, c shell.Command, o argv.Options) {
	texts := o.All("eval")
	sh.Opaque(strings.Join(texts, "\n"))
	for _, text := range append(texts, rows.Stdin(c)...) {
		ReportMongo(sh, text)
	}
	for _, name := range append(o.All("f", "file"), o.Pos...) {
		if lex.EndsWith(name, ".js .mongodb .mjs .ts") {
			recipes.RunFile(sh, name, nil, ReportMongo)
		}
	}
}

// ReportMongo reports the calls in a text of the client's language.
func ReportMongo(sh *shell.Shell, text string) {
	toks := script.Tokenize(text, "js")
	for i, t := range toks {
		if t.Kind == 'n' {
			sh.AtOffset(text, t.At)
			mongoCall(sh, t.Text[strings.LastIndexByte(t.Text, '.')+1:], toks[i+1:])
		}
	}
}

// mongoCall reports the effects of one call on a database.
func mongoCall(sh *shell.Shell, name string, rest []script.Token) {
	if !script.Shaped(rest, 0, "(") {
		return
	}
	empty := script.Shaped(rest, 0, "()") || script.Shaped(rest, 0, "({}")
	switch name {
	case "dropDatabase":
		sh.Effect(effect.DropData, effect.Database, "mongo")
	case "drop", "dropCollection", "dropIndexes", "dropAllUsers", "dropUser", "dropRole", "dropIndex", "dropAllRoles":
		sh.Effect(effect.DropData, effect.Table, name)
	case "deleteMany", "remove", "deleteOne", "bulkWrite", "updateMany":
		if empty {
			sh.Effect(effect.DropData, effect.Rows, name)
		}
	case "shutdownServer":
		sh.Effect(effect.StopService, effect.Database, "mongo")
	}
}

// graph reads Cypher. A pattern without a condition matches all nodes, or all of a kind.
func graph(sh *shell.Shell, c shell.Command, o argv.Options) {
	texts := []string{strings.Join(o.Pos, " ")}
	if f, ok := o.Get("f", "file"); ok {
		texts = append(texts, sh.Files[sh.Path(f)])
	}
	for _, text := range append(texts, rows.Stdin(c)...) {
		ReportGraph(sh, text)
	}
	sh.Print(partial.Unknown)
}

// ReportGraph reads the statements of a text of Cypher.
func ReportGraph(sh *shell.Shell, text string) {
	sql.Read(sh, text) // DROP has the same words
	toks := script.Tokenize(text, "js")
	for from, i := 0, 0; i <= len(toks); i++ {
		if i == len(toks) || toks[i].Kind == ';' {
			graphStatement(sh, toks[from:i])
			from = i + 1
		}
	}
}

// graphStatement reports a DELETE that no condition limits.
func graphStatement(sh *shell.Shell, toks []script.Token) {
	match := 0
	for i, t := range toks {
		switch word := strings.ToUpper(t.Text); {
		case t.Kind == '{':
			return // it affects only some nodes
		case t.Kind != 'n':
		case lex.OneOf(word, "WHERE LIMIT"):
			return
		case word == "MATCH":
			match = i
		case word == "DELETE":
			nodes := i - match
			if i > 0 && strings.EqualFold(toks[i-1].Text, "DETACH") {
				nodes--
			}
			op := effect.Rows
			if nodes == len("(n)")+1 {
				op = effect.Database
			}
			sh.Effect(effect.DropData, op, "graph")
			return
		}
	}
}

// redis reports the effects of Redis commands in operands and in standard input.
func redis(sh *shell.Shell, c shell.Command, o argv.Options) {
	commands := [][]string{o.Pos}
	for _, text := range rows.Stdin(c) {
		for _, line := range shell.SplitLines(text) {
			commands = append(commands, strings.Fields(line))
		}
	}
	index := redisIndex(o)
	for _, words := range commands {
		wipes := lex.OneOf(strings.ToUpper(lex.First(words)), "FLUSHDB DEL UNLINK")
		switch {
		case !wipes, index <= 0:
			ReportRedis(sh, words)
		case index < firstScratch:
			sh.Effect(effect.DropData, effect.Rows, strings.Join(words, " "))
		}
	}
}

// firstScratch is the first index of a local Redis that is for tests and experiments: the
// advice of the rule about keys names it. A lower index other than 0 may hold a cache or jobs.
const firstScratch = 9

// redisIndex returns the index of the database that a command chooses, and 0 if the server
// is another machine or is not known.
func redisIndex(o argv.Options) int {
	host, _ := o.Get("h", "host")
	text, _ := o.Get("n")
	if url, ok := o.Get("u"); ok {
		host, text = url, url[strings.LastIndexByte(url, '/')+1:]
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil, host != "" && !web.IsLocalHost(host):
		return 0
	}
	return n
}

// ReportRedis reports the effects of one Redis command.
func ReportRedis(sh *shell.Shell, words []string) {
	upper := make([]string, len(words))
	for i, w := range words {
		upper[i] = strings.ToUpper(w)
	}
	rows.Run(sh, RedisRows, upper, shell.Command{Args: upper}, argv.Options{Pos: upper})
}

// rememberDatabase remembers the database that the last operand names.
func rememberDatabase(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.Makes("database", strings.ToLower(o.At(len(o.Pos)-1)))
}

// RedisRows describe the commands of Redis, in upper case.
var RedisRows = []rows.Row{
	{Words: "FLUSHALL|FLUSHDB", Does: effect.DropData, Op: effect.Database, To: rows.Operand(0)},
	{Words: "DEL|UNLINK", Mention: rows.UnknownNames, Does: effect.DropData, Op: effect.Rows, To: rows.Operand(0)},
	{Words: "DEL|UNLINK", Does: effect.DropData, Op: effect.Key, To: rows.Operand(0)},
	{
		Words: "SHUTDOWN|DEBUG|FAILOVER|REPLICAOF|SLAVEOF|SWAPDB|MIGRATE",
		Does:  effect.StopService, Op: effect.Database, To: rows.Joined{rows.Text("redis"), rows.Operand(0)},
	},
	{
		Words: "CONFIG|SCRIPT|CLUSTER|ACL|FUNCTION|CLIENT|XGROUP|XTRIM|MODULE " +
			"SET|RESETSTAT|FLUSH|RESET|DELUSER|DELETE|KILL|FORGET|FLUSHSLOTS|DELSLOTS|REWRITE|DESTROY|UNLOAD",
		Does: effect.ChangeRemote, Op: "redis", To: rows.Joined{rows.Operand(0), rows.Operand(1)},
	},
	{Words: "EVAL", Mention: "flush", Does: effect.DropData, Op: effect.Database, To: rows.Operand(0)},
	{Words: "EVAL", Mention: `'del' "del" 'unlink' "unlink"`, Does: effect.DropData, Op: effect.Key, To: rows.Operand(0)},
}

// migrationPrograms are the tools with which frameworks change and wipe their databases.
const migrationPrograms = "prisma knex sequelize typeorm drizzle-kit alembic flyway liquibase rails gitlab-rails " +
	"gitlab-rake rake bin/rails dbmate migrate goose diesel sqlx artisan manage.py django-admin mix ecto " +
	"sequelize-cli hasura atlas drush console flask ace mikro-orm sea-orm-cli payload cake spark yii"

// migration reports framework commands that drop or reset a database. It is most
// often the developer's own database. A person can tell, but Afar cannot.
func migration(sh *shell.Shell, c shell.Command, o argv.Options) {
	if runsCode(sh, c) {
		return
	}
	if op, verb := lostByMigration(sh, c); op != "" {
		sh.Effect(effect.DropData, op, c.Name+" "+verb)
		return
	}
	if lex.ContainsAny(c.Args[:min(5, len(c.Args))], "release hex.publish") {
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		return
	}
	if c.Name == "mix" {
		mixTasks(sh, c)
	}
	hosted.Report(sh, c, o)
}

// mixTasks runs "mix cmd" and the tasks of "mix do".
func mixTasks(sh *shell.Shell, c shell.Command) {
	switch lex.First(c.Args) {
	case "cmd":
		sh.Exec(c.Args[1:], c.In)
	case "do":
		tasks := strings.ReplaceAll(strings.Join(c.Args[1:], " "), "+", ",")
		for _, task := range strings.Split(tasks, ",") {
			sh.Exec(append([]string{"mix"}, strings.Fields(task)...), nil)
		}
	}
}

// runsCode runs the code or the SQL that a framework's command gets. It reports whether the
// command is one that takes any.
func runsCode(sh *shell.Shell, c shell.Command) bool {
	if len(c.Args) > 1 && lex.OneOf(c.Args[0], "runner r -e") {
		script.Run(sh, c.Args[1], "ruby")
		return true
	}
	if code, ok := argv.ParseOptions(c.Args, "execute").Get("execute"); ok && lex.First(c.Args) == "tinker" {
		script.Run(sh, code, "php")
		return true
	}
	shells := "shell dbshell"
	if c.Name == "rails" {
		shells += " db dbconsole"
	}
	if !lex.OneOf(lex.First(c.Args), shells) {
		return false
	}
	for _, text := range append(lex.After(c.Args, "--", 1), rows.Stdin(c)...) {
		sql.Read(sh, text)
	}
	for _, code := range append(argv.ParseOptions(c.Args, "c command").All("c", "command"), rows.Stdin(c)...) {
		script.Run(sh, code, "python")
	}
	return true
}

// lostByMigration returns what a command of a framework loses, and its verb. op is "" if
// nothing is lost, or if the command works on a database for tests or only prints its SQL.
func lostByMigration(sh *shell.Shell, c shell.Command) (op effect.Op, verb string) {
	switch {
	case lex.ContainsAny(c.Args, onlyPrint), lex.ContainsPrefix(c.Args, "-dryRunOutput"), ForTests(sh, c.Args):
		return "", ""
	}
	for i, a := range c.Args[:min(5, len(c.Args))] {
		verb = strings.ToLower(a)
		switch {
		case verb == "sqlflush": // only prints what flush would run
			sh.Print("TRUNCATE every_table;\n")
			return "", ""
		case lex.OneOf(verb, "clean zero") && !lex.OneOf(c.Name, "flyway liquibase manage.py django-admin"):
		case lex.OneOf(verb, wipeVerbs),
			verbs.WipesData(verb),
			c.Name == "console" && wipesShortened(verb, c.Args[i:]):
			return effect.Reset, verb
		case lex.OneOf(verb, "--down db:migrate:undo db:rollback down downgrade migrate:rollback migration:rollback"+
			" rollback undo"):
			return effect.Column, verb
		case strings.HasSuffix(verb, ":restore"),
			lex.OneOf(a, "--force-reset --accept-data-loss"),
			a == "--force" && c.Name == "drizzle-kit":
			return effect.Reset, verb
		}
	}
	return "", ""
}

// wipeVerbs wipe a database in a tool for migrations. verbs.WipesData does not know them.
const wipeVerbs = "clean db:migrate:undo:all db:schema:load drop drop-all dropall flush fresh refresh reset reset_db" +
	" zero"

// wipesShortened reports whether a command of Symfony, whose parts may be shortened, wipes a database.
func wipesShortened(verb string, args []string) bool {
	if shortens(verb, "doctrine:fixtures:load") {
		return !lex.ContainsAny(args, "--append")
	}
	return shortens(verb, "doctrine:schema:drop") || shortens(verb, "doctrine:database:drop")
}

// shortens reports whether each part of a name begins the same part of the full name.
func shortens(name, full string) bool {
	return slices.EqualFunc(strings.Split(name, ":"), strings.Split(full, ":"), func(part, whole string) bool {
		return part != "" && strings.HasPrefix(whole, part)
	})
}

// onlyPrint are the options with which a command prints what it would do.
const onlyPrint = "--dump-sql --simulate --sql --pretend --dry-run --dryrun --create-only"

// environmentNames are the variables that name the environment of a framework.
var environmentNames = [...]string{
	"RAILS_ENV", "RACK_ENV", "NODE_ENV", "APP_ENV", "MIX_ENV", "DJANGO_ENV", "FLASK_ENV",
	"DJANGO_SETTINGS_MODULE",
}

// databaseNames are the variables that name the database of a framework.
var databaseNames = [...]string{"DATABASE_URL", "DB_URL", "SQLALCHEMY_DATABASE_URI", "GOOSE_DBSTRING", "DB_DATABASE"}

// ForTests reports whether a command works on the database for tests.
func ForTests(sh *shell.Shell, args []string) bool {
	for _, name := range databaseNames {
		if place, ok := sh.Assigned(name); ok {
			_, disposable := web.StoreAt(place)
			return disposable || !strings.Contains(place, "://") && lex.ForTests(place)
		}
	}
	for _, name := range environmentNames {
		v, _ := sh.Assigned(name)
		if namesTests(v) || lex.ContainsAny(args, name+"=test") {
			return true
		}
	}
	env, _ := argv.ParseOptions(args, "e env environment settings").Get("e", "env", "environment", "settings")
	return namesTests(env)
}

// namesTests reports whether an environment, or the module with its settings, is for tests.
func namesTests(env string) bool {
	return lex.OneOf(env[strings.LastIndexByte(env, '.')+1:], "test testing test_settings")
}
