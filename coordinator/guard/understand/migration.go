package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
)

// migrationPrograms are the tools with which frameworks change and wipe their databases.
const migrationPrograms = "prisma knex sequelize typeorm drizzle-kit alembic flyway liquibase rails gitlab-rails " +
	"gitlab-rake rake bin/rails dbmate migrate goose diesel sqlx artisan manage.py " +
	"django-admin mix ecto sequelize-cli hasura atlas drush console flask ace mikro-orm sea-orm-cli payload " +
	"cake spark yii"

// migration reports framework commands that drop or reset a database. It is most
// often the developer's own database. A person can tell, but Afar cannot.
func migration(sh *shell.Shell, c shell.Command, _ shell.Options) {
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
	if c.Name == "rake" {
		rakeTasks(sh, c.Args)
	}
	if controls(c.Name) {
		remoteControl(sh, c, shell.Options{})
	}
}

// runsCode runs the code or the SQL that a framework's command gets. It reports whether the
// command is one that takes any.
func runsCode(sh *shell.Shell, c shell.Command) bool {
	if len(c.Args) > 1 && lex.OneOf(c.Args[0], "runner r -e") {
		script.Run(sh, c.Args[1], "ruby")
		return true
	}
	if code, ok := shell.ParseOptions(c.Args, "execute").Get("execute"); ok && lex.First(c.Args) == "tinker" {
		script.Run(sh, code, "php")
		return true
	}
	if !lex.OneOf(lex.First(c.Args), "shell dbshell") {
		return false
	}
	for _, code := range shell.ParseOptions(c.Args, "c command").All("c", "command") {
		script.Run(sh, code, "python")
	}
	for _, text := range append(lex.After(c.Args, "--", 1), stdin(c)...) {
		sql.Read(sh, text)
	}
	for _, text := range stdin(c) {
		script.Run(sh, text, "python")
	}
	return true
}

// lostByMigration returns what a command of a framework loses, and its verb. op is "" if
// nothing is lost, or if the command works on a database for tests or only prints its SQL.
func lostByMigration(sh *shell.Shell, c shell.Command) (op effect.Op, verb string) {
	if onlyPrintsSQL(c.Args) || forTests(sh, c.Args) {
		return "", ""
	}
	for i, a := range c.Args[:min(5, len(c.Args))] {
		verb = strings.ToLower(a)
		switch {
		case lex.OneOf(verb, "clean zero") && !lex.OneOf(c.Name, "flyway liquibase manage.py django-admin"):
		case lex.OneOf(verb, wipeVerbs),
			wipesData(verb),
			c.Name == "console" && wipesShortened(verb, c.Args[i:]):
			return effect.Reset, verb
		case lex.OneOf(verb, "rollback db:rollback undo downgrade migrate:rollback migration:rollback down --down "+
			"db:migrate:undo"):
			return effect.Column, verb
		case strings.HasSuffix(verb, ":restore"),
			lex.OneOf(a, "--force-reset --accept-data-loss"),
			a == "--force" && c.Name == "drizzle-kit":
			return effect.Reset, verb
		}
	}
	return "", ""
}

// wipeVerbs wipe a database in a tool for migrations. Each is a command of one word, or one
// that wipesData does not know.
const wipeVerbs = "drop reset flush reset_db sqlflush drop-all dropall clean zero fresh refresh " +
	"db:schema:load db:migrate:undo:all"

// storeNouns and wipeWords are the words of a command that wipes a database, such as
// migrate:fresh, ecto.drop and "database reset".
const (
	storeNouns = "db database schema migrate migration migrations ecto sql doctrine datastore"
	wipeWords  = "drop wipe fresh reset purge truncate empty refresh replant flush"
)

// wipesData reports whether the words of one operand say that it wipes a database.
func wipesData(operand string) bool {
	w := lex.VerbWords(operand)
	if lex.ContainsAny(w, "test cache dry") || !lex.ContainsAny(w, storeNouns) {
		return false
	}
	return len(w) > 1 && lex.ContainsAny(w, wipeWords)
}

// wipesStore reports whether the operands of a program that no table lists wipe a database.
func wipesStore(pos []string) bool {
	for i, p := range pos[:min(3, len(pos))] {
		if strings.ContainsAny(p, " /=") {
			return false
		}
		if strings.ContainsAny(p, ":.-") && wipesData(p) {
			return true
		}
		if i > 0 && lex.OneOf(pos[i-1], storeNouns) && lex.OneOf(p, wipeWords) {
			return true
		}
	}
	return false
}

// wipesShortened reports whether a command of Symfony, each part of which may be shortened, wipes
// a database.
func wipesShortened(verb string, args []string) bool {
	if shortens(verb, "doctrine:fixtures:load") {
		return !lex.ContainsAny(args, "--append")
	}
	return shortens(verb, "doctrine:schema:drop") || shortens(verb, "doctrine:database:drop")
}

// shortens reports whether each part of a name begins the same part of the full name.
func shortens(name, full string) bool {
	parts, whole := strings.Split(name, ":"), strings.Split(full, ":")
	if len(parts) != len(whole) {
		return false
	}
	for i, part := range parts {
		if part == "" || !strings.HasPrefix(whole[i], part) {
			return false
		}
	}
	return true
}

// onlyPrintsSQL reports whether an option makes a command print what it would do.
func onlyPrintsSQL(args []string) bool {
	return lex.ContainsAny(args, "--dump-sql --simulate --sql --pretend --dry-run --dryrun --create-only") ||
		lex.ContainsPrefix(args, "-dryRunOutput")
}

// environmentNames are the variables that name the environment of a framework.
var environmentNames = [...]string{
	"RAILS_ENV", "RACK_ENV", "NODE_ENV", "APP_ENV", "MIX_ENV", "DJANGO_ENV", "FLASK_ENV",
}

// forTests reports whether a command works on the database for tests.
func forTests(sh *shell.Shell, args []string) bool {
	for _, name := range environmentNames {
		if v, ok := sh.Assigned(name); ok && v == "test" {
			return true
		}
	}
	env, _ := shell.ParseOptions(args, "e env environment").Get("e", "env", "environment")
	return env == "test"
}

// Programs that no table lists are judged by the words of their commands. A script of
// the project is not judged by its words.

// endVerbs are verbs that only make sense for something that is hosted.
const endVerbs = "destroy terminate purge wipe nuke decommission deprovision"

// hostedNouns are what such a verb, or a deletion, is about.
const hostedNouns = "cluster clusters project projects namespace database databases bucket buckets stack stacks " +
	"instance instances server servers tenant tenants organization environment deployment service repo repository"

// localVerbs are programs whose verbs concern code or a cache on this machine: generators,
// runners of tasks and of tests.
const localVerbs = "ember hanami nest ng ionic task invoke inv nox tox doit mage xcrun simctl jest vitest mocha ava " +
	"pytest phpunit rspec bats ctest cypress playwright behave cucumber karma tap poe pdm hatch conda mamba"

// destroysByWord reports a possible destruction by a program that no table lists, if its
// first operands say so.
func destroysByWord(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case ownScript(full), lex.OneOf(c.Name, localVerbs), lex.ContainsAny(c.Args, dryOptions):
		return
	}
	words := leadingWords(c.Args)
	switch {
	case wipesStore(words) && !forTests(sh, c.Args):
		sh.Effect(effect.DropData, effect.Reset, c.Name+" "+strings.Join(words, " "))
	case endsHosted(words):
		sh.Possible(effect.DestroyRemote, effect.Part, c.Name+" "+strings.Join(words, " "))
	}
}

// ownScript reports whether a program is called by a path that is not one of the system's.
func ownScript(full string) bool {
	return strings.Contains(full, "/") && !lex.BeginsWith(full, "/usr/ /bin/ /sbin/ /opt/ /nix/ /snap/")
}

const dryOptions = "--dry-run --dryrun --help -h --simulate --what-if --list test"

// leadingWords returns the operands of a command that are plain words, up to the third. A word
// behind an option may be its value and does not count.
func leadingWords(args []string) []string {
	var words []string
	before := ""
	for _, a := range args {
		value := strings.HasPrefix(before, "-")
		before = a
		switch {
		case len(words) == 3:
			return words
		case value, a == "", strings.HasPrefix(a, "-"):
		default:
			words = append(words, strings.ToLower(a))
		}
	}
	return words
}

// endsHosted reports whether one of the words ends something hosted.
func endsHosted(words []string) bool {
	if len(words) < 2 || lex.ContainsAny(words, "cache caches") {
		return false
	}
	for i, w := range words {
		switch {
		case lex.OneOf(w, endVerbs):
			return true
		case lex.OneOf(w, "delete drop"):
			return lex.ContainsAny(words[max(0, i-1):], hostedNouns)
		}
	}
	return false
}
