-- The name of this database, one row. A drive that belongs to it keeps it (docs/decisions/0018-drive-owner.md).
CREATE TABLE database_id (
  -- always 1: of several processes that name it at once, one does
  one INTEGER NOT NULL PRIMARY KEY,
  id TEXT NOT NULL
);

-- Drives that belong to this database.
CREATE TABLE drives (
  -- where the drive is, as DRIVE says, without a password
  location TEXT NOT NULL PRIMARY KEY,
  drive_id TEXT NOT NULL
);
