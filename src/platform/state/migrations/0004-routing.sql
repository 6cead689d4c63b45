-- What a person tells the routing service: items in their order, each as JSON. src/models/routing/stored-routing.ts
-- has their fields; provider keys in them are sealed.
CREATE TABLE routing_connections (
  id TEXT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  json TEXT NOT NULL
);

CREATE TABLE routing_combos (
  id TEXT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  json TEXT NOT NULL
);

CREATE TABLE routing_custom_models (
  id TEXT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  json TEXT NOT NULL
);

CREATE TABLE routing_model_aliases (
  id TEXT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  json TEXT NOT NULL
);

-- One row. Every change of the tables above raises it in the same transaction.
CREATE TABLE routing_revision (
  id INTEGER NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);

INSERT INTO routing_revision (id, revision) VALUES (1, 0);
