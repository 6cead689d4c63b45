-- Multipart uploads that are open, or completed a short while ago. src/state/stores/uploads.ts has the meaning of each column.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  details TEXT NOT NULL,
  phase TEXT NOT NULL,
  drive_state TEXT NOT NULL,
  part_count INTEGER NOT NULL,
  size BIGINT NOT NULL,
  completion TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  touched_at_ms BIGINT NOT NULL,
  lease_owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL
);

CREATE INDEX uploads_by_phase ON uploads (phase, touched_at_ms);

CREATE TABLE upload_parts (
  upload_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  etag TEXT NOT NULL,
  size BIGINT NOT NULL,
  modified_at_ms BIGINT NOT NULL,
  checksum TEXT NOT NULL,
  PRIMARY KEY (upload_id, number)
);
