-- Buckets that were made at run time. src/state/stores/made-buckets.ts has the meaning of each column.
CREATE TABLE made_buckets (
  bucket TEXT NOT NULL PRIMARY KEY,
  made_at_ms BIGINT NOT NULL,
  is_removing INTEGER NOT NULL
);

-- The right to make and remove buckets: one row.
CREATE TABLE made_buckets_lease (
  one INTEGER NOT NULL PRIMARY KEY,
  lease_owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL
);

INSERT INTO made_buckets_lease (one, lease_owner, lease_until_ms) VALUES (1, '', 0);

ALTER TABLE bucket_options ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0;
