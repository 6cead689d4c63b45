-- Uploads whose parts come in any order. src/state/stores/placed-parts.ts has the meaning of each column.
ALTER TABLE uploads ADD COLUMN slot_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE upload_parts ADD COLUMN place TEXT NOT NULL DEFAULT '';

CREATE TABLE upload_slots (
  upload_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  writer TEXT NOT NULL,
  bytes BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (upload_id, number)
);
