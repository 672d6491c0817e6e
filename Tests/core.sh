# How tests build the C core in ways of their own. To be sourced; `clang` comes with a Swift toolchain.
#
# The environment may name another compiler with its options, CRUCIBLE_CC, and what runs its programs, CRUCIBLE_RUNNER.
#
#   core             where it lies; "$core"/src/**/*.c are its sources, whose includes begin at "$core/src"
#   work             a folder that is removed at the end
#   whole_core       options for the core as it is, with its assertions; kinds that use them share ccache's results
#   small_core       options that put every rare path within a few steps (base/tuning.h)
#   compile DIR CORE FLAG… -- SOURCE…   object files in DIR, as many at a time as there are processors, of the core that
#                    lies in CORE and of programs for it. With ccache, what is the same in another copy of the core, and
#                    what an earlier run has compiled, is taken from .build/ccache
#   link PROGRAM OPTION…   makes a program that runs here, if need be by CRUCIBLE_RUNNER
#   urcu_flags       sets `urcu_compiling` and `urcu`, the options to compile with liburcu and to link it
#   mutate           the program that knows all mutations (Tests/Mutations)
#   mutant NAME DIR  a copy of the core in DIR with the mutation NAME; fails, with a message, if it cannot be made
#   find_mutations KIND [NAME…]   calls `find_mutation NAME` for each name, or for all mutations that KIND is promised
#                    to find; fails if one is missed

core=$(cd "$(dirname "${BASH_SOURCE[0]}")/../CSupport/CCrucible" && pwd)
mutate=$(cd "$(dirname "${BASH_SOURCE[0]}")/Mutations" && pwd)/mutate

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

whole_core=(-std=gnu17 -O2 -g -fPIC -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -pthread)
small_core=(-DCRUCIBLE_SMALL)
shopt -s globstar

read -ra cc <<<"${CRUCIBLE_CC:-clang}"
if ! command -v "${cc[0]}" >/dev/null; then
  echo "no ${cc[0]} on the PATH: clang comes with a Swift toolchain" >&2
  exit 1
fi

compile() {
  local to=$1 copy flags=(-I"$2/include" -I"$2/src") launcher
  copy=$(cd "$2" && pwd)
  shift 2
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  mkdir -p "$to"
  to=$(cd "$to" && pwd)
  launcher=$(command -v ccache) || launcher=env
  # Paths below the copy become relative to it, so they are the same in every copy.
  # shellcheck disable=SC2016  # the inner shell expands these
  printf '%s\0' "$@" | (cd "$copy" && CCACHE_DIR="$core/../../.build/ccache" CCACHE_BASEDIR="$copy" CCACHE_NOHASHDIR=1 \
    CCACHE_NOSTATS=1 xargs -0 -P "$(nproc)" -I {} bash -c \
    'source=$1 to=$2; shift 2; "$@" -c "$source" -o "$to/${source//\//-}.o"' - {} "$to" "$launcher" "${cc[@]}" "${flags[@]}")
}

link() {
  "${cc[@]}" "${@:2}" -o "$1" || return 1
  if [[ ${CRUCIBLE_RUNNER:-} ]]; then
    mv "$1" "$1.elf"
    printf '#!/bin/sh\nexec %s "$0.elf" "$@"\n' "$CRUCIBLE_RUNNER" >"$1"
    chmod +x "$1"
  fi
}

urcu_flags() {
  read -ra urcu_compiling <<<"$(pkg-config --cflags liburcu-bp)"
  read -ra urcu <<<"$(pkg-config --libs liburcu-bp)"
}

mutant() {
  rm -rf "$2" && mkdir -p "$2" && cp -r "$core/src" "$core/include" "$2"
  if ! "$mutate" apply "$1" --to "$2"; then
    echo "FAILED mutation $1 cannot be made"
    return 1
  fi
}

find_mutations() {
  local names=("${@:2}") name missed=0
  if ((${#names[@]} == 0)); then mapfile -t names < <("$mutate" list "$1"); fi
  for name in "${names[@]}"; do find_mutation "$name" || missed=$((missed + 1)); done
  echo "${#names[@]} mutations, $missed missed"
  ((missed == 0))
}
