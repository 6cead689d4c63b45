import { existsSync } from 'node:fs'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import type { Settings } from '../../settings/read-settings.ts'

/**
 * For commands that work on the database of a gateway: opening it would create an empty one.
 *
 * @throws SettingsError when it does not exist
 */
export function requireExistingDatabase({ database }: Pick<Settings, 'database'>): void {
  if (database.kind !== 'sqlite' || existsSync(database.path)) return
  throw new SettingsError([
    `${database.path} does not exist: expected the database of a gateway that has been started before`,
  ])
}
