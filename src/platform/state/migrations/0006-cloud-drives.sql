-- Who is writing which key of a cloud drive; src/state/stores/key-leases.ts.
CREATE TABLE key_leases (
  -- SHA-256 of the lease key, base64url: lease keys are too long for an index
  key_digest TEXT NOT NULL PRIMARY KEY,
  -- the same of the lease key up to its last slash
  parent TEXT NOT NULL,
  owner TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  -- what the holder is about to do, for whoever takes over when it dies; or empty
  note TEXT NOT NULL
);

CREATE INDEX key_leases_by_parent ON key_leases (parent);

CREATE INDEX key_leases_by_end ON key_leases (until_ms);

-- Rises when something of that name has changed; names share slots by chance.
CREATE TABLE lease_revisions (
  slot INTEGER NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);

-- What a WebDAV drive knows of files beside their bytes, where the server can't keep it; src/state/stores/dav-records.ts.
CREATE TABLE dav_records (
  -- SHA-256 of the path below the drive's root, base64url
  path_digest TEXT NOT NULL,
  -- which version of the file it is about
  version TEXT NOT NULL,
  saved_at_ms BIGINT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (path_digest, version)
);

-- Folders of a WebDAV drive that only keys created: they go when their last object goes.
CREATE TABLE dav_folders (
  path_digest TEXT NOT NULL PRIMARY KEY
);

-- Uploads of a WebDAV drive that have become objects, or are about to.
CREATE TABLE dav_uploads (
  id TEXT NOT NULL PRIMARY KEY,
  saved_at_ms BIGINT NOT NULL
);

CREATE INDEX dav_uploads_by_time ON dav_uploads (saved_at_ms);
