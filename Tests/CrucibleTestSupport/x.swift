import Crucible
