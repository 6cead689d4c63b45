import type { FileEntry } from '../entries/entry.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import type { ListingPage } from '../listing/open-folder.ts'
import type { DeleteFailure, DoomedObject } from '../s3/delete-xml.ts'
import { type Move, movedKey } from './move-plan.ts'

export interface MoveClient {
  /** A page of everything below a prefix. */
  listTree(
    bucket: string,
    prefix: string,
    continuationToken: string | undefined,
  ): Promise<ListingPage>
  /**
   * Returns the ETag of the copy.
   *
   * @param replaces the ETag of the object that is replaced; undefined: the target is free
   * @throws a Clash if the target is a different object, or the source has changed.
   */
  copy(
    source: FileEntry & { readonly bucket: string },
    target: ObjectAddress,
    replaces: string | undefined,
  ): Promise<string>
  remove(bucket: string, objects: readonly DoomedObject[]): Promise<readonly DeleteFailure[]>
  /** The object with this key; undefined if it does not exist. */
  find(address: ObjectAddress): Promise<FileEntry | undefined>
  isClash(error: unknown): boolean
  /** Why an error affects only this object; undefined if the whole move has to stop. */
  reasonOf(error: unknown): string | undefined
}

/** A file whose name exists at the target. */
export interface MoveClash {
  readonly file: FileEntry
  readonly target: ObjectAddress
  /** The existing file. */
  readonly there: FileEntry
}

/** A file that is at its target now. */
export interface MovedFile {
  readonly file: FileEntry
  readonly target: ObjectAddress
  /** The ETag of the object at the target. */
  readonly etag: string
}

interface MoveReport {
  /**
   * When aborted, no new objects start and started ones finish, so that no object stays in both
   * places.
   */
  readonly signal: AbortSignal
  onMoved(moved: MovedFile): void
  /** Called for an object that was not moved. */
  onSkipped(key: string, reason: string): void
  /** Called for an object that is not moved until the user decides. */
  onClash(clash: MoveClash): void
}

/** The copies made by a move, so that a repeated move does not treat them as conflicts. */
export class CopiedFiles {
  readonly #copies = new Map<string, MovedFile>()
  readonly #limit: number

  /** @param limit maximum files remembered */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(copied: MovedFile): void {
    if (this.#copies.size < this.#limit) this.#copies.set(versionOf(copied.file), copied)
  }

  /** The copy of this version of the file. */
  of(file: FileEntry): MovedFile | undefined {
    return this.#copies.get(versionOf(file))
  }
}

function versionOf({ key, etag }: FileEntry): string {
  return `${etag} ${key}`
}

interface MoveParts {
  readonly client: MoveClient
  readonly copies: CopiedFiles
  /** Whether to keep the sources. */
  readonly isCopy?: boolean
  readonly report: MoveReport
}

/** Files of one bucket with their targets. */
export interface FileMoves {
  readonly fromBucket: string
  readonly files: readonly {
    readonly file: FileEntry
    readonly target: ObjectAddress
    /** The ETag of the object that is replaced; absent: the target has to be free. */
    readonly replaces?: string | undefined
  }[]
}

/** Concurrent copies. */
const concurrency = 4

/** Sources deleted per request. */
const batchSize = 100

/**
 * Moves or copies a file, or everything below a prefix, object by object: each object is copied to a free
 * key, then its source is deleted if it has not changed since. If stopped at any point, every
 * object is complete in one of the two places or, after a lost response, in both. Repeating the move completes it.
 */
export async function moveTree(move: Move, parts: MoveParts): Promise<void> {
  const { client, report } = parts
  const { entry, fromBucket, toBucket } = move
  const moveThese = (files: readonly FileEntry[]) =>
    moveFiles(
      {
        fromBucket,
        files: files.map((file) => ({
          file,
          target: { bucket: toBucket, key: movedKey(move, file.key) },
        })),
      },
      parts,
    )
  if (entry.kind === 'file') return moveThese([entry])
  let token: string | undefined
  do {
    const page = await client.listTree(fromBucket, entry.key, token)
    await moveThese(page.entries.filter((found) => found.kind === 'file'))
    if (report.signal.aborted) return
    token = page.continuationToken
  } while (token !== undefined)
}

/** Moves each file to its target until the signal of the report aborts. */
export async function moveFiles(moves: FileMoves, parts: MoveParts): Promise<void> {
  const { files } = moves
  for (let start = 0; start < files.length; start += batchSize) {
    if (parts.report.signal.aborted) return
    await moveBatch({ ...moves, files: files.slice(start, start + batchSize) }, parts)
  }
}

async function moveBatch(moves: FileMoves, parts: MoveParts): Promise<void> {
  const { report, copies } = parts
  const { fromBucket } = moves
  const copied: MovedFile[] = []
  const waiting = moves.files.values()
  let fatal: unknown
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const { file, target, replaces } of waiting) {
      if (report.signal.aborted || fatal !== undefined) return
      try {
        const copy = await copyOnce({ file, target, replaces }, fromBucket, parts)
        copies.add(copy)
        copied.push(copy)
      } catch (error) {
        await reportFailure(error, { file, target }, parts).catch((last: unknown) => {
          fatal = last
        })
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (parts.isCopy) copied.forEach(report.onMoved)
  else await removeCopied(fromBucket, copied, parts)
  if (fatal !== undefined) throw fatal
}

/** The copy that an earlier attempt has made, if it is still there; otherwise a new one. */
async function copyOnce(
  { file: listed, target, replaces }: FileMoves['files'][number],
  fromBucket: string,
  { client, copies }: MoveParts,
): Promise<MovedFile> {
  // The version of a file that was just uploaded is not known yet.
  const isKnown = listed.etag !== ''
  const current = isKnown ? undefined : await client.find({ bucket: fromBucket, key: listed.key })
  const file = current ?? listed
  const before = copies.of(file)
  if (before !== undefined && (await client.find(before.target))?.etag === before.etag) {
    return { ...before, file }
  }
  const etag = await client.copy({ ...file, bucket: fromBucket }, target, replaces)
  return { file, target, etag }
}

/** @throws the error, or the error of checking its cause, if the whole move has to stop. */
async function reportFailure(
  error: unknown,
  { file, target }: FileMoves['files'][number],
  { client, report }: MoveParts,
): Promise<void> {
  if (client.isClash(error)) {
    const there = await client.find(target)
    if (there !== undefined) report.onClash({ file, target, there })
    else report.onSkipped(file.key, 'it has changed since it was listed')
    return
  }
  const reason = client.reasonOf(error)
  if (reason === undefined) throw error
  report.onSkipped(file.key, reason)
}

async function removeCopied(
  fromBucket: string,
  copied: readonly MovedFile[],
  { client, report }: MoveParts,
): Promise<void> {
  if (copied.length === 0) return
  const failures = await client.remove(
    fromBucket,
    copied.map(({ file: { key, etag } }) => ({ key, etag })),
  )
  const failed = new Map(failures.map((failure) => [failure.key, failure]))
  for (const moved of copied) {
    const { key } = moved.file
    const failure = failed.get(key)
    if (failure === undefined) report.onMoved(moved)
    else report.onSkipped(key, `copied, but the original was not deleted: ${failure.message}`)
  }
}
