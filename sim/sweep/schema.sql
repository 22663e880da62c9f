-- The sweeps that were begun on this database.
CREATE TABLE sweep (
  name TEXT PRIMARY KEY,
  spec TEXT NOT NULL,             -- the sweep's file as it was read
  checksum INTEGER NOT NULL       -- of the row's other values; likewise below
) WITHOUT ROWID;

-- Their axes, in the file's order.
CREATE TABLE axis (
  sweep TEXT NOT NULL REFERENCES sweep(name),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sweep, position)
) WITHOUT ROWID;

-- All points that a sweep asks for, in its order, whether they have run or not. Two positions, also of two
-- sweeps, that have the same configuration have the same point.
CREATE TABLE sweep_point (
  sweep TEXT NOT NULL REFERENCES sweep(name),
  position INTEGER NOT NULL,
  point TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sweep, position)
) WITHOUT ROWID;

-- Where a point lies on its sweep's axes.
CREATE TABLE coordinate (
  sweep TEXT NOT NULL,
  position INTEGER NOT NULL,
  axis TEXT NOT NULL,             -- axis.name
  value TEXT NOT NULL,            -- as the sweep's file names it
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sweep, position, axis),
  FOREIGN KEY (sweep, position) REFERENCES sweep_point(sweep, position)
) WITHOUT ROWID;

-- What has run. A point that has no row here has not.
CREATE TABLE point (
  id TEXT PRIMARY KEY,            -- hash of `config`, its files and `model`
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  error TEXT,                     -- why it failed; NULL when done
  config TEXT NOT NULL,           -- the resolved configuration: `a3sim run` runs it
  version TEXT NOT NULL,          -- of the program
  model TEXT NOT NULL,            -- hash of the model's sources
  seconds REAL NOT NULL,          -- that it took; nothing that `a3sim results` prints
  memory INTEGER NOT NULL,        -- largest resident bytes of its process; likewise
  checksum INTEGER NOT NULL,
  CHECK ((status = 'failed') = (error IS NOT NULL))
) WITHOUT ROWID;

-- What came of it.
CREATE TABLE metric (
  point TEXT NOT NULL REFERENCES point(id),
  pass TEXT NOT NULL,             -- a pass's name, or 'total'
  name TEXT NOT NULL,             -- 'latency'; 'blame.link': the critical path's share of it, which sum to the latency
  value REAL NOT NULL,
  unit TEXT NOT NULL,             -- 'ms', 'MB', '%' ...; '' for a number
  checksum INTEGER NOT NULL,
  PRIMARY KEY (point, pass, name)
) WITHOUT ROWID;

-- Files that its configuration reads (a routing, an order's list): they stand beside it to run it again.
CREATE TABLE file (
  point TEXT NOT NULL REFERENCES point(id),
  name TEXT NOT NULL,             -- as the configuration calls it
  contents TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (point, name)
) WITHOUT ROWID;
