#!/bin/sh
# Stands in for a hook program after an uninstall, as long as sessions run that were started with Afar, or its plugin is
# still in Claude Code: from 2.1.295 on it refuses every tool call whose guard is missing. This one has no opinion.
cat >/dev/null
case $0 in
*/hook-session-start)
  text="Afar was uninstalled, and nothing is guarded. Its plugin is still in Claude Code; to take it out, type: claude plugin uninstall afar@afar"
  printf '{"systemMessage":"%s"}\n' "$text"
  ;;
esac
