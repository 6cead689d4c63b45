-- What a Google drive holds below its buckets; src/state/stores/drive-index.ts and src/drives/google/index/drive-index.ts have the rules.
CREATE TABLE drive_files (
  id TEXT NOT NULL PRIMARY KEY,
  -- the folder's id; empty when the file is hidden, as in the trash
  parent TEXT NOT NULL,
  -- UTF-8 in hex, which every collation sorts alike
  sort_name TEXT NOT NULL,
  -- file or folder
  kind TEXT NOT NULL,
  size BIGINT NOT NULL,
  md5 TEXT NOT NULL,
  revision TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  modified_at_ms BIGINT NOT NULL,
  -- grows with every change; older news never replace newer ones
  version BIGINT NOT NULL,
  etag TEXT NOT NULL,
  -- JSON, or empty when the file came by hand
  attributes TEXT NOT NULL,
  -- 1: a folder that only keys created
  is_own INTEGER NOT NULL,
  -- 1: a folder whose content is still to be listed
  unlisted INTEGER NOT NULL,
  -- the crawl that saw it last
  seen BIGINT NOT NULL,
  touched_at_ms BIGINT NOT NULL
);

CREATE INDEX drive_files_by_name ON drive_files (parent, sort_name);

CREATE INDEX drive_files_unlisted ON drive_files (id) WHERE unlisted = 1;

-- Attributes that do not fit in a file's own properties.
CREATE TABLE drive_attributes (
  id TEXT NOT NULL,
  -- of the bytes that they belong to
  md5 TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (id, md5)
);

-- One row: how far the index is.
CREATE TABLE drive_index (
  -- the id of the drive's root folder
  root TEXT NOT NULL PRIMARY KEY,
  -- the id of the folder for what is not an object yet; or empty
  staging TEXT NOT NULL,
  crawl BIGINT NOT NULL,
  is_ready INTEGER NOT NULL,
  -- where the feed of changes goes on; empty before the first crawl
  page_token TEXT NOT NULL,
  polled_at_ms BIGINT NOT NULL,
  -- who reads the feed
  owner TEXT NOT NULL,
  until_ms BIGINT NOT NULL
);

-- Resumable sessions of multipart uploads.
CREATE TABLE drive_uploads (
  id TEXT NOT NULL PRIMARY KEY,
  -- ids of the files that its sessions end in
  file_ids TEXT NOT NULL,
  json TEXT NOT NULL,
  touched_at_ms BIGINT NOT NULL
);

CREATE INDEX drive_uploads_by_time ON drive_uploads (touched_at_ms);

-- Committed bytes of an upload behind the last multiple of 256 KiB, base64.
CREATE TABLE drive_upload_carries (
  upload_id TEXT NOT NULL,
  -- committed bytes of the upload, these included
  size BIGINT NOT NULL,
  bytes TEXT NOT NULL,
  PRIMARY KEY (upload_id, size)
);

-- Digests of the blocks that a session was sent, or is about to be.
CREATE TABLE drive_upload_blocks (
  upload_id TEXT NOT NULL,
  first_block BIGINT NOT NULL,
  digests TEXT NOT NULL,
  PRIMARY KEY (upload_id, first_block)
);
