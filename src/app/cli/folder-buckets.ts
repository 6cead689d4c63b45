import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, resolve } from 'node:path'
import { SettingsError } from '../../platform/process/setting-mistake.ts'
import { realPathOf } from '../../storage/drives/local/file-kind.ts'
import { isBucketName } from '../settings/parse-names.ts'
import { UsageError } from './command.ts'
import type { Terminal } from './connect/terminal.ts'

/** The subfolders of a folder, as buckets. */
interface FolderBuckets {
  /** Sorted by name. */
  readonly buckets: readonly string[]
  /** Folders whose names are not legal bucket names. */
  readonly others: readonly string[]
}

/** The subfolders that can be buckets. Skips hidden ones. A folder that does not exist yet has none. */
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
    // The path is missing or not a folder: the check of the settings reports it later, with a better message.
    return []
  }
}

/** The user's folder for application data (XDG Base Directory Specification). */
export interface DataHome {
  /** Called only if the home folder is needed. */
  home(): string
  /** XDG_DATA_HOME. */
  readonly dataHome: string | undefined
}

/** The folder that contains DATA_DIR of every folder named on the command line. */
export function dataFolders({ home, dataHome }: DataHome): string {
  const base = dataHome?.startsWith('/') ? dataHome : resolve(home(), '.local/share')
  return resolve(base, 'bucketry')
}

/** Maximum characters of the folder's name in the derived name, which must not be too long for any file system. */
const nameCharacters = 40

/**
 * DATA_DIR for a folder named on the command line. It is the same from any working directory and through any
 * symbolic link, so that the next start finds the keys and the database.
 */
export function dataFolderFor(folder: string, where: DataHome): string {
  const path = realPathOf(resolve(folder))
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 8)
  const name = [...basename(path)].slice(0, nameCharacters).join('') || 'root'
  return resolve(dataFolders(where), `${name}-${digest}`)
}

/** @throws SettingsError when the user has no home folder, as in a container with an unknown user ID. */
export function homeFolder(): string {
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
  } catch {
    // HOME is not set, and the system does not know the user.
  }
  throw new SettingsError([
    'DATA_DIR is not set, and this user has no home folder: set DATA_DIR to a folder for keys and database',
  ])
}

/** Maximum number of names in a warning: a home folder can have many. */
const namesShown = 10

/** A warning that names the folders that are not served; empty if there are none. */
export function otherFolderWarnings(others: readonly string[]): string[] {
  if (others.length === 0) return []
  const names = others.slice(0, namesShown).map((name) => JSON.stringify(name))
  const more = others.length > namesShown ? ` and ${others.length - namesShown} more` : ''
  return [
    `folders whose names are not legal bucket names are not served: ${names.join(', ')}${more}`,
  ]
}

interface NewFolderParts {
  /** Whether `--create` is given. */
  readonly creates: boolean
  /** Opens a terminal, which is closed after the answer. Absent if nobody can answer. */
  readonly openTerminal: (() => Promise<Terminal>) | undefined
}

/**
 * Asks before a folder named on the command line is created: a missing folder is usually a typing error, or is not
 * mounted.
 *
 * @throws UsageError when the user does not want to create it
 */
export async function confirmNewFolder(
  folder: string,
  { creates, openTerminal }: NewFolderParts,
): Promise<void> {
  if (creates || existsSync(folder)) return
  const what = `${resolve(folder)} does not exist`
  if (openTerminal === undefined) throw new UsageError(`${what}. To create it, add --create.`)
  const terminal = await openTerminal()
  try {
    const answer = await terminal.ask(`${what}. Create it, with new keys? [y/N] `)
    if (!/^y(es)?$/i.test(answer)) throw new UsageError(`${what}, and was not created.`)
  } finally {
    terminal.close()
  }
}
