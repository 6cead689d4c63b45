import { PassThrough, type Readable } from 'node:stream'
import { DriveError } from '../../drive.ts'
import type { DavAnswer } from './dav-client.ts'

/** What waits for the server at most. */
const highWaterMark = 1024 * 1024

/** A request whose body is written piece by piece while it is being sent. */
export class BodyPipe {
  readonly #stream = new PassThrough({ highWaterMark })
  readonly #answer: Promise<DavAnswer>
  #early: { readonly answer: DavAnswer } | { readonly error: unknown } | undefined

  /** @param send sends the request with this body */
  constructor(send: (body: Readable) => Promise<DavAnswer>) {
    // A request that fails destroys its body; the reason comes with the answer.
    this.#stream.on('error', () => undefined)
    this.#answer = send(this.#stream)
    this.#answer.then(
      (answer) => this.#settle({ answer }),
      (error: unknown) => this.#settle({ error }),
    )
  }

  /** Takes a copy of the chunk. An answer that comes before the end is given instead. */
  async write(chunk: Uint8Array): Promise<DavAnswer | undefined> {
    if (!this.#stream.destroyed && !this.#stream.write(Buffer.from(chunk))) await this.#drained()
    // The request has ended, and its outcome is about to be known.
    if (this.#stream.destroyed) await this.#answer.catch(() => undefined)
    if (this.#early === undefined) return undefined
    if ('error' in this.#early) throw this.#early.error
    return this.#early.answer
  }

  /** The answer to the whole. */
  async end(): Promise<DavAnswer> {
    if (!this.#stream.destroyed) this.#stream.end()
    return await this.#answer
  }

  /** Breaks the request off: the server must not take what it has for the whole. */
  async abort(): Promise<void> {
    this.#stream.destroy(new DriveError('changed', 'This write has ended.'))
    await this.#answer.catch(() => undefined)
  }

  #settle(early: { answer: DavAnswer } | { error: unknown }): void {
    this.#early = early
    this.#stream.destroy()
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off('drain', done)
        this.#stream.off('close', done)
        resolve()
      }
      this.#stream.on('drain', done)
      this.#stream.on('close', done)
    })
  }
}
