-- What is set for single buckets beside bucket_options: a document for each name. src/buckets/bucket-options.ts has their
-- meaning. A removed document stays as '' with a new revision, so that every process forgets it.
CREATE TABLE bucket_documents (
  bucket TEXT NOT NULL,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (bucket, name)
);
