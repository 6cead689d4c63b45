import { filesTexts } from '../../texts/files.ts'
import type { Entry } from './entry.ts'
import { isReachable } from './object-address.ts'
import { kindByName } from './preview-kind.ts'

/** Actions on entries. */
export type EntryAction =
  | 'open'
  | 'details'
  | 'download'
  | 'share'
  | 'star'
  | 'copy-uri'
  | 'rename'
  /** Edits the text of a file. */
  | 'write'
  | 'edit'
  | 'measure'
  | 'move'
  | 'copy'
  | 'duplicate'
  | 'delete'
  /** Deletes what a trash would keep otherwise. */
  | 'erase'

const change = ['move', 'copy', 'duplicate', 'edit', 'delete', 'erase'] as const
const forFile = [
  ...['open', 'details', 'download', 'share', 'star', 'copy-uri', 'rename'],
  ...change,
] as const
const forText = ['open', 'write', ...forFile.slice(1)] as const
const forFolder = [
  ...['open', 'details', 'measure', 'download', 'share', 'star', 'copy-uri', 'rename'],
  ...change,
] as const
const forSeveral = ['download', 'share', 'star', ...change] as const

/** As in src/dashboard/shares/share-schemas.ts. */
const maxShared = 500

const byPath: ReadonlySet<EntryAction> = new Set([
  ...(['open', 'details', 'download', 'share', 'edit', 'write'] as const),
])

/** The actions that apply to all of these entries together. */
export function actionsFor(entries: readonly Entry[]): readonly EntryAction[] {
  const [first] = entries
  if (first === undefined) return []
  if (entries.length === 1 && first.kind === 'folder') return forFolder
  if (entries.length === 1) return kindByName(first.key) === 'text' ? forText : forFile
  return entries.some(({ kind }) => kind === 'folder') ? ['measure', ...forSeveral] : forSeveral
}

/** Why an action is not possible for these entries, as a message; undefined if it is. */
export function actionObstacle(action: EntryAction, entries: readonly Entry[]): string | undefined {
  if (new Set(entries.map(({ bucket }) => bucket)).size > 1) {
    return filesTexts.obstacle.severalBuckets
  }
  // Several files are downloaded as an archive that the server builds, and edited one by one.
  if ((action === 'download' || action === 'edit') && entries.length > 1) return undefined
  if (action === 'share' && entries.length > maxShared) {
    return filesTexts.obstacle.tooMany(maxShared)
  }
  const isOpaque = entries.some(({ kind, key }) => kind === 'file' && !isReachable(key))
  if (byPath.has(action) && isOpaque) {
    return filesTexts.obstacle.dots
  }
  return undefined
}
