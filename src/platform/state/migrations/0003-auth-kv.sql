-- What AUTH_KV keeps where it is not a server of its own: sessions and counts of failed logins, each for a while. src/state/key-value/key-value.ts has the rules.
CREATE TABLE auth_kv (
  key TEXT NOT NULL PRIMARY KEY,
  -- the key up to its first colon
  family TEXT NOT NULL,
  value TEXT NOT NULL,
  -- of a counter; else 0
  amount BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL
);

CREATE INDEX auth_kv_by_family ON auth_kv (family, expires_at_ms);

CREATE INDEX auth_kv_by_expiry ON auth_kv (expires_at_ms);
