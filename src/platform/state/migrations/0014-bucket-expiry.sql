-- Removals by lifecycle rules. src/state/stores/bucket-expiry.ts has the meaning of each column.
CREATE TABLE bucket_expiry (
  bucket TEXT NOT NULL PRIMARY KEY,
  rules TEXT NOT NULL,
  day BIGINT NOT NULL,
  phase TEXT NOT NULL,
  position TEXT NOT NULL,
  objects BIGINT NOT NULL,
  uploads BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  began_at_ms BIGINT NOT NULL,
  tried_at_ms BIGINT NOT NULL,
  problem TEXT NOT NULL,
  lease_owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL
);
