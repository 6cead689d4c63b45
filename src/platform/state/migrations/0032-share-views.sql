-- How often the page of a share was opened.
ALTER TABLE shares ADD COLUMN views BIGINT NOT NULL DEFAULT 0;
