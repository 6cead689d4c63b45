-- What the local drive knows of files beside their bytes; see file-records.ts.
CREATE TABLE file_records (
  identity TEXT NOT NULL PRIMARY KEY,
  -- SHA-256 of the path below the drive's root, base64url: paths are too long for an index
  path_digest TEXT NOT NULL,
  size BIGINT NOT NULL,
  modified_at_ms DOUBLE PRECISION NOT NULL,
  saved_at_ms BIGINT NOT NULL,
  json TEXT NOT NULL
);

CREATE INDEX file_records_by_path ON file_records (path_digest);

-- Folders that only keys created: they go when their last object goes.
CREATE TABLE own_folders (
  identity TEXT NOT NULL PRIMARY KEY
);
