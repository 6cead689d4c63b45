-- Costs of model calls in millionths of a US dollar; and, by kind, the latest calls and which connection has a stored
-- response. src/models/usage/model-record-table.ts has the meaning of each column.
ALTER TABLE model_usage ADD COLUMN cost_micros BIGINT NOT NULL DEFAULT 0;

CREATE TABLE model_records (
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (kind, record_id)
);
CREATE INDEX model_records_by_age ON model_records (kind, at_ms, record_id);
