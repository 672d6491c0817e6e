# How tests build the C core in ways of their own. To be sourced; `clang` comes with a Swift toolchain.
#
#   core            where it lies
#   small_core      options that put every rare path within a few steps: rings of two slots, few threads that add blindly, short
#                   heat, shallow nesting, no patience
#   sources_of CORE    the C sources of the core that lies in the folder CORE, one a line
#   compile DIR FLAG… -- SOURCE…   their object files in DIR, as many at a time as there are processors
#   urcu_flags      sets `urcu_compiling` and `urcu`, the options to compile with liburcu and to link it
#   mutant PATCH DIR   a copy of the core in DIR with PATCH applied; fails, with a message, if it does not apply or changes nothing

core=$(cd "$(dirname "${BASH_SOURCE[0]}")/../CSupport/CCrucible" && pwd)

small_core=(-DCRUCIBLE_FIRST_BYTES=1 -DCRUCIBLE_NEXT_BYTES=1 -DCRUCIBLE_LEAST_SLOTS=2 -DCRUCIBLE_BLIND_THREADS=2
  -DCRUCIBLE_HEAT=2 -DCRUCIBLE_DEPTH=2 -DCRUCIBLE_BATCH=3 -DCRUCIBLE_PAUSES=1 -DCRUCIBLE_FAILURES=1
  -DCRUCIBLE_SEARCHES=2 -DCRUCIBLE_PATIENCE=0)

if ! command -v clang >/dev/null; then
  echo "no clang on the PATH: it comes with a Swift toolchain" >&2
  exit 1
fi

sources_of() { find "$1/src" -name '*.c' | LC_ALL=C sort; }

compile() {
  local to=$1 flags=()
  shift
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  mkdir -p "$to"
  # shellcheck disable=SC2016  # the inner shell expands these
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I SOURCE bash -c \
    'source=$1 to=$2; shift 2; clang "$@" -c "$source" -o "$to/${source//\//-}.o"' - SOURCE "$to" "${flags[@]}"
}

urcu_flags() {
  read -ra urcu_compiling <<<"$(pkg-config --cflags liburcu-bp)"
  read -ra urcu <<<"$(pkg-config --libs liburcu-bp)"
}

mutant() {
  rm -rf "$2" && mkdir -p "$2" && cp -r "$core/src" "$core/include" "$2"
  if ! (cd "$2" && GIT_CEILING_DIRECTORIES=$(dirname "$2") git apply -C1 "$1") || diff -rq "$core/src" "$2/src" >/dev/null; then
    echo "FAILED mutation $(basename "$1" .patch) does not apply any more"
    return 1
  fi
}
