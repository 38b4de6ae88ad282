#!/bin/sh
# Stands in for a hook program after an uninstall, as long as sessions run that were started with Afar. Claude Code
# 2.1.295 and newer refuses every tool call whose guard is missing. This one has no opinion on anything.
cat >/dev/null
