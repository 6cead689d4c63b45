-- For ListMultipartUploads, which lists open uploads by key. UTF-8 of `bucket/key` in hex, which every collation sorts
-- alike. Empty in the rows of versions before this one: they are not listed.
ALTER TABLE uploads ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';

CREATE INDEX uploads_by_key ON uploads (sort_key, id) WHERE phase = 'open';
