-- What requests of clients came to, by the minute and by the hour, and which requests changed something, beside those
-- that failed. src/state/stores/traffic.ts and activity.ts have the meaning of each column.
CREATE TABLE traffic (
  step_ms BIGINT NOT NULL,
  from_ms BIGINT NOT NULL,
  requests BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  received_bytes BIGINT NOT NULL,
  sent_bytes BIGINT NOT NULL,
  drive_calls BIGINT NOT NULL,
  drive_us BIGINT NOT NULL,
  slowest_us BIGINT NOT NULL,
  PRIMARY KEY (step_ms, from_ms)
);

ALTER TABLE failures ADD COLUMN kind TEXT NOT NULL DEFAULT 'failure';

CREATE INDEX failures_by_kind ON failures (kind, at_ms, request_id);
