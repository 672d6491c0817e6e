# Sets `storm_sources`: storms.c, and the cases of the schedules, without the scheduler and the files that reach below
# it.
storm_sources=()
for source in "$(dirname "${BASH_SOURCE[0]}")"/../Schedules/*.c; do
  case $(basename "$source" .c) in
    bounded | futex | memory | objects | pct | scheduler | schedules | sites | threads | workers) ;;
    *) storm_sources+=("$source") ;;
  esac
done
storm_sources+=("$(dirname "${BASH_SOURCE[0]}")/storms.c")
