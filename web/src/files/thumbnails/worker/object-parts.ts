import type { ObjectSource } from '../thumbnail-task.ts'
import { reading } from './reading.ts'

/** The object could not be read, which may succeed later. */
export class NotReadError extends Error {}

/** Bytes: what is read next is often near, and a request takes as long as so much data. */
const leastRead = 64 * 1024

/** Reads parts of an object in one version, and counts the bytes: a file that leads back and forth has its limit. */
export class ObjectParts {
  readonly #source: ObjectSource
  readonly #chunks: { readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> }[] = []
  #left: number

  /** @param mostBytes all parts together */
  constructor(source: ObjectSource, mostBytes: number) {
    this.#source = source
    this.#left = mostBytes
  }

  get size(): number {
    return this.#source.size
  }

  /** @throws RangeError behind the end or above the limit; NotReadError */
  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (!(start >= 0 && start <= end && end <= this.size)) throw new RangeError('behind the end')
    const known = this.#chunks.find(
      (one) => one.start <= start && one.start + one.bytes.length >= end,
    )
    if (known !== undefined) return known.bytes.subarray(start - known.start, end - known.start)
    const bytes = await this.#fetch(start, Math.min(this.size, Math.max(end, start + leastRead)))
    this.#chunks.push({ start, bytes })
    return bytes.subarray(0, end - start)
  }

  async #fetch(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    if (end - start > this.#left) throw new RangeError('too many bytes')
    this.#left -= end - start
    const { url, etag } = this.#source
    const headers = { range: `bytes=${start}-${end - 1}`, 'if-match': `"${etag}"` }
    const options = { headers, credentials: 'omit', cache: 'no-store' } as const
    const read = fetch(url, options).then(
      // Another reply could be the whole object.
      (reply) => (reply.status === 206 ? reply.arrayBuffer() : undefined),
      (error: Error) => {
        throw new NotReadError(error.message)
      },
    )
    const bytes = await reading(read)
    if (bytes?.byteLength !== end - start) throw new NotReadError('not the part')
    return new Uint8Array(bytes)
  }
}
