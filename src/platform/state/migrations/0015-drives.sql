-- Several drives in one database: the name of the drive that a row belongs to; empty for the default drive, which is the
-- only one that earlier versions know. Where a row's key is a digest or a file's identity, the name of another drive is
-- part of that, so that the keys of drives never meet (src/state/stores/drive-key.ts).
ALTER TABLE key_leases ADD COLUMN drive TEXT NOT NULL DEFAULT '';

ALTER TABLE drive_files ADD COLUMN drive TEXT NOT NULL DEFAULT '';

ALTER TABLE drive_index ADD COLUMN drive TEXT NOT NULL DEFAULT '';

ALTER TABLE drive_uploads ADD COLUMN drive TEXT NOT NULL DEFAULT '';
