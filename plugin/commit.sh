#!/bin/sh
# Prints the commit that this checkout is at, "-changed" behind it where tracked files differ, and nothing where git
# does not know. install.sh and start.sh build it into `afar version`. No variable of git's from outside counts.
root=$(cd "$(dirname "$0")/.." && pwd -P) || exit 0

ask_git() {
  env -i PATH="$PATH" HOME="${HOME-}" git -C "$root" -c core.fsmonitor=false "$@" 2>/dev/null
}

[ "$(ask_git rev-parse --show-toplevel)" = "$root" ] || exit 0 # a checkout of something else around this folder
commit=$(ask_git rev-parse --short=12 HEAD) || exit 0
[ -z "$(ask_git status --porcelain --untracked-files=no)" ] || commit=$commit-changed
printf '%s\n' "$commit"
