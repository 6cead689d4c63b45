-- Background work on buckets. src/state/stores/jobs.ts has the meaning of each column. The tables bucket_counts,
-- deletions and bucket_expiry, from which the rows are copied, are for the version before only.
CREATE TABLE jobs (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  figures TEXT NOT NULL,
  began_at_ms BIGINT NOT NULL,
  ended_at_ms BIGINT NOT NULL,
  message TEXT NOT NULL,
  is_cancelled INTEGER NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (kind, id)
);

INSERT INTO jobs (kind, id, target, state, figures, began_at_ms, ended_at_ms, message, is_cancelled, owner)
SELECT 'count', bucket, '',
  CASE WHEN problem <> '' THEN 'failed' WHEN counted_at_ms > 0 THEN 'done' ELSE 'interrupted' END,
  '{"objects":' || CAST(objects AS TEXT) || ',"bytes":' || CAST(bytes AS TEXT)
    || ',"lastModifiedMs":' || CAST(last_modified_ms AS TEXT)
    || ',"countedAtMs":' || CAST(counted_at_ms AS TEXT) || ',"tookMs":' || CAST(took_ms AS TEXT) || '}',
  counted_at_ms, tried_at_ms, problem, 0, ''
FROM bucket_counts;

-- One that is running has no lease in this version, and becomes `interrupted`.
INSERT INTO jobs (kind, id, target, state, figures, began_at_ms, ended_at_ms, message, is_cancelled, owner)
SELECT 'delete', id, target, state, '{"deleted":' || CAST(deleted AS TEXT) || '}',
  started_at_ms, ended_at_ms, message, is_cancelled, ''
FROM deletions;

-- The position is JSON already.
INSERT INTO jobs (kind, id, target, state, figures, began_at_ms, ended_at_ms, message, is_cancelled, owner)
SELECT 'expire', bucket, rules || ' ' || CAST(day AS TEXT),
  CASE WHEN phase = 'done' THEN 'done' WHEN problem <> '' THEN 'failed' ELSE 'interrupted' END,
  '{"phase":"' || CASE WHEN phase = 'objects' THEN 'objects' ELSE 'uploads' END || '","position":' || position
    || ',"objects":' || CAST(objects AS TEXT) || ',"uploads":' || CAST(uploads AS TEXT)
    || ',"failures":' || CAST(failures AS TEXT) || '}',
  began_at_ms, tried_at_ms, problem, 0, ''
FROM bucket_expiry;
