-- What is set for single buckets at run time. src/state/stores/bucket-options.ts has the meaning of each column.
-- A row stays when its bucket is removed, empty and with a new revision, so that every process forgets it.
CREATE TABLE bucket_options (
  bucket TEXT NOT NULL PRIMARY KEY,
  cors TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  quota_bytes BIGINT,
  revision BIGINT NOT NULL
);
