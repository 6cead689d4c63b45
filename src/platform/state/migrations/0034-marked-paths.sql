-- Files and folders that people have starred or opened; src/dashboard/management/files/mark-table.ts has the meaning.
CREATE TABLE marked_paths (
  -- 'star' or 'opened'.
  kind TEXT NOT NULL,
  bucket TEXT NOT NULL,
  object_key TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (kind, bucket, object_key)
);

CREATE INDEX marked_paths_by_age ON marked_paths (kind, at_ms);
