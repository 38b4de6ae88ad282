#!/bin/sh
# Shown after a package was installed: it serves all users of the machine, and each installs from it.
echo "Afar is in /usr/lib/afar. To install it for yourself, type (not as root): /usr/lib/afar/install.sh"
