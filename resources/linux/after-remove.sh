#!/bin/sh
# Runs as root after the files of the deb are removed, and before an update, which keeps the profile.
set -eu

target="${DPKG_ROOT:-}/etc/apparmor.d/${executable}"

case "$1" in
  remove | purge)
    if [ -f "$target" ]; then
      # Otherwise the profile stays loaded until the computer restarts.
      if [ -d "${DPKG_ROOT:-}/sys/kernel/security/apparmor" ]; then
        apparmor_parser --remove "$target" || true
      fi
      rm -f "$target"
    fi
    link="${DPKG_ROOT:-}/usr/bin/countersign"
    if [ "$(readlink "$link")" = "/opt/${sanitizedProductName}/resources/cli/countersign" ]; then
      rm -f "$link"
    fi
    ;;
esac
