import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { existingPartOf } from '../../settings/location-mistakes.ts'
import type { Settings } from '../../settings/read-settings.ts'

/** The folder of the database if it is a file, otherwise DATA_DIR: both belong to the user of the service. */
export function stateFolderOf({
  database,
  dataDir,
}: Pick<Settings, 'database' | 'dataDir'>): string {
  return database.kind === 'sqlite' ? dirname(database.path) : dataDir
}

/**
 * Runs `work` as the owner of a folder if root calls it: the files are private, and a service that runs as another
 * user could not read files of root. All threads of the process change their user, so nothing else may run during it.
 *
 * @param folder may be missing: its nearest existing parent then determines the owner
 * @returns the result of `work`, and whether the files that it created belong to root
 */
export async function asOwnerOf<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly isRoots: boolean }> {
  const { uid, gid } = statSync(existingPartOf(folder))
  const isRoot = process.geteuid?.() === 0
  if (!isRoot || uid === 0) return { result: await work(), isRoots: isRoot }
  const group = process.getegid?.() ?? 0
  process.setegid?.(gid)
  process.seteuid?.(uid)
  try {
    return { result: await work(), isRoots: false }
  } finally {
    process.seteuid?.(0)
    process.setegid?.(group)
  }
}

/**
 * For commands that work on the database of a gateway: opening a missing database would create an empty one.
 *
 * @throws SettingsError when the database does not exist
 */
export function requireExistingDatabase({ database }: Pick<Settings, 'database'>): void {
  if (database.kind !== 'sqlite' || existsSync(database.path)) return
  throw new SettingsError([
    `${database.path} does not exist: expected the database of a gateway that has been started before`,
  ])
}
