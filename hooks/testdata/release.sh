#!/usr/bin/env bash
#
# Builds the programs for all systems, runs the tests against a database in a
# container, and packs everything for a release.
#
# Usage: scripts/release.sh [options] [VERSION]
#
#   --fast       leave out the tests that need the database
#   --out DIR    where the archives go (default: dist)
#   --keep       keep the temporary files
#
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
OUT="$ROOT/dist"
FAST=0
KEEP=0
VERSION=""

usage() {
  sed -n '3,11p' "$0" | cut -c3-
}

log() {
  printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2
}

die() {
  log "error: $*"
  exit 1
}

need() {
  command -v "$1" >/dev/null 2>&1 || die "$1 is not installed"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --fast) FAST=1 ;;
    --keep) KEEP=1 ;;
    --out)
      OUT="${2:?--out needs a directory}"
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*) die "unknown option $1" ;;
    *) VERSION="$1" ;;
  esac
  shift
done

need go
need docker
need tar

cd "$ROOT"

# The version is the last tag, unless it is given.
if [ -z "$VERSION" ]; then
  VERSION="$(git describe --tags --always --dirty)"
fi
case "$VERSION" in
  *-dirty) log "the work tree has changes" ;;
esac

tmp="$(mktemp -d)"
cleanup() {
  if [ "$KEEP" -eq 0 ]; then
    rm -rf "$tmp"
  fi
  docker compose stop db >/dev/null 2>&1 || true
}
trap cleanup EXIT

log "tests"
go vet ./...
if [ "$FAST" -eq 1 ]; then
  go test -short ./...
else
  docker compose up -d db
  until docker compose exec -T db pg_isready -q; do sleep 1; done
  go test ./...
fi

log "build $VERSION"
rm -rf "${OUT:?}"
mkdir -p "$OUT"
for target in linux/amd64 linux/arm64 darwin/arm64; do
  os="${target%/*}"
  arch="${target#*/}"
  dir="$tmp/app-$VERSION-$os-$arch"
  mkdir -p "$dir"
  GOOS="$os" GOARCH="$arch" CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$dir/" ./cmd/...
  cp README.md LICENSE "$dir/"
  tar -C "$tmp" -czf "$OUT/app-$VERSION-$os-$arch.tgz" "$(basename "$dir")"
done

(cd "$OUT" && sha256sum ./*.tgz >SHA256SUMS)
log "done: $(find "$OUT" -type f | wc -l) files in $OUT"
