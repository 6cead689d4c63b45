-- The gateways that share this database, and for a day those that have ended. src/state/stores/gateways.ts has the
-- meaning of each column. Revision `gateways`: changes when one starts or ends, not with every sign of life.
CREATE TABLE gateways (
  id TEXT NOT NULL PRIMARY KEY,
  process TEXT NOT NULL,
  started_at_ms BIGINT NOT NULL,
  beat BIGINT NOT NULL,
  beat_ticks BIGINT NOT NULL,
  ended_at_ms BIGINT NOT NULL,
  json TEXT NOT NULL
);

INSERT INTO revisions (name, revision) VALUES ('gateways', 0);
