import type { ClashAnswer } from '../change/clash-names.ts'
import { findClashes, freeKeys, type ListKeysAfter } from '../change/find-clashes.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { nameOf } from '../entries/entry.ts'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import type { DroppedItem } from './dropped-items.ts'
import type { UploadOrder } from './upload-item.ts'

interface PreparationParts {
  /** Lists the keys below the prefix of the target, page by page. */
  readonly listKeysAfter: ListKeysAfter
  /** Whether an upload to this key is unfinished. */
  readonly isUnderWay: (key: string) => boolean
  /** Asks what to do about name conflicts; undefined cancels all uploads. */
  readonly ask: (clashes: readonly string[]) => Promise<ClashAnswer | undefined>
}

export interface Preparation {
  readonly orders: readonly UploadOrder[]
  /** Paths whose keys would exceed the limit of S3. */
  readonly tooLong: readonly string[]
}

/** Turns dropped or picked items into uploads to a folder. */
export async function prepareUploads(
  items: readonly DroppedItem[],
  { bucket, prefix }: FolderAddress,
  parts: PreparationParts,
): Promise<Preparation> {
  // If two items have the same name, the later one wins.
  const byKey = new Map(items.map((item) => [prefix + item.path, item]))
  const isTooLong = (key: string): boolean => keyBytes(key) > maxKeyBytes
  const keys = [...byKey.keys()].filter((key) => !isTooLong(key))
  const tooLong = [...byKey.keys()].filter(isTooLong)
  const existing = await findClashes(keys, parts.listKeysAfter)
  const isTaken = (key: string): boolean => existing.has(key) || parts.isUnderWay(key)
  const files = keys.filter((key) => byKey.get(key)?.file !== undefined)
  const clashes = files.filter(isTaken)
  const answer = clashes.length === 0 ? 'skip' : await parts.ask(clashes)
  if (answer === undefined) return { orders: [], tooLong }
  const target = { bucket, folder: prefix }
  const targets = await targetsOf(answer, clashes, parts)
  const orders = keys.flatMap((key): UploadOrder[] => {
    const item = byKey.get(key)
    if (item === undefined) return []
    const { file = new File([], `${nameOf(key)}/`, { type: 'application/x-directory' }) } = item
    if (!isTaken(key)) return [{ ...target, key, file, mayReplace: false }]
    // An existing folder needs no upload.
    const free = item.file === undefined ? undefined : targets.get(key)
    if (free === undefined) return []
    return [{ ...target, key: free, file, mayReplace: answer === 'replace' }]
  })
  return { orders, tooLong }
}

async function targetsOf(
  answer: ClashAnswer,
  clashes: readonly string[],
  { listKeysAfter, isUnderWay }: PreparationParts,
): Promise<ReadonlyMap<string, string>> {
  if (answer === 'skip') return new Map()
  if (answer === 'replace') return new Map(clashes.map((key) => [key, key]))
  return freeKeys(clashes, listKeysAfter, isUnderWay)
}
