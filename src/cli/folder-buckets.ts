import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { bucketName } from '../wiring/settings/parse-names.ts'
import { SettingMistake } from '../wiring/settings/setting.ts'

/** The folders of a folder, as buckets. */
export interface FolderBuckets {
  /** In the order of their names. */
  readonly buckets: readonly string[]
  /** Folders whose names no bucket can have. */
  readonly others: readonly string[]
}

/** Sub-folders that can be buckets. A folder that does not exist yet has none; hidden ones are left out. */
export function bucketsIn(folder: string): FolderBuckets {
  const names = foldersIn(folder).filter((name) => !name.startsWith('.'))
  return {
    buckets: names.filter(isBucketName),
    others: names.filter((name) => !isBucketName(name)),
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch {
    // Missing, or no folder: the settings are checked later, with a better message.
    return []
  }
}

function isBucketName(name: string): boolean {
  try {
    return bucketName(name) === name
  } catch (error) {
    if (error instanceof SettingMistake) return false
    throw error
  }
}

/**
 * DATA_DIR for a folder that was named on the command line: keys and database are found again from any
 * working directory (XDG Base Directory Specification).
 */
export function dataFolderFor(
  folder: string,
  { home, dataHome }: { home: string; dataHome: string | undefined },
) {
  const path = resolve(folder)
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 8)
  const base = dataHome?.startsWith('/') ? dataHome : resolve(home, '.local/share')
  return resolve(base, 'bucketry', `${basename(path) || 'root'}-${digest}`)
}
