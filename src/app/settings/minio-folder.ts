import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import { isBucketName } from './parse-names.ts'
import { defaultText, type Environment, hasValue } from './setting.ts'
import { settingsTable } from './tables/settings-table.ts'

/** The folder of MinIO's own files, inside its data folder. */
const minioFolder = '.minio.sys'

/** Where Bitnami's image of MinIO keeps objects, so that compose files mount their volume there. */
const bitnamiFolder = '/bitnami/minio/data'

/**
 * Objects would not be in the volume that a compose file for Bitnami's image mounts, and be lost with the container.
 *
 * @throws SettingMistake
 */
export function refuseOtherMount({ DATA_DIR }: Environment, folder = bitnamiFolder): void {
  const isInside = DATA_DIR !== undefined && `${resolve(DATA_DIR)}/`.startsWith(`${folder}/`)
  if (isInside || !existsSync(folder)) return
  throw new SettingMistake(
    `a volume is mounted at ${folder}, and nothing would be stored in it: mount an empty volume at ` +
      `${DATA_DIR ?? '/data'} instead (docs/moving-in.md, "From MinIO")`,
  )
}

/**
 * The settings that stand for the folder of `minio server FOLDER`: DATA_DIR and, unless it is set to another drive than
 * the default, DRIVE.
 *
 * @throws SettingMistake if it stands for several folders or servers, or contains MinIO's data
 */
export function folderSettings(
  [folder = '', ...others]: readonly string[],
  environment: Environment,
): Environment {
  const { DATA_DIR, DRIVE, DEFAULT_BUCKETS } = environment
  if (others.length > 0 || /\{\d+\.{3}\d+\}|^https?:/.test(folder)) {
    throw new SettingMistake('one folder of this machine, because Bucketry keeps its data in one')
  }
  if (existsSync(join(folder, minioFolder))) {
    throw new SettingMistake(
      'a folder without data of MinIO, which is in a format that only MinIO reads. Serve another folder, and copy with ' +
        'mc mirror while MinIO runs (docs/moving-in.md, "From MinIO")',
    )
  }
  const defaultDrive = (dataDir: string) =>
    defaultText(settingsTable.drive, { dataDir, compatibility: 'aws' })
  // The container image sets both.
  const isDefault = !hasValue(DRIVE) || (hasValue(DATA_DIR) && DRIVE === defaultDrive(DATA_DIR))
  const buckets = isDefault ? emptyFolders(folder) : []
  return {
    ...{ DATA_DIR: folder, DATA_DIR_FILE: undefined },
    ...(isDefault && { DRIVE: defaultDrive(folder) }),
    ...(buckets.length > 0 && {
      DEFAULT_BUCKETS: [...buckets, ...(hasValue(DEFAULT_BUCKETS) ? [DEFAULT_BUCKETS] : [])].join(),
    }),
  }
}

/**
 * Folders that a command such as `mkdir -p /data/photos && minio server /data` has made: buckets, for MinIO. The drive
 * and what has content are none.
 */
function emptyFolders(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isBucketName(entry.name) && entry.name !== 'drive')
    .map(({ name }) => name)
    .filter((name) => isEmpty(join(folder, name)))
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    // Not ours to read.
    return false
  }
}
