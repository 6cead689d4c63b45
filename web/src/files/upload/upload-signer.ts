import { ApiError } from '../../api/api-error.ts'
import type { UploadOrder } from './upload-item.ts'

interface UploadSignerParts {
  /** One URL for each order. */
  readonly sign: (orders: readonly UploadOrder[]) => Promise<readonly string[]>
  /** The orders that start next. */
  readonly upcoming: (count: number) => readonly UploadOrder[]
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

interface Batch {
  readonly urls: Promise<readonly string[]>
  readonly size: number
  readonly atMs: number
}

interface Signature {
  readonly batch: Batch
  readonly index: number
}

/** Signatures of one request: `mostPresigned` of the service. */
export const batchSize = 100

/** With fewer signatures at hand, the next batch is fetched. */
const least = 40

/** A signature is valid for an hour from then on, for the slowest connection. */
const maxAgeMs = 10 * 60_000

/** Signs the uploads of small files in batches, ahead of their start. */
export class UploadSigner {
  readonly #parts: UploadSignerParts
  readonly #signatures = new Map<string, Signature>()
  readonly #missing: UploadOrder[] = []

  constructor(parts: UploadSignerParts) {
    this.#parts = parts
  }

  /** A new URL with each call. @throws ApiError */
  async urlOf(order: UploadOrder): Promise<string> {
    const name = nameOf(order)
    this.#forgetOld()
    if (!this.#signatures.has(name)) {
      this.#missing.push(order)
      // Uploads that start together share a batch.
      await undefined
      if (this.#missing.includes(order)) this.#begin()
    }
    const signature = this.#signatures.get(name)
    this.#signatures.delete(name)
    if (this.#signatures.size < least) this.#begin()
    if (signature === undefined) return (await this.#parts.sign([order]))[0] ?? ''
    const { batch, index } = signature
    const urls = await batch.urls.catch((error: unknown) => {
      // Another name of the batch was refused.
      const isShared = error instanceof ApiError && error.status === 400 && batch.size > 1
      return isShared ? this.#parts.sign([order]) : Promise.reject(error)
    })
    return urls[urls.length === batch.size ? index : 0] ?? ''
  }

  /** Signs what is missing, and as many of the next ones as a batch takes. */
  #begin(): void {
    const first = this.#missing.splice(0)
    const names = new Set(first.map(nameOf))
    const next = this.#parts
      .upcoming(batchSize + least)
      .filter((order) => !this.#signatures.has(nameOf(order)) && !names.has(nameOf(order)))
    const orders = [...first, ...next].slice(0, batchSize)
    if (orders.length === 0) return
    const urls = this.#parts.sign(orders)
    // Each upload reports it.
    urls.catch(() => undefined)
    const batch = { urls, size: orders.length, atMs: this.#parts.now() }
    for (const [index, order] of orders.entries()) {
      this.#signatures.set(nameOf(order), { batch, index })
    }
  }

  /** Signatures of uploads that were cancelled, and of a queue that was paused. */
  #forgetOld(): void {
    const oldestMs = this.#parts.now() - maxAgeMs
    for (const [name, { batch }] of this.#signatures) {
      if (batch.atMs < oldestMs) this.#signatures.delete(name)
      else break
    }
  }
}

function nameOf({ bucket, key }: UploadOrder): string {
  return `${bucket}/${key}`
}
