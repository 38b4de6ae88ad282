#!/bin/sh
# Installs Afar from this checkout or release archive, or takes it away again. Safe to run as often as you like: what is
# already as it should be is left alone. `./install.sh --help` says what it touches.
set -eu

plugin=afar@afar
parts="plugin .claude-plugin skills install.sh LICENSE NOTICES README.md CHANGELOG.md" # of an archive, beside bin/
lock_file=/etc/claude-code/managed-settings.d/50-afar.json # of `afar lock`
alias_marker="# Written by Afar's install.sh"

usage() {
  cat <<'EOF'
usage: ./install.sh [--prefix DIR] [--no-loop-alias] [--no-hold] [--service]
       ./install.sh --uninstall [--prefix DIR]
       ./install.sh --help

In a checkout: builds Afar's programs into bin/ and installs them from here, so keep the checkout where it is. That needs
Go 1.26 or newer, which fetches the very release that go.mod names.
In a release archive or a package: copies it to ~/.local/share/afar ($XDG_DATA_HOME/afar when set) and installs it there.
That needs nothing else. Run the install.sh of a newer archive to update.

  --prefix DIR      link the command `afar` into DIR/bin ($PREFIX/bin when set, else ~/.local/bin); a link, never a copy
  --no-loop-alias   leave bare /loop to Claude Code (otherwise ~/.claude/commands/loop.md makes it Afar's)
  --no-hold         do not seat Afar first among Claude Code's plugins (otherwise "prependPlugins" in your settings of
                    Claude Code names it, so that no other plugin overrules the guard)
  --service         start the daemon with your login, and again when it dies (a systemd user unit or a launchd agent)
  --uninstall       stop the coordinator and remove link, plugin, alias, bin/ and that copy; your own data stays

It touches bin/ or the copy, the link, Claude Code's plugin settings, that key, and that one command file.
Exit codes: 0 installed (or removed), 1 not, 2 wrong usage.
EOF
}

main() {
  action=install prefix=${PREFIX-} with_alias=yes with_hold=yes with_service=no plugin_left=no
  while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --uninstall) action=uninstall ;;
    --no-loop-alias) with_alias=no ;;
    --no-hold) with_hold=no ;;
    --service) with_service=yes ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --prefix)
      [ -n "${2-}" ] || wrong_usage "--prefix needs a directory"
      prefix=$2
      shift
      ;;
    *) wrong_usage "unknown option: $1" ;;
    esac
    shift
  done
  [ -n "${HOME-}" ] || fail "HOME is not set"
  settle_in "$(cd "$(dirname "$0")" && pwd -P)"
  link=$(absolute "${prefix:-$HOME/.local}")/bin/afar
  host_dir=$(absolute "${CLAUDE_CONFIG_DIR:-$HOME/.claude}")
  alias_file=$host_dir/commands/loop.md
  cd "$root"
  "$action"
}

# settle_in DIR: the folder that Afar is installed in.
settle_in() {
  root=$1
  bin=$root/bin
  pin=$bin/afar.pin
  link_note=$bin/.link   # where links to bin/afar were put, one a line, for uninstall
  stale_note=$bin/.stale # there from the change of bin/afar or its place until the coordinator runs the new one
}

# True in the tree of a release: it has programs and no source.
is_release() {
  [ ! -f "$root/go.mod" ]
}

install() {
  if is_release; then
    check_link
    copy_release
  else
    check_needs
    check_link
    build
  fi
  write_pin
  link_command
  start_coordinator
  [ "$with_alias" = no ] || write_alias
  register_plugin
  hold
  login_service
  say "Installed."
  "$bin/afar" doctor </dev/null || say "The doctor's red lines say what is left to do."
  say "Next: start \`claude\` in a project as always. \`afar open\` shows its questions in your browser, and you answer there;"
  say "\`afar telegram connect\` brings them to your phone."
}

uninstall() {
  if is_release; then
    settle_in "$(release_place)"
    is_release || fail "$root is a checkout. Run the install.sh there."
  fi
  check_unlocked
  data=$(kept_data)
  unregister_plugin # first, so that no new session loads hooks whose programs are about to go
  let_go
  no_status_line
  no_login_service
  stop_coordinator "$pin"
  remove_link
  remove_alias
  remove_bin
  remove_release
  if hooks_in_use; then
    leave_stand_ins
  else
    say "Removed."
  fi
  say "Your own data stays; delete it when you no longer want it: $data"
}

# ---- needs

check_needs() {
  # Variables for another target or workspace would build something else than this machine needs.
  unset GOOS GOARCH GOEXPERIMENT
  export GOWORK=off
  command -v go >/dev/null 2>&1 ||
    fail "Go was not found on PATH. Install Go 1.26 or newer (https://go.dev/dl), then run this again."
  scratch_for_go
  version=$(run_go env GOVERSION 2>&1) ||
    fail "Go 1.26 or newer is needed, and this one cannot take its place: $version"
  new_enough "$version" ||
    fail "Go 1.26 or newer is needed; this is $version. Install a newer one (https://go.dev/dl), then run this again."
  note_old_library
  command -v git >/dev/null 2>&1 ||
    say "Note: git was not found. Afar works without it, except loops over issues and snapshots."
}

# Go counts its own runs in a folder beside its settings. A second install must change nothing of the person's, so Go
# gets another folder for its counters, and keeps its settings.
scratch_for_go() {
  scratch
  settings=${XDG_CONFIG_HOME:-$HOME/.config}
  [ "$(uname)" != Darwin ] || settings="$HOME/Library/Application Support"
  go_env=${GOENV:-$settings/go/env}
}

scratch() {
  mkdir -p "$bin"
  new=$(mktemp -d "$bin/.new.XXXXXX")
  trap 'rm -rf "$new"; rmdir "$bin" 2>/dev/null || :' EXIT # an install that fails leaves no empty bin/
  trap 'exit 1' HUP INT TERM
}

run_go() {
  GOENV=$go_env XDG_CONFIG_HOME=$new/config CGO_ENABLED=0 go "$@"
}

# Takes go1.26, go1.26.3, go1.27rc1, go2.0 and "devel" builds, which name no release.
new_enough() {
  case $1 in devel*) return 0 ;; go*.*) ;; *) return 1 ;; esac
  number=${1#go}
  major=${number%%.*}
  minor=${number#*.}
  minor=${minor%%[!0-9]*}
  [ "$major" -gt 1 ] || { [ "$major" -eq 1 ] && [ "${minor:-0}" -ge 26 ]; }
}

# Says so where the build takes an older standard library than go.mod names, whose known vulnerabilities our programs call.
# Go fetches the named release by itself unless GOTOOLCHAIN is local.
note_old_library() {
  pinned=$(sed -n 's/^toolchain //p' "$root/go.mod")
  patch=${version#go1.26.}
  patch=${patch%%[!0-9]*}
  [ -n "$patch" ] && [ "$patch" -lt "${pinned##*.}" ] || return 0
  say "Note: this builds with $version, whose standard library has known vulnerabilities. $pinned mends them; set"
  say "      GOTOOLCHAIN=auto, and Go fetches it."
}

# ---- a release

release_place() {
  printf '%s/afar\n' "$(absolute "${XDG_DATA_HOME:-$HOME/.local/share}")"
}

# Running sessions go on with the programs in the old place, so a newer release goes to the same one, file by file.
copy_release() {
  from=$root
  "$from/bin/afar" version >/dev/null 2>&1 || fail "the programs in $from/bin do not run on this machine ($(uname -sm)). \
Take the archive for it. On macOS, where a browser fetched the archive: xattr -dr com.apple.quarantine '$from'"
  command -v git >/dev/null 2>&1 ||
    say "Note: git was not found. Afar works without it, except loops over issues and snapshots."
  settle_in "$(release_place)"
  [ "$from" != "$root" ] || return 0
  # An install that was killed left bin/ at most, or plugin/ too, which comes first.
  [ -z "$(find "$root" -mindepth 1 -maxdepth 1 ! -name bin 2>/dev/null)" ] || { [ -f "$root/plugin/start.sh" ] && is_release; } ||
    fail "$root is there and is not a release of Afar. Move it away, or install from the checkout there."
  say "Copying Afar to $root"
  scratch
  mkdir "$new/bin"
  cp "$from"/bin/* "$new/bin/"
  for part in $parts; do
    diff -rq "$from/$part" "$root/$part" >/dev/null 2>&1 && continue
    cp -R "$from/$part" "$new/part"
    [ ! -e "$root/$part" ] || mv "$root/$part" "$new/old-$part"
    mv "$new/part" "$root/$part"
  done
  for program in "$new"/bin/*; do
    put_in_place "$program"
  done
}

# The copy goes with everything in it that a release brought, once nothing runs from it.
remove_release() {
  if ! is_release || hooks_in_use; then
    return 0
  fi
  for part in $parts; do
    rm -rf "${root:?}/$part"
  done
  [ ! -d "$root" ] || rmdir "$root" 2>/dev/null || say "Left $root: it holds files that are not Afar's."
}

# ---- programs

build() {
  say "Building Afar's programs (the first time takes a minute or two)"
  mkdir "$new/bin"
  commit=$(sh "$root/plugin/commit.sh")
  # afar alone says its commit: a hook that has not changed must stay the same file.
  compile "-s -w" ./cmd/hook-* ./cmd/agent-run ./cmd/fleet-server
  compile "-s -w${commit:+ -X main.commit=$commit}" ./cmd/afar
  for program in "$new"/bin/*; do
    put_in_place "$program"
  done
}

compile() {
  flags=$1
  shift
  run_go build -trimpath -buildvcs=false -ldflags "$flags" -o "$new/bin/" "$@" ||
    fail "the build failed; Go's own words are above. Without network, Go needs a module proxy or a filled cache (GOPROXY)."
}

# A rename swaps the file whole, so running sessions keep working; one that has not changed keeps its time.
put_in_place() {
  target=$bin/$(basename "$1")
  cmp -s "$1" "$target" && return 0
  [ "$target" != "$bin/afar" ] || : >"$stale_note"
  mv -f "$1" "$target"
}

# The pin fixes Afar's home for the hooks. When it changes, the coordinator that runs by the old one must not live on.
write_pin() {
  old=$bin/.pin.old
  rm -f "$old"
  [ ! -f "$pin" ] || cp "$pin" "$old"
  "$bin/afar" pin write >/dev/null || fail "the pin beside the programs could not be written"
  if [ -f "$old" ] && ! cmp -s "$old" "$pin"; then
    stop_coordinator "$old"
  fi
  rm -f "$old"
}

link_command() {
  grep -qxF -e "$link" "$link_note" 2>/dev/null || printf '%s\n' "$link" >>"$link_note"
  if [ "$(readlink "$link" 2>/dev/null)" != "$bin/afar" ]; then
    mkdir -p "$(dirname "$link")"
    ln -s "$bin/afar" "$link.new.$$"
    mv -f "$link.new.$$" "$link"
    : >"$stale_note" # a coordinator started from another checkout takes calls from that checkout's programs only
    say "Linked $link"
  fi
  case :$PATH: in
  *:"$(dirname "$link")":*) ;;
  *) say "Warning: $(dirname "$link") is not on your PATH. Add it, or type $link." ;;
  esac
}

# Only nothing, or a link to some checkout's afar, may give way to the link.
check_link() {
  if [ -L "$link" ]; then
    case $(readlink "$link") in */bin/afar) return 0 ;; esac
  elif [ ! -e "$link" ]; then
    return 0
  fi
  fail "$link is there and is not Afar's. Move it away, or choose another place with --prefix."
}

remove_link() {
  { printf '%s\n' "$link" && cat "$link_note" 2>/dev/null; } | while IFS= read -r at; do
    [ "$(readlink "$at" 2>/dev/null)" = "$bin/afar" ] || continue
    rm -f "$at"
    say "Removed $at"
  done
}

remove_bin() {
  rm -rf "$bin"/.new.* "$bin/.building"
  rm -f "$bin/afar" "$bin/agent-run" "$bin/fleet-server" "$pin" "$pin.new" "$link_note" "$stale_note" "$bin/build.log" "$bin/.pin.old"
  hooks_in_use || rm -f "$bin"/hook-*
  [ ! -d "$bin" ] || rmdir "$bin" 2>/dev/null || hooks_in_use || say "Left $bin: it holds files that are not Afar's."
}

# True while something may still run our hooks: a session that runs, or a plugin that could not be taken away. Claude Code
# would refuse every tool call of such a session if its guard were missing.
hooks_in_use() {
  [ "$plugin_left" = no ] || return 0
  for file in "$host_dir"/sessions/*.json; do
    if [ -f "$file" ] && kill -0 "$(basename "$file" .json)" 2>/dev/null; then
      return 0
    fi
  done
  return 1
}

# They also keep start.sh from building the programs again.
leave_stand_ins() {
  for program in "$bin"/hook-*; do
    [ -f "$program" ] || continue
    cp "$root/plugin/gone.sh" "$program.new"
    mv -f "$program.new" "$program"
  done
  say "Removed. Sessions that still run go on without Afar and without its guard. For them $bin keeps programs that do"
  say "nothing. Keep this folder until these sessions have ended, then run this again: it removes the rest."
}

# ---- coordinator

start_coordinator() {
  verb=start
  [ ! -e "$stale_note" ] || verb=restart
  "$bin/afar" "$verb" </dev/null >/dev/null || fail "the coordinator did not $verb; see the reason above"
  rm -f "$stale_note"
}

login_service() {
  if [ "$with_service" = yes ]; then
    "$bin/afar" install-service </dev/null || say "Warning: the daemon does not start with your login; see the reason above."
  else
    say "To have the daemon start with your login: ./install.sh --service, or afar install-service"
  fi
  say "To see in Claude Code's status line what waits: afar statusline on"
}

no_login_service() {
  [ -x "$bin/afar" ] || return 0
  (in_home_of "$pin" && "$bin/afar" install-service --remove </dev/null >/dev/null) || say "Warning: the login service was not removed; see the reason above."
}

stop_coordinator() {
  [ -x "$bin/afar" ] || return 0
  (in_home_of "$1" && "$bin/afar" stop </dev/null >/dev/null) || say "Warning: the coordinator did not stop; see the reason above."
}

# Sets the environment that means the home which a pin names. Without a pin the present environment counts.
in_home_of() {
  [ -f "$1" ] || return 0
  unset AFAR_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
  state=$(pinned "$1" state)
  run=$(pinned "$1" run)
  AFAR_HOME=$(pinned "$1" root)
  if [ -n "$AFAR_HOME" ]; then
    export AFAR_HOME
    return 0
  fi
  HOME=$(pinned "$1" user)
  XDG_CONFIG_HOME=$(dirname "$(pinned "$1" config)")
  XDG_STATE_HOME=$(dirname "$state")
  export HOME XDG_CONFIG_HOME XDG_STATE_HOME
  if [ "$run" != "$state/run" ]; then
    XDG_RUNTIME_DIR=$(dirname "$run")
    export XDG_RUNTIME_DIR
  fi
}

pinned() {
  sed -n "s/^$2 //p" "$1"
}

kept_data() {
  if [ ! -f "$pin" ]; then
    echo "${AFAR_HOME:-${XDG_CONFIG_HOME:-$HOME/.config}/afar, ${XDG_STATE_HOME:-$HOME/.local/state}/afar, $HOME/afar}"
  elif [ -n "$(pinned "$pin" root)" ]; then
    pinned "$pin" root
  else
    echo "$(pinned "$pin" config), $(pinned "$pin" state), $(pinned "$pin" workspace)"
  fi
}

# ---- bare /loop

# plugin/alias/ holds the file as shipped now (loop.md) and as shipped before (loop.<version>.md). A file equal to one
# of them is Afar's to replace or remove; any other is the person's.
write_alias() {
  shipped=$root/plugin/alias/loop.md
  if [ -e "$alias_file" ] || [ -L "$alias_file" ]; then
    cmp -s "$shipped" "$alias_file" && return 0
    is_our_alias || {
      keep_alias
      return 0
    }
  fi
  mkdir -p "$(dirname "$alias_file")"
  cp "$shipped" "$alias_file.new.$$"
  mv -f "$alias_file.new.$$" "$alias_file"
  say "Bare /loop is Afar's now ($alias_file)"
}

remove_alias() {
  [ -e "$alias_file" ] || return 0
  if is_our_alias; then
    rm -f "$alias_file"
    say "Removed $alias_file"
    return 0
  fi
  keep_alias
}

is_our_alias() {
  [ ! -L "$alias_file" ] || return 1
  for version in "$root"/plugin/alias/*.md; do
    cmp -s "$version" "$alias_file" && return 0
  done
  return 1
}

keep_alias() {
  if grep -qF "$alias_marker" "$alias_file" 2>/dev/null; then
    say "Left $alias_file: you have changed it."
  else
    say "Left $alias_file: it is not Afar's. Afar's loop is /afar:loop."
  fi
}

# ---- Claude Code

register_plugin() {
  if ! find_host; then
    say "Claude Code was not found on PATH. When it is there, run this again, or type:"
    say "  claude plugin marketplace add '$root' && claude plugin install $plugin"
    return 0
  fi
  if ! registered_here || ! plugin_works; then
    host plugin marketplace add "$root" || fail "Claude Code did not take this folder as a marketplace"
    host plugin install "$plugin" || fail "Claude Code did not install the plugin"
  fi
  plugin_works || {
    host plugin list >&2
    fail "the plugin is installed but Claude Code does not load it; its list is above"
  }
  say "Sessions take Afar in when they start; restart those that are running."
}

unregister_plugin() {
  if ! find_host; then
    say "Claude Code was not found on PATH. If the plugin is in it, type:"
    say "  claude plugin uninstall $plugin; claude plugin marketplace remove afar"
    ! grep -qsE "\"$plugin\"[[:space:]]*:" "$host_dir/settings.json" "$host_dir/plugins/installed_plugins.json" || plugin_left=yes
    return 0
  fi
  if plugin_entry | grep -q . && ! registered_here; then
    say "Left the plugin in Claude Code: it was installed from another place than $root."
    return 0
  fi
  ! plugin_entry | grep -q . || host plugin uninstall "$plugin" || fail "Claude Code did not uninstall the plugin"
  ! registered_here || host plugin marketplace remove afar || fail "Claude Code did not remove the marketplace"
  # The host only marks what it copied as orphaned.
  rm -rf "$host_dir/plugins/cache/afar" "$host_dir/plugins/data/afar-afar"
}

find_host() {
  command -v claude >/dev/null 2>&1
}

# Away from any project, whose settings could change the answer.
host() {
  (cd / && claude "$@" </dev/null)
}

registered_here() {
  host plugin marketplace list --json 2>/dev/null | grep -qF "\"path\": \"$root\""
}

# Enabled, and loaded without an error: an install that succeeds does not mean that.
plugin_works() {
  plugin_entry | grep -q '"enabled": true' && ! plugin_entry | grep -q '"errors"'
}

# The lines of our entry in the host's list, or none.
plugin_entry() {
  host plugin list --json 2>/dev/null |
    awk -v id="\"id\": \"$plugin\"" '/^  \{/ { entry = "" } { entry = entry $0 "\n" } /^  \}/ && index(entry, id) { printf "%s", entry }'
}

# ---- the first seat

# The mod in plugin/hold.mjs counts only where it comes before all others. Without Claude Code there is nothing to seat.
hold() {
  if [ "$with_hold" = no ]; then
    let_go
    return 0
  fi
  find_host || return 0
  "$bin/afar" hold on </dev/null || say "Note: Afar is not seated first among the plugins, so another plugin's mod can overrule the guard."
}

# With the lock, Claude Code would go on asking hooks whose programs are gone.
check_unlocked() {
  grep -qsF "\"$root\"" "$lock_file" || return 0
  [ "$(id -u)" = 0 ] || fail "Afar is locked. Type this first: sudo $bin/afar unlock"
  "$bin/afar" unlock </dev/null || fail "the lock could not be taken away; see the reason above"
}

let_go() {
  [ -x "$bin/afar" ] || return 0
  (in_home_of "$pin" && "$bin/afar" hold off </dev/null) || say "Left prependPlugins in Claude Code's settings: see the reason above."
}

no_status_line() {
  [ -x "$bin/afar" ] || return 0
  (in_home_of "$pin" && "$bin/afar" statusline off </dev/null) || say "Left the status line in Claude Code's settings: see the reason above."
}

# ---- words

absolute() {
  case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s/%s\n' "$PWD" "$1" ;; esac
}

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

wrong_usage() {
  printf 'install.sh: %s\n' "$*" >&2
  usage >&2
  exit 2
}

main "$@"
