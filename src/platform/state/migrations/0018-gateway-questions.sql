-- Two gateways that test together what a shared folder shows of the other one's changes
-- (src/wiring/fleet/shared-probe.ts). Empty when a gateway asks or answers nothing.
ALTER TABLE gateways ADD COLUMN question TEXT NOT NULL DEFAULT '';
ALTER TABLE gateways ADD COLUMN answer TEXT NOT NULL DEFAULT '';
