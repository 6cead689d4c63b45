import type { ClashAnswers } from '../change/clash-names.ts'
import { findClashes, freeKeys, type ListKeysAfter } from '../change/find-clashes.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { type FileEntry, nameOf } from '../entries/entry.ts'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import type { DroppedItem } from './dropped-items.ts'
import { anyVersion, type UploadOrder } from './upload-item.ts'

interface PreparationParts {
  /** Lists the keys below the prefix of the target, page by page. */
  readonly listKeysAfter: ListKeysAfter
  /** The keys that have an unfinished upload. */
  readonly underWay: ReadonlySet<string>
  /** Asks what to do about name conflicts; undefined cancels all uploads. */
  readonly ask: (clashes: readonly UploadClash[]) => Promise<ClashAnswers | undefined>
}

interface UploadClash {
  readonly key: string
  readonly file: File
  /** Undefined while the existing file is still being uploaded. */
  readonly there: FileEntry | undefined
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
  // A UTF-16 code unit becomes at most three bytes.
  const isTooLong = (key: string): boolean =>
    key.length > maxKeyBytes / 3 && keyBytes(key) > maxKeyBytes
  const keys = [...byKey.keys()].filter((key) => !isTooLong(key))
  const tooLong = [...byKey.keys()].filter(isTooLong)
  const existing = await findClashes(keys, parts.listKeysAfter)
  const isTaken = (key: string): boolean => existing.has(key) || parts.underWay.has(key)
  const files = keys.filter((key) => byKey.get(key)?.file !== undefined)
  const clashes = files.filter(isTaken)
  const clashOf = (key: string): UploadClash => {
    const there = existing.get(key)
    const { file = new File([], '') } = byKey.get(key) ?? {}
    return { key, file, there: there?.kind === 'file' ? there : undefined }
  }
  const answers =
    clashes.length === 0 ? () => 'skip' as const : await parts.ask(clashes.map(clashOf))
  if (answers === undefined) return { orders: [], tooLong }
  const target = { bucket, folder: prefix }
  const targets = await targetsOf(answers, clashes, parts)
  const orders = keys.flatMap((key): UploadOrder[] => {
    const item = byKey.get(key)
    if (item === undefined) return []
    const { file = new File([], `${nameOf(key)}/`, { type: 'application/x-directory' }) } = item
    if (!isTaken(key)) return [{ ...target, key, file, replaces: undefined }]
    // An existing folder needs no upload.
    const free = item.file === undefined ? undefined : targets.get(key)
    if (free === undefined) return []
    // Replaces the version that the user was asked about. The version of a running upload is not known.
    const seen = clashOf(key).there?.etag || anyVersion
    return [{ ...target, key: free, file, replaces: free === key ? seen : undefined }]
  })
  return { orders, tooLong }
}

async function targetsOf(
  answers: ClashAnswers,
  clashes: readonly string[],
  { listKeysAfter, underWay }: PreparationParts,
): Promise<ReadonlyMap<string, string>> {
  const { replace = [], 'keep-both': kept = [] } = Object.groupBy(clashes, answers)
  const free = await freeKeys(kept, listKeysAfter, (key) => underWay.has(key))
  return new Map([...replace.map((key) => [key, key] as const), ...free])
}
