/// The tables. All ids of names and reactions are of the whole file, so most tables need no column for the soup.
///
/// - `mol`: the waiting molecules, in the order of their bags, and the states that no worker has.
/// - `taken`: the states in the hands of workers.
/// - `firing`: the firings of a worker. Worker 0 stands for those that run again: each from the time `due` on.
/// - `later`: molecules that are due later. `dead`: dead letters. `call`: calls, until their outcome was read.
/// - `ready`: each reaction that may be able to fire, with the key. A row may be outdated; a missing one is a mistake.
/// - `reaction.seen`: when a definition declared it, or a worker began or ended to offer it.
/// - `lease`: the workers. `class`: the sets of reactions that workers offer, each with a bell. `offer`: the same.
/// - `producer`, `once`: what was injected already.
///
/// A change of the tables takes another version, which programs with this one refuse.
let schemaVersion: Int64 = 2
let schema = """
  CREATE TABLE IF NOT EXISTS clock(
    id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, offset INTEGER NOT NULL, last INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS soup(
    id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL UNIQUE, condition INTEGER NOT NULL,
    version INTEGER NOT NULL, next INTEGER NOT NULL, consumed INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS name(
    id INTEGER PRIMARY KEY AUTOINCREMENT, soup INTEGER NOT NULL, label TEXT NOT NULL, kind INTEGER NOT NULL,
    text TEXT NOT NULL, late INTEGER, lifetime INTEGER, UNIQUE(soup, label));
  CREATE TABLE IF NOT EXISTS reaction(
    id INTEGER PRIMARY KEY AUTOINCREMENT, soup INTEGER NOT NULL, label TEXT NOT NULL, state INTEGER,
    losses INTEGER NOT NULL, seen INTEGER NOT NULL, UNIQUE(soup, label));
  CREATE TABLE IF NOT EXISTS input(
    reaction INTEGER, position INTEGER, name INTEGER NOT NULL, PRIMARY KEY(reaction, position)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS class(
    id INTEGER PRIMARY KEY AUTOINCREMENT, soup INTEGER NOT NULL, reactions TEXT NOT NULL, UNIQUE(soup, reactions));
  CREATE TABLE IF NOT EXISTS offer(reaction INTEGER, class INTEGER, PRIMARY KEY(reaction, class)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lease(
    worker INTEGER PRIMARY KEY, soup INTEGER NOT NULL, class INTEGER NOT NULL, until INTEGER NOT NULL,
    life INTEGER NOT NULL, process INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mol(
    name INTEGER, key TEXT, id INTEGER, value BLOB NOT NULL, client INTEGER, number INTEGER, expires INTEGER,
    PRIMARY KEY(name, key, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS expiring ON mol(name, expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS taken(
    worker INTEGER, name INTEGER, id INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY(worker, name)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS firing(
    worker INTEGER, reaction INTEGER, due INTEGER, client INTEGER, number INTEGER, fence INTEGER NOT NULL,
    failures INTEGER NOT NULL, losses INTEGER NOT NULL, inputs BLOB NOT NULL,
    PRIMARY KEY(worker, reaction, due, client, number)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS later(
    soup INTEGER, due INTEGER, id INTEGER, name INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
    lifetime INTEGER, PRIMARY KEY(soup, due, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dead(
    soup INTEGER, client INTEGER, number INTEGER, reaction INTEGER NOT NULL, fence INTEGER NOT NULL,
    failures INTEGER NOT NULL, losses INTEGER NOT NULL, error TEXT NOT NULL, inputs BLOB NOT NULL,
    PRIMARY KEY(soup, client, number)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS call(
    client INTEGER, number INTEGER, soup INTEGER NOT NULL, name INTEGER NOT NULL, key TEXT NOT NULL,
    mol INTEGER NOT NULL, kind INTEGER, value BLOB, time INTEGER, PRIMARY KEY(client, number)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answered ON call(client, number) WHERE kind IS NOT NULL;
  CREATE TABLE IF NOT EXISTS ready(
    reaction INTEGER, key TEXT, turn INTEGER NOT NULL, PRIMARY KEY(reaction, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ready_turn ON ready(reaction, turn);
  CREATE TABLE IF NOT EXISTS producer(
    soup INTEGER, producer TEXT, number INTEGER NOT NULL, PRIMARY KEY(soup, producer)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS once(soup INTEGER, tag TEXT, PRIMARY KEY(soup, tag)) WITHOUT ROWID;
  """
