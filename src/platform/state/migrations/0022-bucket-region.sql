-- The LocationConstraint that a bucket was created with; '' for none: it is in REGION.
ALTER TABLE made_buckets ADD COLUMN region TEXT NOT NULL DEFAULT '';
