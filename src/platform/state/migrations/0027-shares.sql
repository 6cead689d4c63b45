-- Links for people without an account; src/state/stores/shares.ts has the meaning of each column.
CREATE TABLE shares (
  share_id TEXT NOT NULL PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  sealed_token TEXT NOT NULL,
  kind TEXT NOT NULL,
  bucket TEXT NOT NULL,
  maker TEXT NOT NULL,
  json TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  -- 0: never
  expires_at_ms BIGINT NOT NULL,
  -- 0: not revoked. A revoked share stays for a while, so that its visitors learn what happened.
  revoked_at_ms BIGINT NOT NULL,
  -- 0: never
  last_used_at_ms BIGINT NOT NULL,
  -- 0: any number
  max_uses BIGINT NOT NULL,
  uses BIGINT NOT NULL,
  -- 0: any number
  max_bytes BIGINT NOT NULL,
  bytes BIGINT NOT NULL
);
