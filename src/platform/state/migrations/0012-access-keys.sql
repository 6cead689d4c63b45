-- Access keys that were made at run time; src/state/stores/access-keys.ts has the meaning of each column.
CREATE TABLE access_keys (
  access_key_id TEXT NOT NULL PRIMARY KEY,
  -- sealed with SECRET_KEY; empty when the key is revoked
  secret TEXT NOT NULL,
  -- the secret before the last rotation, valid until old_until_ms; or empty
  old_secret TEXT NOT NULL,
  old_until_ms BIGINT NOT NULL,
  -- name, note, grants and limits
  json TEXT NOT NULL,
  -- created or file
  source TEXT NOT NULL,
  is_disabled INTEGER NOT NULL,
  created_at_ms BIGINT NOT NULL,
  -- 0: never
  expires_at_ms BIGINT NOT NULL,
  -- 0: never
  last_used_at_ms BIGINT NOT NULL,
  -- 0: not revoked. A revoked key stays for a while, so that every process learns of it.
  revoked_at_ms BIGINT NOT NULL,
  -- of table revisions, at the last change; not of last_used_at_ms
  revision BIGINT NOT NULL
);

CREATE INDEX access_keys_by_revision ON access_keys (revision, access_key_id);
