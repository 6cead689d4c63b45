-- Keys of clients that call models, and what calls used. src/state/stores/model-keys.ts and model-usage.ts have the
-- meaning of each column.
CREATE TABLE model_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  json TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL
);

INSERT INTO revisions (name, revision) VALUES ('model-keys', 0);

CREATE TABLE model_usage (
  hour_ms BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  model TEXT NOT NULL,
  requests BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  fallbacks BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  estimated_tokens BIGINT NOT NULL,
  received_bytes BIGINT NOT NULL,
  sent_bytes BIGINT NOT NULL,
  first_byte_ms BIGINT NOT NULL,
  PRIMARY KEY (hour_ms, key_id, connection_id, model)
);
CREATE INDEX model_usage_by_key ON model_usage (key_id, hour_ms);
