import { compareKeys } from '../../../platform/text/key-order.ts'
import { numberedKey } from '../../../platform/text/numbered-name.ts'
import type { Drive, ObjectMetadata } from '../../drives/drive.ts'
import type { Entry } from '../../drives/listed-entry.ts'
import { hasAnything, visitAll, walk } from '../walk.ts'
import { isListed } from './carry.ts'
import { type FileOrder, isFolder, type PathPair } from './file-order.ts'

/** The maximum number of clashes that are named. */
const maxClashes = 1_000

/** Concurrent questions to the drive. */
const concurrency = 8

/** The maximum number that is added to a name. */
const maxNumber = 1_000

interface ClashFile {
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
}

/** An object whose new name is taken. */
interface Clash {
  /** The new key. */
  readonly key: string
  readonly etag: string
  readonly file: ClashFile
  readonly there: ClashFile
}

interface Clashes {
  readonly clashes: readonly Clash[]
  /** Whether there may be more. */
  readonly isMore: boolean
}

type LookingDrive = Pick<Drive, 'list' | 'head'>

/** Finds the objects of a move or a copy whose new names are taken. Changes nothing. */
export async function findClashes(
  drive: LookingDrive,
  { bucket, paths, to }: Pick<FileOrder, 'bucket' | 'paths' | 'to'>,
  signal: AbortSignal,
): Promise<Clashes> {
  const clashes: Clash[] = []
  const toBucket = to?.bucket ?? bucket
  const look = async ([from, now]: PathPair) => {
    signal.throwIfAborted()
    if (clashes.length >= maxClashes) return
    const there = await drive.head(toBucket, now)
    if (there === undefined) return
    const file = await drive.head(bucket, from)
    if (file !== undefined && clashes.length < maxClashes) clashes.push(clashOf(now, file, there))
  }
  const pairs = paths.map((from, index): PathPair => [from, to?.paths[index] ?? from])
  const keys = pairs.filter(([from]) => !isFolder(from))
  await visitAll(keys, concurrency, look)
  for (const [from, now] of pairs) {
    if (!isFolder(from) || clashes.length >= maxClashes) continue
    if (!(await hasAnything(drive, toBucket, now))) continue
    const both = commonKeys(
      walk({ drive, bucket, prefix: from, signal }),
      walk({ drive, bucket: toBucket, prefix: now, signal }),
      [from.length, now.length],
    )
    for await (const suffixes of both) {
      await visitAll(suffixes, concurrency, (suffix) => look([from + suffix, now + suffix]))
      if (clashes.length >= maxClashes) break
    }
  }
  return { clashes, isMore: clashes.length >= maxClashes }
}

function clashOf(key: string, file: ObjectMetadata, there: ObjectMetadata): Clash {
  const figures = ({ size, modifiedAtMs }: ObjectMetadata) => ({ size, modifiedAtMs })
  return { key, etag: there.attributes.etag, file: figures(file), there: figures(there) }
}

type Pages = AsyncGenerator<readonly Entry[]>

/** The suffixes, behind the prefixes, of keys that both listings have. Both are read page by page, the second only as far as the first. */
async function* commonKeys(
  one: Pages,
  other: Pages,
  [oneLength, otherLength]: readonly [number, number],
): AsyncGenerator<readonly string[]> {
  let there: readonly string[] = []
  let isEnd = false
  const readOn = async () => {
    const page = await other.next()
    isEnd = page.done === true
    there = page.done ? [] : page.value.map(({ key }) => key.slice(otherLength))
  }
  await readOn()
  for await (const entries of one) {
    const suffixes = new Set(entries.map(({ key }) => key.slice(oneLength)))
    const last = [...suffixes].at(-1) ?? ''
    const common: string[] = []
    for (;;) {
      common.push(...there.filter((suffix) => suffixes.has(suffix)))
      there = there.filter((suffix) => compareKeys(suffix, last) > 0)
      if (there.length > 0 || isEnd) break
      await readOn()
    }
    yield common
    if (isEnd && there.length === 0) return
  }
}

/** A path that no object has yet, with a number: `a (2).txt`, `trip (2)/`. Undefined if all are taken. */
export async function freePath(
  drive: LookingDrive,
  bucket: string,
  path: string,
  reserved: ReadonlySet<string>,
): Promise<string | undefined> {
  for (let number = 2; number <= maxNumber; number += 1) {
    const free = numberedKey(path, number)
    if (!reserved.has(free) && !(await isTaken(drive, bucket, free))) return free
  }
  return undefined
}

async function isTaken(drive: LookingDrive, bucket: string, path: string): Promise<boolean> {
  if (!isFolder(path)) return (await drive.head(bucket, path)) !== undefined
  return (await hasAnything(drive, bucket, path)) || (await isListed(drive, bucket, path))
}
