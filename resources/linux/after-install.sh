#!/bin/sh
# Runs as root after the files of the deb are in place. dpkg sets DPKG_ROOT if it installs into another root.
set -eu

app="${DPKG_ROOT:-}/opt/${sanitizedProductName}"
source="$app/resources/apparmor-profile"
target="${DPKG_ROOT:-}/etc/apparmor.d/${executable}"
sandbox=0755

is() {
  [ "$(cat "${DPKG_ROOT:-}/proc/sys/$1" 2>/dev/null)" = "$2" ]
}

# Where AppArmor keeps user namespaces for named programs, this profile names the app. Before AppArmor 4, no profile is needed.
if [ -d "${DPKG_ROOT:-}/etc/apparmor.d" ] && apparmor_parser --skip-kernel-load --skip-cache "$source" >/dev/null 2>&1; then
  cp "$source" "$target"
  # Not in a container or while an image is built.
  if [ -d "${DPKG_ROOT:-}/sys/kernel/security/apparmor" ]; then
    apparmor_parser --replace --write-cache --skip-read-cache "$target" || echo "Couldn't load $target. Restart the computer." >&2
  fi
elif is kernel/apparmor_restrict_unprivileged_userns 1; then
  sandbox=4755
fi

# If users can't create namespaces at all, Chromium's sandbox needs its helper with root's rights.
if is kernel/unprivileged_userns_clone 0 || is user/max_user_namespaces 0; then
  sandbox=4755
fi
chmod "$sandbox" "$app/chrome-sandbox"

# The command line, unless another program has its name.
link="${DPKG_ROOT:-}/usr/bin/countersign"
launcher="/opt/${sanitizedProductName}/resources/cli/countersign"
if [ ! -e "$link" ] && [ ! -L "$link" ]; then
  ln -s "$launcher" "$link"
elif [ "$(readlink "$link")" != "$launcher" ]; then
  echo "/usr/bin/countersign is another program. Countersign's command line is $launcher." >&2
fi
