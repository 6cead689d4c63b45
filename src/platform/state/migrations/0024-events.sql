-- Events that wait to be sent, and those that nobody accepted. src/state/stores/events.ts has the meaning of each
-- column.
CREATE TABLE events (
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  is_confirmed INTEGER NOT NULL,
  sequencer TEXT NOT NULL,
  message TEXT NOT NULL,
  made_at_ms BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id, target)
);
CREATE INDEX events_due ON events (target, is_confirmed, due_at_ms, sequencer);

CREATE TABLE dead_events (
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  message TEXT NOT NULL,
  made_at_ms BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  died_at_ms BIGINT NOT NULL,
  PRIMARY KEY (id, target)
);
CREATE INDEX dead_events_by_time ON dead_events (died_at_ms);
