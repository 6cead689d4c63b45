-- Pages of uploads in the order of an index: newest first for lists, longest untouched first for the sweep.
CREATE INDEX uploads_by_creation ON uploads (phase, created_at_ms, id);
DROP INDEX uploads_by_phase;
CREATE INDEX uploads_by_touch ON uploads (phase, touched_at_ms, id);
