import type { DeleteFailure, DoomedObject } from './delete-xml.ts'
import type { Entry, FileEntry } from './entry.ts'
import type { ListingPage } from './listing-xml.ts'
import { type Move, movedKey } from './move-plan.ts'

export interface MoveClient {
  /** A page of everything below a prefix. */
  listTree(
    bucket: string,
    prefix: string,
    continuationToken: string | undefined,
  ): Promise<ListingPage>
  /** @throws a Clash when something is there, or the source is no more what it was. */
  copy(
    source: FileEntry & { readonly bucket: string },
    target: { readonly bucket: string; readonly key: string },
  ): Promise<void>
  remove(bucket: string, objects: readonly DoomedObject[]): Promise<readonly DeleteFailure[]>
  /** Why an error concerns this object alone; undefined: nothing more would work. */
  reasonOf(error: unknown): string | undefined
}

export interface MoveReport {
  /** Nothing more is begun; what is begun is finished, so that no object stays in both places. */
  readonly signal: AbortSignal
  onMoved(key: string): void
  /** It stays where it was. */
  onKept(key: string, reason: string): void
}

/** Copies on their way at a time. */
const concurrency = 4

/** Sources are removed so many at a time. */
const batchSize = 100

/**
 * Moves a file, or everything below a prefix, object by object: each is copied where nothing is, and only then its
 * source is deleted, if it still is what was copied. Stopped at any point, every object is whole in
 * one of the two places, or, where an answer was lost, in both; the same move again does the rest.
 */
export async function moveTree(
  move: Move,
  entry: Entry,
  parts: { readonly client: MoveClient; readonly report: MoveReport },
): Promise<void> {
  const { client, report } = parts
  if (entry.kind === 'file') {
    await moveBatch(move, [entry], parts)
    return
  }
  let token: string | undefined
  do {
    const page = await client.listTree(move.fromBucket, move.from, token)
    const files = page.entries.filter((found) => found.kind === 'file')
    for (let start = 0; start < files.length; start += batchSize) {
      await moveBatch(move, files.slice(start, start + batchSize), parts)
      if (report.signal.aborted) return
    }
    token = page.continuationToken
  } while (token !== undefined)
}

async function moveBatch(
  move: Move,
  files: readonly FileEntry[],
  parts: { readonly client: MoveClient; readonly report: MoveReport },
): Promise<void> {
  const { client, report } = parts
  const copied: FileEntry[] = []
  const waiting = files.values()
  let fatal: unknown
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const file of waiting) {
      if (report.signal.aborted || fatal !== undefined) return
      try {
        const target = { bucket: move.toBucket, key: movedKey(move, file.key) }
        await client.copy({ ...file, bucket: move.fromBucket }, target)
        copied.push(file)
      } catch (error) {
        const reason = client.reasonOf(error)
        if (reason === undefined) fatal = error
        else report.onKept(file.key, reason)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  await removeCopied(move, copied, parts)
  if (fatal !== undefined) throw fatal
}

async function removeCopied(
  move: Move,
  copied: readonly FileEntry[],
  { client, report }: { readonly client: MoveClient; readonly report: MoveReport },
): Promise<void> {
  if (copied.length === 0) return
  const failures = await client.remove(
    move.fromBucket,
    copied.map(({ key, etag }) => ({ key, etag })),
  )
  const failed = new Map(failures.map((failure) => [failure.key, failure]))
  for (const { key } of copied) {
    const failure = failed.get(key)
    if (failure === undefined) report.onMoved(key)
    else report.onKept(key, `it was copied, but not deleted: ${failure.message}`)
  }
}
