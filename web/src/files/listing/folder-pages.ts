import type { FolderLine } from '../../../../src/dashboard/management/folders/folder-listing-route.ts'
import { ApiError, unreachable } from '../../api/api-error.ts'
import { lineGroups } from '../../api/json-lines.ts'
import { type Entry, folderEntry } from '../entries/entry.ts'
import type { ListingPage } from '../s3/listing-xml.ts'

interface FolderStreamQuery {
  /** Only keys after this one; '' from the beginning. */
  readonly after: string
  readonly signal: AbortSignal
}

interface FolderPagesParts {
  /** '' or ends in a slash; removed from the shown names. */
  readonly prefix: string
  /** The bytes of `/-/api/folder`. @throws ApiError */
  readonly open: (query: FolderStreamQuery) => Promise<ReadableStream<Uint8Array>>
  /** Lets the browser draw. */
  readonly pause: () => Promise<void>
}

interface OpenStream {
  readonly lines: AsyncGenerator<FolderLine, undefined>
  /** The key after which the next line continues. */
  position: string
}

/**
 * The pages of a folder, of one response that is read as it comes. Pages that are fetched with the
 * same signal, one after the other, share it; any other begins another after its position.
 */
export class FolderPages {
  readonly #parts: FolderPagesParts
  readonly #streams = new WeakMap<AbortSignal, OpenStream>()

  constructor(parts: FolderPagesParts) {
    this.#parts = parts
  }

  /** @throws ApiError; the page can be fetched again with another signal. */
  async fetch(
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<Pick<ListingPage, 'entries' | 'continuationToken'>> {
    const { prefix, open, pause } = this.#parts
    let stream = this.#streams.get(signal)
    if (stream === undefined || stream.position !== (after ?? '')) {
      const position = after ?? ''
      stream = { lines: linesOf(await open({ after: position, signal }), signal), position }
      this.#streams.set(signal, stream)
    } else {
      // Lines that have arrived together would be one long task.
      await pause()
    }
    const { value } = await stream.lines.next()
    if (value === undefined) throw unreachable(new Error('the listing was cut off'))
    const { entries, next, message } = value
    if (message !== undefined) throw new ApiError(message, { status: 503 })
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

async function* linesOf(
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<FolderLine, undefined> {
  for await (const lines of lineGroups<FolderLine>(bytes, signal)) yield* lines
}

function entryOf({ key, ...fields }: FolderLine['entries'][number], prefix: string): Entry {
  const { size, modifiedAtMs, etag } = fields
  if (size === undefined || modifiedAtMs === undefined || etag === undefined) {
    return folderEntry(key, prefix)
  }
  return { kind: 'file', key, name: key.slice(prefix.length), size, modifiedAtMs, etag }
}
