-- The greatest time by which retentions have ended; src/storage/buckets/lock-clock.ts. One row, once Object Lock is used.
CREATE TABLE lock_clock (
  id INTEGER PRIMARY KEY,
  seen_ms BIGINT NOT NULL
);
