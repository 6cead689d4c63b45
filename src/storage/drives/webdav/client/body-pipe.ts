import { PassThrough, type Readable } from 'node:stream'
import { DriveError } from '../../drive-error.ts'
import type { DavAnswer } from './dav-client.ts'

/** The limit for bytes that wait for the server. */
const highWaterMark = 1024 * 1024

/** A request whose body is written in chunks while it is being sent. */
export class BodyPipe {
  readonly #stream = new PassThrough({ highWaterMark })
  readonly #answer: Promise<DavAnswer>
  #early: { readonly answer: DavAnswer } | { readonly error: unknown } | undefined

  /** @param send sends the request with this body */
  constructor(send: (body: Readable) => Promise<DavAnswer>) {
    // A failed request destroys its body; the answer rejects with the reason.
    this.#stream.on('error', () => undefined)
    this.#answer = send(this.#stream)
    this.#answer.then(
      (answer) => this.#endEarly({ answer }),
      (error: unknown) => this.#endEarly({ error }),
    )
  }

  /** Copies the chunk. Returns the answer if the server sent it before the end of the body. */
  async write(chunk: Uint8Array): Promise<DavAnswer | undefined> {
    if (!this.#stream.destroyed && !this.#stream.write(Buffer.from(chunk))) await this.#drained()
    if (this.#stream.destroyed) await this.#answer.catch(() => undefined)
    if (this.#early === undefined) return undefined
    if ('error' in this.#early) throw this.#early.error
    return this.#early.answer
  }

  async end(): Promise<DavAnswer> {
    if (!this.#stream.destroyed) this.#stream.end()
    return await this.#answer
  }

  /** Breaks the request off, so that the server does not mistake the bytes for the complete body. */
  async abort(): Promise<void> {
    this.#stream.destroy(new DriveError('changed', 'This write has ended.'))
    await this.#answer.catch(() => undefined)
  }

  #endEarly(early: { answer: DavAnswer } | { error: unknown }): void {
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
