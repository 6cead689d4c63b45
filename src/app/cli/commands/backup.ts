import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { packageVersion } from '../../../platform/process/package-folder.ts'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { backupLines } from '../../../platform/state/backup/backup-lines.ts'
import { restoreLines } from '../../../platform/state/backup/restore-lines.ts'
import { readMigrations } from '../../../platform/state/migrate.ts'
import { openSession, openSnapshot } from '../../../platform/state/open-database.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { bucketAround } from '../../settings/location-mistakes.ts'
import { readSettings, type Settings } from '../../settings/read-settings.ts'
import { shownDatabase } from '../../settings/shown-settings.ts'
import {
  makeDataFolder,
  settingsFileIn,
  settingsOfGateway,
  settingsOfRestore,
  withBuckets,
} from '../../start/first-start.ts'
import type { CommandCall } from '../command.ts'
import { openBackupFile, writeBackupFile } from './backup-file.ts'
import { asOwnerOf, stateFolderOf } from './stored-state.ts'

/**
 * Writes the database and the generated settings to a file. Gateways may be running: the backup contains
 * everything that was committed before it began.
 *
 * @returns a message that says what was backed up, for people
 * @throws SettingsError or DatabaseError with a user-facing message.
 */
export async function backup({ environment, buckets, operands }: CommandCall): Promise<string> {
  const [file = ''] = operands
  const kept = await settingsOfGateway(environment)
  const settings = await readSettings(withBuckets(kept, buckets))
  assertPrivate(file, settings)
  // The file is not read when the settings come from the environment.
  const settingsFile =
    kept === environment ? null : await readFile(settingsFileIn(environment), 'utf8')
  const snapshot = await openSnapshot(settings.database)
  try {
    const header = {
      version: packageVersion(),
      createdAt: new Date().toISOString(),
      settingsFile,
    }
    await writeBackupFile(file, backupLines(snapshot, header, await readMigrations()))
  } finally {
    await snapshot.close()
  }
  const and = settingsFile === null ? '' : ' and the generated settings'
  return `${file} has ${shownDatabase(settings)}${and}. It contains secrets: keep it safe.`
}

/** The file contains every secret: clients of a bucket must not be able to read it. */
function assertPrivate(file: string, { drives, bucketPlaces }: Settings): void {
  for (const { name, drive } of drives) {
    const folder = kindOf(drive).folder?.(drive)
    if (folder === undefined) continue
    const places = bucketPlaces.filter((place) => place.drive === name)
    const bucket = bucketAround(resolve(file), folder, places)
    if (bucket === undefined) continue
    throw new SettingsError([
      `${file} is in the bucket ${bucket}, whose clients could read its secrets: choose a file outside the buckets`,
    ])
  }
}

/**
 * Restores a backup into a database that does not exist or is empty. The generated settings are also
 * restored, unless there already are some.
 *
 * @returns a message that says what was restored, for people
 * @throws SettingsError or DatabaseError with a user-facing message.
 */
export async function restore({ environment, buckets, operands }: CommandCall): Promise<string> {
  const [file = ''] = operands
  const opened = await openBackupFile(file)
  try {
    const restored = await settingsOfRestore(environment, opened.header.settingsFile)
    const settings = await readSettings(withBuckets(restored.environment, buckets))
    const { dataDir, database } = settings
    const folder = stateFolderOf(settings)
    // Read before the user changes: the owner of the data may not be able to read the files of this program.
    const migrations = await readMigrations()
    const { result, isRoots } = await asOwnerOf(folder, async () => {
      await makeDataFolder(dataDir, database.kind === 'sqlite' ? [database.path] : [])
      const session = await openSession(database)
      let settingsNote = ''
      // Written last: a refused restore leaves no settings file. If the commit fails, the next restore keeps the file.
      const beforeCommit = async () => {
        settingsNote = await restored.write()
      }
      const rows = await restoreLines(session, migrations, { ...opened, beforeCommit })
      return `${rows} rows restored into ${shownDatabase(settings)}.${settingsNote}`
    })
    return isRoots
      ? `${result} The files belong to root: if the service runs as another user, run chown -R USER ${folder}`
      : result
  } finally {
    opened.close()
  }
}
