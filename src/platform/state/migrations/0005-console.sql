-- What the dashboard shows beside the drive itself. src/state/stores/bucket-counts.ts, deletions.ts and failures.ts have the
-- meaning of each column.

-- How much is in each bucket, as of the last count.
CREATE TABLE bucket_counts (
  bucket TEXT NOT NULL PRIMARY KEY,
  objects BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  last_modified_ms BIGINT NOT NULL,
  counted_at_ms BIGINT NOT NULL,
  took_ms BIGINT NOT NULL,
  tried_at_ms BIGINT NOT NULL,
  problem TEXT NOT NULL,
  lease_owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL
);

-- Deletions of everything below a prefix.
CREATE TABLE deletions (
  id TEXT NOT NULL PRIMARY KEY,
  -- bucket and prefix as JSON: PostgreSQL's text has no NUL character, a prefix may
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  deleted BIGINT NOT NULL,
  started_at_ms BIGINT NOT NULL,
  ended_at_ms BIGINT NOT NULL,
  message TEXT NOT NULL,
  is_cancelled INTEGER NOT NULL,
  lease_owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL
);

CREATE INDEX deletions_by_state ON deletions (state, started_at_ms);

-- The latest requests that failed.
CREATE TABLE failures (
  request_id TEXT NOT NULL PRIMARY KEY,
  at_ms BIGINT NOT NULL,
  json TEXT NOT NULL
);

CREATE INDEX failures_by_time ON failures (at_ms, request_id);
