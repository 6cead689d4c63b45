import type { ThumbnailBody } from '../../../../src/dashboard/thumbnails/thumbnail-routes.ts'
import { request, requestStream } from '../../api/client.ts'
import type { FileEntry } from '../entries/entry.ts'
import type { ThumbnailKind } from './thumbnail-kind.ts'
import { Turns } from './turns.ts'

const path = '/-/api/thumbnails'

/** Kept in memory, some 10 KiB each. */
const maxKnown = 1_000

interface Subject {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: ThumbnailKind
}

interface LoadOptions {
  /** What has the lowest rank is made first. */
  readonly rank?: () => number
  /** Whether it is only read from the server, which has it or finds a preview in the photo. */
  readonly isReadOnly?: boolean
}

/** The thumbnails of this page: requested from the server, or made here and stored on the server. */
class Thumbnails {
  /** By key, the most recently used last. */
  readonly #known = new Map<string, Blob>()
  readonly #refused = new Set<string>()
  readonly #asking = new Turns(4)
  /**
   * Each turn has a whole picture in memory. Videos have their own turn, so that a slow video does not delay
   * pictures.
   */
  readonly #making = { picture: new Turns(threadCount()), video: new Turns(1) }

  /** The thumbnail, if this page has it. */
  get(bucket: string, { etag }: FileEntry): Blob | undefined {
    const id = idOf(bucket, etag)
    const picture = this.#known.get(id)
    if (picture === undefined) return undefined
    this.#known.delete(id)
    this.#known.set(id, picture)
    return picture
  }

  /**
   * The thumbnail; undefined if there is none. @throws if it could not be read or made, or the signal aborts
   */
  async load(
    { bucket, file, kind }: Subject,
    signal: AbortSignal,
    { rank, isReadOnly = false }: LoadOptions = {},
  ): Promise<Blob | undefined> {
    const id = idOf(bucket, file.etag)
    const known = () => this.get(bucket, file)
    if (this.#refused.has(id)) return undefined
    const read = async () => known() ?? this.#keep(id, await storedPicture(bucket, file, signal))
    const make = async () => {
      // Another file with the same bytes may have had its turn in the meantime.
      const already = known()
      if (already !== undefined) return already
      // Loaded when it is needed: the worker is a part of the script.
      const { makeThumbnail } = await import('./make-thumbnail.ts')
      const picture = await makeThumbnail(bucket, file, kind, signal)
      if (picture === undefined) this.#refused.add(id)
      // If this fails, the thumbnail is made again the next time.
      else void storePicture(bucket, file, picture).catch(() => undefined)
      return this.#keep(id, picture)
    }
    const turns = this.#making[kind === 'video' ? 'video' : 'picture']
    const stored = await this.#asking.run(signal, read, rank)
    return stored !== undefined || isReadOnly ? stored : turns.run(signal, make, rank)
  }

  #keep(id: string, picture: Blob | undefined): Blob | undefined {
    if (picture === undefined) return undefined
    this.#known.set(id, picture)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
    return picture
  }
}

export const thumbnails = new Thumbnails()

/** Each may take some 250 MB for a moment, so there are more than two only where there is memory for them. */
function threadCount(): number {
  const { deviceMemory = 0 } = navigator as { readonly deviceMemory?: number }
  return deviceMemory >= 8 && navigator.hardwareConcurrency >= 4 ? 4 : 2
}

function idOf(bucket: string, etag: string): string {
  return `${bucket}/${etag}`
}

async function storedPicture(bucket: string, { key, etag }: FileEntry, signal: AbortSignal) {
  const query = { bucket, key, etag }
  const reply = await requestStream(path, { query, signal, cache: 'default' })
  return reply.status === 204 ? undefined : reply.blob()
}

async function storePicture(bucket: string, { key, etag }: FileEntry, blob: Blob): Promise<void> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const picture = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const body: ThumbnailBody = { bucket, key, etag, picture }
  await request(path, { method: 'PUT', body })
}
