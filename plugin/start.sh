#!/bin/sh
# SessionStart, the only hook that goes through a shell. Where the binaries are there it becomes hook-session-start.
# Where they came beside the plugin (from npm) it links them into bin/ first. Where there are none (the plugin came from
# git alone) it builds them with Go: the guard first, for which the session waits at most 20 s, the rest behind its back.
# It ends with exit 1 where there is no guard then; Claude Code shows the notice all the same.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
bin=$root/bin
lock=$bin/.building
log=$bin/build.log

main() {
  if [ "${1-}" = build ]; then
    build
    exit 0
  fi
  [ -x "$bin/hook-session-start" ] && [ -x "$bin/hook-pre-tool-use" ] && exec "$bin/hook-session-start"
  restore_environment
  link_brought && exec "$bin/hook-session-start"
  first_start
  exit "$?"
}

# What a session is like whose guard is missing, and both ways out of it.
blocked="Until the guard is there, Claude Code 2.1.295 and newer refuses every tool call; an older one runs every call unguarded."
ways_out="Two ways out: run install.sh in a clone of Afar; or type claude plugin disable afar@afar and start a new session, which is then not guarded."

# npm fetched the package with the programs of this platform into node_modules. The guard is linked first, and
# hook-session-start last, as in build. Sessions that start at once link the same files, each by a rename.
link_brought() {
  for brought in "$root"/node_modules/@afar-sh/*/bin; do
    [ -x "$brought/hook-pre-tool-use" ] || continue
    mkdir -p "$bin" && link_one hook-pre-tool-use || return 1
    for program in "$brought"/*; do
      name=${program##*/}
      [ "$name" = hook-session-start ] || link_one "$name" || return 1
    done
    "$bin/afar" pin write </dev/null >/dev/null 2>"$log" && link_one hook-session-start
    return
  done
  return 1
}

# A hard link, because a program takes the folder that it lies in for Afar's; a copy where the file system has none.
link_one() {
  [ ! -x "$bin/$1" ] || return 0
  ln -f "$brought/$1" "$bin/.$1.$$" 2>/dev/null || cp "$brought/$1" "$bin/.$1.$$" || return 1
  mv -f "$bin/.$1.$$" "$bin/$1" || [ -x "$bin/$1" ] || return 1
  rm -f "$bin/.$1.$$" # a rename leaves it where both are one file
}

first_start() {
  if [ ! -f "$root/go.mod" ]; then
    notice "Afar is not active: the package with its programs for this system ($(uname -sm)) was not installed. $blocked Two ways out: type claude plugin uninstall afar@afar and install it again, with a network; or type claude plugin disable afar@afar and start a new session, which is then not guarded."
    return 1
  fi
  if ! go_serves; then
    notice "Afar is not active: its programs are not built, and Go 1.26 or newer was not found to build them (https://go.dev/dl). $blocked $ways_out"
    return 1
  fi
  if ! mkdir -p "$bin" 2>/dev/null || ! [ -w "$bin" ]; then
    notice "Afar is not active: its programs are not built, and the plugin folder is not writable. $blocked $ways_out"
    return 1
  fi
  build_behind
  if guard_is_built_soon; then
    notice "Afar is building its programs. The guard works in this session; all else (approvals, loops, commands) from the next session on. Until then Claude Code may report hooks that are not found."
    return 0
  elif [ -d "$lock" ]; then
    notice "Afar is still building its programs. $blocked That takes a minute or two; the session can go on then. If it does not: $ways_out"
  else
    notice "Afar is not active: building its programs failed. The reason is in bin/build.log in the plugin folder; the next session tries again. $blocked $ways_out"
  fi
  return 1
}

# A project's settings can set any variable of a hook, and the pin and the build are not theirs to steer: what counts is
# the environment that the client was started with. Where the system does not show it, the hook's own has to do.
restore_environment() {
  if [ -r "/proc/$PPID/environ" ]; then
    for name in PATH HOME AFAR_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR \
      GOENV GOFLAGS GOPROXY GOSUMDB GOTOOLCHAIN GOCACHE GOMODCACHE GOPATH GOROOT; do
      restore "$name"
    done
  fi
  unset GOOS GOARCH GOEXPERIMENT
  export GOWORK=off
  # A client started from a desktop may lack the folders where Go usually sits.
  PATH=$PATH:/usr/local/go/bin:/usr/local/bin:/opt/homebrew/bin
}

restore() {
  value=$(tr '\0' '\n' <"/proc/$PPID/environ" | sed -n "s/^$1=//p")
  if [ -n "$value" ]; then export "$1=$value"; else unset "$1"; fi
}

go_serves() {
  command -v go >/dev/null 2>&1 && (cd "$root" && go env GOVERSION) >/dev/null 2>&1
}

# The builder outlives this hook, so it gets a session of its own and none of its streams.
build_behind() {
  if command -v setsid >/dev/null 2>&1; then
    setsid sh "$root/plugin/start.sh" build </dev/null >/dev/null 2>&1 &
  else
    nohup sh "$root/plugin/start.sh" build </dev/null >/dev/null 2>&1 &
  fi
}

# True once the guard is there; false after 20 s, and when the builder has gone (it gets 2 s to appear).
guard_is_built_soon() {
  tenths=0
  while [ "$tenths" -lt 200 ]; do
    [ -x "$bin/hook-pre-tool-use" ] && return 0
    [ "$tenths" -gt 20 ] && ! [ -d "$lock" ] && return 1
    sleep 0.1
    tenths=$((tenths + 1))
  done
  return 1
}

build() {
  take_lock || return 0
  # The pin fixes Afar's home, so that no hook needs to believe its environment. hook-session-start comes last: once it
  # is there, start.sh no longer looks whether anything is missing.
  if make_one hook-pre-tool-use && make_hooks && make_one agent-run && make_one afar && "$bin/afar" pin write &&
    make_one fleet-server; then
    make_one hook-session-start
  fi 2>"$log"
  rm -rf "$lock"
}

# The lock names its owner; one whose owner is gone, or that is older than any build, is taken over. Should two take it
# over at the same instant, both build the same files and every rename is whole: only time is lost.
take_lock() {
  if ! mkdir "$lock" 2>/dev/null && owner_builds; then
    return 1
  fi
  mkdir -p "$lock" && echo "$$" >"$lock/pid"
}

owner_builds() {
  [ -s "$lock/pid" ] || sleep 1
  [ -z "$(find "$lock" -prune -mmin +20 2>/dev/null)" ] && kill -0 "$(cat "$lock/pid")" 2>/dev/null
}

make_hooks() {
  for dir in "$root"/cmd/hook-*/; do
    name=$(basename "$dir")
    case $name in hook-pre-tool-use | hook-session-start) continue ;; esac
    make_one "$name" || return 1
  done
}

make_one() {
  flags="-s -w" commit=
  [ "$1" != afar ] || commit=$(sh "$root/plugin/commit.sh")
  [ -z "$commit" ] || flags="$flags -X main.commit=$commit"
  (cd "$root" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "$flags" -o "$lock/$1" "./cmd/$1") &&
    mv -f "$lock/$1" "$bin/$1"
}

# One line of JSON: the text to the person and, as context, to the model. The texts above hold nothing to escape.
notice() {
  printf '{"systemMessage":"%s","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}\n' "$1" "$1"
}

main "$@"
