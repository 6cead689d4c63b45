import type { FolderLine } from '../../../../src/dashboard/management/folders/folder-listing-route.ts'
import { ApiError, unreachable } from '../../api/api-error.ts'
import { lineGroups } from '../../api/json-lines.ts'
import { type Entry, folderEntry } from '../entries/entry.ts'

interface FolderStreamQuery {
  /** Lists only keys after this one; '' from the beginning. */
  readonly after: string
  readonly signal: AbortSignal
}

export interface FolderPage {
  readonly entries: readonly Entry[]
  /** The position of the next page; undefined on the last page. */
  readonly continuationToken: string | undefined
}

interface FolderPagesParts {
  /** '' or ends in a slash; removed from the shown names. */
  readonly prefix: string
  /** The bytes of `/-/api/folder`. @throws ApiError */
  readonly open: (query: FolderStreamQuery) => Promise<ReadableStream<Uint8Array>>
  /** Gives the browser time to draw. */
  readonly pause: () => Promise<void>
}

interface OpenStream {
  readonly lines: AsyncGenerator<FolderLine, undefined>
  /** The key after which the next line continues. */
  position: string
}

/**
 * The pages of a folder, read from one streamed response. Consecutive pages that are fetched with the same signal
 * share the response; any other fetch opens a new response after its position.
 */
export class FolderPages {
  readonly #parts: FolderPagesParts
  readonly #streams = new WeakMap<AbortSignal, OpenStream>()

  constructor(parts: FolderPagesParts) {
    this.#parts = parts
  }

  /** @throws ApiError; the page can be fetched again with another signal. */
  async fetch(after: string | undefined, signal: AbortSignal): Promise<FolderPage> {
    const { prefix, open, pause } = this.#parts
    let stream = this.#streams.get(signal)
    if (stream === undefined || stream.position !== (after ?? '')) {
      const position = after ?? ''
      stream = { lines: linesOf(await open({ after: position, signal }), signal), position }
      this.#streams.set(signal, stream)
    } else {
      // Without the pause, lines that arrived together would be one long task.
      await pause()
    }
    const { entries, next } = await nextLine(stream.lines)
    const last = entries.at(-1)?.key
    if (last !== undefined) stream.position = last
    const isEnd = next === null
    if (next !== undefined) this.#streams.delete(signal)
    return {
      entries: entries.map((entry) => entryOf(entry, prefix)),
      continuationToken: isEnd ? undefined : (next ?? stream.position),
    }
  }
}

/** All entries of one response, such as one with a limit. @throws ApiError */
export async function readWhole(
  bytes: ReadableStream<Uint8Array>,
  prefix: string,
  signal: AbortSignal,
): Promise<FolderPage> {
  const lines = linesOf(bytes, signal)
  const entries: Entry[] = []
  for (;;) {
    const line = await nextLine(lines)
    for (const entry of line.entries) entries.push(entryOf(entry, prefix))
    if (line.next !== undefined) return { entries, continuationToken: line.next ?? undefined }
  }
}

/** @throws ApiError if the response is cut off, or the drive fails. */
async function nextLine(lines: OpenStream['lines']): Promise<FolderLine> {
  const { value } = await lines.next()
  if (value === undefined) throw unreachable(new Error('the listing was cut off'))
  if (value.message !== undefined) throw new ApiError(value.message, { status: 503 })
  return value
}

async function* linesOf(
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<FolderLine, undefined> {
  for await (const lines of lineGroups<FolderLine>(bytes, signal)) yield* lines
}

function entryOf({ key, ...fields }: FolderLine['entries'][number], prefix: string): Entry {
  const { size, modifiedAtMs, fileTimeMs, etag } = fields
  if (size === undefined || modifiedAtMs === undefined || etag === undefined) {
    return folderEntry(key, prefix)
  }
  const file = {
    kind: 'file',
    key,
    name: key.slice(prefix.length),
    size,
    modifiedAtMs,
    etag,
  } as const
  return fileTimeMs === undefined ? file : { ...file, fileTimeMs }
}
