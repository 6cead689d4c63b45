import type { TurnTaker } from '../../../../platform/process/turn-taker.ts'
import { FolderCursor, type FolderTree, type ReadFolder } from '../../kit/folder-cursor.ts'
import { pathOfFolder } from '../../kit/names/key-path.ts'
import type { Entry, EntryCursor, FolderEntry, ListQuery } from '../../listed-entry.ts'
import { fsDriveError } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type FolderIndex, nameFlags } from './folder-index.ts'
import { describeListed, type LocalCandidate } from './listed-files.ts'

/** The path is below the root, bucket first. */
type LocalFolder = ReadFolder<FolderIndex, string>

export function openLocalCursor(drive: OpenDrive, bucket: string, query: ListQuery): EntryCursor {
  const cursor = new FolderCursor(new LocalTree(drive, bucket), query)
  const failure = (error: unknown): never => {
    throw fsDriveError(error, `list ${bucket}${reasonOf(error, drive.root)}`)
  }
  return {
    next: (limit) => cursor.next(limit).catch(failure),
    nextKeys: (limit) => cursor.nextKeys(limit).catch(failure),
    seek: (key) => cursor.seek(key),
  }
}

/**
 * Names what can't be read. A listing fails there: without it, its objects would seem deleted
 * (docs/decisions/0031-listings-read-the-folder.md).
 */
function reasonOf(error: unknown, root: LocalRoot): string {
  const { path } = error as NodeJS.ErrnoException
  if (!path?.startsWith(`${root.path}/`)) return ''
  return `, because ${path.slice(root.path.length + 1)} can't be read`
}

class LocalTree implements FolderTree<LocalFolder, LocalCandidate> {
  readonly #drive: OpenDrive
  readonly #bucket: string

  constructor(drive: OpenDrive, bucket: string) {
    this.#drive = drive
    this.#bucket = bucket
  }

  async read(
    key: string,
    path = [this.#bucket, ...pathOfFolder(key)].join('/'),
  ): Promise<LocalFolder | undefined> {
    const names = await this.#drive.indexes.get(path)
    return names && { names, key, path }
  }

  async readInner(folder: LocalFolder, position: number, key: string) {
    return await this.read(key, plainPath(folder, position, key.slice(0, -1)))
  }

  candidate(folder: LocalFolder, position: number, key: string): LocalCandidate {
    const isAlternative = folder.names.hasFlag(position, nameFlags.alternative)
    return { kind: 'object', key, path: plainPath(folder, position, key), isAlternative }
  }

  async describe(
    candidates: readonly (LocalCandidate | FolderEntry)[],
    turns: TurnTaker,
  ): Promise<Entry[]> {
    return await describeListed(this.#drive, this.#bucket, candidates, turns)
  }

  async requireDrive(): Promise<void> {
    await requireOwnFolder(this.#drive.root)
  }
}

/** The path of this key's file or folder, if its name on the disk is the key's last segment. */
function plainPath({ names, key, path }: LocalFolder, position: number, innerKey: string) {
  if (names.hasFlag(position, nameFlags.encoded)) return undefined
  return `${path}/${innerKey.slice(key.length)}`
}
