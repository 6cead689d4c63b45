-- How often the access keys and the buckets have changed. Every change of them raises the revision in the same
-- transaction; processes keep them in memory and compare it. src/state/revision-watch.ts reads it.
CREATE TABLE revisions (
  name TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);

INSERT INTO revisions (name, revision) VALUES ('access-keys', 0), ('buckets', 0);
