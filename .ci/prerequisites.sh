# Debian packages that a command of this repository needs. To be sourced:
#
#   source .ci/prerequisites.sh
#   require_packages liburcu-dev pkg-config

# Installs those of the named packages that are missing, as root or through sudo without a password. Otherwise says
# which command to run, and returns 1.
require_packages() {
  local package missing=()
  for package in "$@"; do
    if ! package_is_installed "$package"; then missing+=("$package"); fi
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then as_root=(sudo -n); fi
  if ! command -v apt-get >/dev/null || { ((EUID != 0)) && ! sudo -n true 2>/dev/null; }; then
    echo "missing: ${missing[*]}. Please run" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
  echo "installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get -q update >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}" >&2
}

# pkg-config counts as there when another package provides the command.
package_is_installed() {
  if [[ $1 == pkg-config ]] && command -v pkg-config >/dev/null; then return 0; fi
  [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]
}
