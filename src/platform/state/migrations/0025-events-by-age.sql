-- To find the events that nobody accepted for a day, also among many that wait.
CREATE INDEX events_by_age ON events (made_at_ms);
