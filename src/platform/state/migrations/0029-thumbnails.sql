-- Small pictures of objects, made by browsers; src/state/stores/thumbnails.ts has the meaning of each column.
CREATE TABLE thumbnails (
  bucket TEXT NOT NULL,
  etag TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  -- Base64.
  picture TEXT NOT NULL,
  PRIMARY KEY (bucket, etag)
);

CREATE INDEX thumbnails_by_age ON thumbnails (at_ms, bucket, etag);
