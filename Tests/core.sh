# How tests build the C core in ways of their own. To be sourced; `clang` comes with a Swift toolchain.
#
#   core             where it lies; "$core"/src/**/*.c are its sources, whose includes begin at "$core/src"
#   small_core       options that put every rare path within a few steps (base/tuning.h)
#   mutate           the program that knows all mutations (Tests/Mutations)
#   mutant NAME DIR  a copy of the core in DIR with the mutation NAME; fails, with a message, if it cannot be made

core=$(cd "$(dirname "${BASH_SOURCE[0]}")/../CSupport/CCrucible" && pwd)
mutate=$(cd "$(dirname "${BASH_SOURCE[0]}")/Mutations" && pwd)/mutate

small_core=(-DCRUCIBLE_SMALL)
shopt -s globstar

if ! command -v clang >/dev/null; then
  echo "no clang on the PATH: it comes with a Swift toolchain" >&2
  exit 1
fi

mutant() {
  rm -rf "$2" && mkdir -p "$2" && cp -r "$core/src" "$core/include" "$2"
  if ! "$mutate" apply "$1" --to "$2"; then
    echo "FAILED mutation $1 cannot be made"
    return 1
  fi
}
