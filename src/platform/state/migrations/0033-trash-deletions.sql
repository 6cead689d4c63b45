-- What people have moved to the trash, as they chose it; src/storage/jobs/trash/deletion-table.ts has the meaning.
CREATE TABLE trash_deletions (
  bucket TEXT NOT NULL,
  trash_id TEXT NOT NULL,
  -- JSON: the first paths, and how many there are.
  chosen TEXT NOT NULL,
  PRIMARY KEY (bucket, trash_id)
);
