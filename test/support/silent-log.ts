import type { LeveledLog } from '../../src/platform/process/log.ts'

/** A log that nobody reads. */
export const silentLog: LeveledLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
}
