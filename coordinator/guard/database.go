package guard

import "strings"

func databaseRow(name string) row {
	switch name {
	case "psql", "pgcli", "pgsql":
		return sqlClient("c command", "h p U d f o v F R T L host port username dbname file output set variable", false)
	case "mysql", "mariadb", "mycli":
		return sqlClient("e execute", "h P u D S host port user database socket", false)
	case "sqlite3", "sqlite", "duckdb", "litecli", "sqlcipher":
		return sqlClient("cmd c", "init separator newline", true)
	case "sqlcmd", "osql", "isql", "sqlplus", "db2", "bteq", "trino", "presto", "impala-shell", "hive", "beeline", "spark-sql", "ksql", "vsql", "nzsql":
		return sqlClient("Q q e execute c", "S U P d i f server user", true)
	case "cqlsh", "clickhouse-client", "clickhouse", "clickhouse-local", "snowsql", "usql", "mssql-cli", "dolt", "tidb", "questdb", "rqlite":
		return sqlClient("e q query execute Q c", "h u p k f host user password port", true)
	case "cockroach", "turso", "bq", "wrangler", "xata", "pscale", "planetscale", "heroku", "supabase", "neonctl", "snow", "athena", "snowflake", "influx":
		return mixedClient
	case "mongo", "mongosh":
		return mongo
	case "redis-cli", "valkey-cli", "keydb-cli", "dragonfly-cli":
		return redis
	case "cypher-shell":
		return graph
	case "dropdb":
		return func(sh *shell, c command) { sh.effect(DropData, "database", parseOptions(c.args, "h p U").at(0)) }
	case "dropuser", "dropRole":
		return func(sh *shell, c command) { sh.effect(DropData, "user", strings.Join(c.args, " ")) }
	case "mysqladmin", "mariadb-admin":
		return func(sh *shell, c command) {
			o := parseOptions(c.args, "h u P S host user port")
			switch o.at(0) {
			case "drop":
				sh.effect(DropData, "database", o.at(1))
			case "shutdown":
				sh.effect(StopService, "database", "mysql")
			}
		}
	case "pg_restore":
		return func(sh *shell, c command) {
			if o := parseOptions(c.args, "d h p U f dbname"); o.short('c') || o.exact("clean", "create") && o.exact("clean") {
				sh.effect(DropData, "table", "restore")
			}
		}
	case "pg_resetwal", "pg_rewind":
		return func(sh *shell, c command) { sh.effect(DropData, "log", c.name) }
	case "mongorestore":
		return func(sh *shell, c command) {
			if parseOptions(c.args, "").exact("drop") {
				sh.effect(DropData, "table", "restore")
			}
		}
	case "prisma", "knex", "sequelize", "typeorm", "drizzle-kit", "alembic", "flyway", "liquibase", "rails", "gitlab-rails", "gitlab-rake", "rake", "bin/rails", "dbmate", "migrate", "goose", "diesel", "sqlx", "artisan", "manage.py", "django-admin", "mix", "ecto", "sequelize-cli", "hasura", "atlas", "drush", "console":
		return migration
	}
	return nil
}

// sqlClient reads SQL from flags, from stdin and, where operand is set, from
// the operands.
func sqlClient(codeFlags, values string, operand bool) row {
	flags := strings.Fields(codeFlags)
	return func(sh *shell, c command) {
		o := parseOptions(c.args, values+" "+codeFlags)
		if operand && (o.at(0) == ":memory:" || strings.HasPrefix(o.at(0), "/tmp/")) {
			for _, text := range append(o.pos[1:], stdin(c)...) {
				sh.shellEscapes(text)
			}
			return
		}
		for _, text := range o.all(flags...) {
			if !strings.Contains(text, " ") && len(o.pos) > 0 { // the words were not quoted
				text += " " + strings.Join(o.pos, " ")
			}
			sh.clientText(text)
		}
		if f, ok := o.get("f", "file", "i"); ok {
			if text, written := sh.files[sh.path(f)]; written {
				sh.sql(text)
			}
		}
		if operand {
			for i, text := range o.pos {
				if i > 0 || strings.Contains(text, " ") {
					sh.clientText(text)
				}
			}
		}
		if c.in != nil {
			sh.clientText(*c.in)
		}
		sh.print(unknown)
	}
}

// clientText reads SQL; clients also have an escape to the shell.
func (sh *shell) clientText(text string) {
	if !sh.shellEscapes(text) {
		sh.sql(text)
	}
}

// shellEscapes runs the lines that a client hands to a shell. It reports whether
// the text is nothing else.
func (sh *shell) shellEscapes(text string) (all bool) {
	all = true
	for _, line := range splitLines(text) {
		escaped := false
		for _, esc := range [...]string{`\! `, ".shell ", ".system ", "system "} {
			if code, ok := strings.CutPrefix(strings.TrimSpace(line), esc); ok {
				sh.runText(code)
				escaped = true
			}
		}
		all = all && escaped
	}
	return all
}

// stdin is what a command reads there, as far as it is known.
func stdin(c command) []string {
	if c.in == nil {
		return nil
	}
	return []string{*c.in}
}

// mixedClient is a service's tool that takes SQL among its other verbs.
func mixedClient(sh *shell, c command) {
	o := parseOptions(c.args, "e execute c command sql q host url database-url app a")
	for _, text := range o.all("e", "execute", "c", "command", "sql", "q") {
		sh.sql(text)
	}
	for _, text := range o.pos {
		if strings.Contains(text, " ") {
			sh.sql(text)
		}
	}
	if c.in != nil {
		sh.sql(*c.in)
	}
	switch {
	case c.name == "heroku" && oneOf(o.at(0), "run run:detached"):
		child := sh.sub()
		child.place = remotePlace()
		child.run(strings.Join(o.pos[1:], " "), nil)
		return
	case c.name == "bq" && o.at(0) == "rm":
		sh.effect(DestroyRemote, "teardown", strings.Join(o.pos, " "))
		return
	case c.name == "heroku" && oneOf(o.at(0), "pg:copy pg:backups:restore pg:push"):
		sh.effect(DropData, "reset", o.at(0))
		return
	case strings.HasPrefix(o.at(0), "pg:reset"):
		sh.effect(DropData, "database", o.at(1))
		return
	case c.name == "supabase" && o.at(0) == "db" && o.at(1) == "reset":
		op := "reset"
		if o.exact("linked", "db-url") {
			op = "database"
		}
		sh.effect(DropData, op, o.at(1))
		return
	}
	if controls(c.name) {
		sh.remoteControl(c)
	}
}

// mongo reads the calls of its JavaScript that drop things.
func mongo(sh *shell, c command) {
	o := parseOptions(c.args, "eval u p host port username password f file authenticationDatabase")
	texts := o.all("eval")
	if c.in != nil {
		texts = append(texts, *c.in)
	}
	for _, text := range texts {
		toks := tokens(text, "js")
		for i, t := range toks {
			if t.kind == 'n' {
				sh.mongoCall(t.text[strings.LastIndexByte(t.text, '.')+1:], toks[i+1:])
			}
		}
	}
}

func (sh *shell) mongoCall(name string, rest []token) {
	if len(rest) == 0 || rest[0].kind != '(' {
		return
	}
	empty := len(rest) > 1 && rest[1].kind == ')' || len(rest) > 2 && rest[1].kind == '{' && rest[2].kind == '}'
	switch name {
	case "dropDatabase":
		sh.effect(DropData, "database", "mongo")
	case "drop", "dropCollection", "dropIndexes", "dropAllUsers", "dropUser", "dropRole", "dropIndex", "dropAllRoles":
		sh.effect(DropData, "table", name)
	case "deleteMany", "remove", "deleteOne", "bulkWrite", "updateMany":
		if empty {
			sh.effect(DropData, "rows", name)
		}
	case "shutdownServer":
		sh.effect(StopService, "database", "mongo")
	}
}

// graph reads Cypher: what a pattern without a condition matches is everything,
// or everything of a kind.
func graph(sh *shell, c command) {
	o := parseOptions(c.args, "a address u username p password d database f file format P param encryption impersonate error-format")
	texts := []string{strings.Join(o.pos, " ")}
	if f, ok := o.get("f", "file"); ok {
		texts = append(texts, sh.files[sh.path(f)])
	}
	if c.in != nil {
		texts = append(texts, *c.in)
	}
	for _, text := range texts {
		sh.sql(text) // DROP has the same words
		toks := tokens(text, "js")
		for from, i := 0, 0; i <= len(toks); i++ {
			if i == len(toks) || toks[i].kind == ';' {
				sh.graphStatement(toks[from:i])
				from = i + 1
			}
		}
	}
	sh.print(unknown)
}

func (sh *shell) graphStatement(toks []token) {
	match := 0
	for i, t := range toks {
		switch word := strings.ToUpper(t.text); {
		case t.kind == '{', t.kind == 'n' && oneOf(word, "WHERE LIMIT"):
			return // some of them
		case t.kind == 'n' && word == "MATCH":
			match = i
		case t.kind == 'n' && word == "DELETE":
			nodes := i - match
			if i > 0 && strings.EqualFold(toks[i-1].text, "DETACH") {
				nodes--
			}
			op := "rows"
			if nodes == len("(n)")+1 {
				op = "database"
			}
			sh.effect(DropData, op, "graph")
			return
		}
	}
}

func redis(sh *shell, c command) {
	o := parseOptions(c.args, "h p a n u s r i D d host port user pass")
	sh.redisCommand(o.pos)
	if c.in != nil {
		for _, line := range splitLines(*c.in) {
			sh.redisCommand(strings.Fields(line))
		}
	}
}

func (sh *shell) redisCommand(w []string) {
	if len(w) == 0 {
		return
	}
	verb, sub := strings.ToUpper(w[0]), ""
	if len(w) > 1 {
		sub = strings.ToUpper(w[1])
	}
	switch verb {
	case "FLUSHALL", "FLUSHDB":
		sh.effect(DropData, "database", verb)
	case "DEL", "UNLINK":
		if hasHole(strings.Join(w[1:], "")) || len(w) > 4 {
			sh.effect(DropData, "rows", verb)
			return
		}
		sh.effect(DropData, "key", verb)
	case "SHUTDOWN", "DEBUG", "FAILOVER", "REPLICAOF", "SLAVEOF", "SWAPDB", "MIGRATE":
		sh.effect(StopService, "database", "redis "+verb)
	case "CONFIG", "SCRIPT", "CLUSTER", "ACL", "FUNCTION", "CLIENT", "XGROUP", "XTRIM", "MODULE":
		if oneOf(sub, "SET RESETSTAT FLUSH RESET DELUSER DELETE KILL FORGET FLUSHSLOTS DELSLOTS REWRITE DESTROY UNLOAD") {
			sh.effect(ChangeRemote, "redis", verb+" "+sub)
		}
	case "EVAL":
		if strings.Contains(strings.ToUpper(strings.Join(w, " ")), "FLUSH") {
			sh.effect(DropData, "database", verb)
		}
	}
}

// migration covers the frameworks' own words for "drop the database": most
// often the developer's own, which a person can tell and we cannot.
func migration(sh *shell, c command) {
	if len(c.args) > 1 && oneOf(c.args[0], "runner r -e") {
		sh.code(c.args[1], "ruby")
		return
	}
	if first(c.args) == "shell" || first(c.args) == "dbshell" {
		o := parseOptions(c.args, "c command")
		for _, code := range o.all("c", "command") {
			sh.code(code, "python")
		}
		for _, text := range after(c.args, "--", 1) {
			sh.sql(text)
		}
		if c.in != nil {
			sh.sql(*c.in)
			sh.code(*c.in, "python")
		}
		return
	}
	if code, ok := parseOptions(c.args, "execute").get("execute"); ok && first(c.args) == "tinker" {
		sh.code(code, "php")
		return
	}
	for i, a := range c.args {
		if i > 4 {
			return
		}
		verb := strings.ToLower(a)
		switch {
		case oneOf(verb, "release hex.publish"):
			sh.effect(PublishOut, c.name, "registry")
			return
		case oneOf(verb, "db:drop db:reset db:purge db:schema:load drop reset db:drop:all ecto.drop ecto.reset db:wipe migrate:fresh migrate:reset migrate:refresh schema:drop flush reset_db sqlflush drop-all dropall clean database:reset db:migrate:undo:all db:migrate:reset zero "+
			"sql-drop sql:drop doctrine:schema:drop doctrine:database:drop") && !containsAny(c.args, "--dump-sql --simulate") &&
			!(verb == "clean" && c.name != "flyway" && c.name != "liquibase"):
			sh.effect(DropData, "reset", c.name+" "+verb)
			return
		case oneOf(verb, "rollback db:rollback undo downgrade migrate:rollback down --down db:migrate:undo"):
			sh.effect(DropData, "column", c.name+" "+verb)
			return
		case strings.HasSuffix(verb, ":restore"), a == "--force-reset", a == "--accept-data-loss", a == "--force" && c.name == "drizzle-kit":
			sh.effect(DropData, "reset", c.name)
			return
		}
	}
	if controls(c.name) {
		sh.remoteControl(c)
	}
}
