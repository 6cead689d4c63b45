import { OutgoingMessage } from 'node:http'
import { Readable } from 'node:stream'

/**
 * A body that is lent to its request chunk by chunk. Copies of large chunks are memory that V8 counts: it would collect all
 * of its own about every 50 MiB, which took a third of the CPU time of a large PUT.
 *
 * The SDK pipes a body into its request, which says when the kernel has a chunk. Whoever else reads it, as the SDK does for
 * a checksum, gets copies.
 */
export class LentBody extends Readable {
  #request: OutgoingMessage | undefined
  #next: Uint8Array | undefined
  #giveBack = (): void => undefined
  #isWanted = false
  #hasEnded = false

  /** Lends one chunk at a time. Resolves when it may be used again: it was sent or copied, or the body has ended. */
  async lend(chunk: Uint8Array): Promise<void> {
    if (this.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#giveBack = resolve
    this.#next = chunk
    this.#pass()
    await promise
  }

  /** Ends the body with these bytes. */
  end(bytes: Uint8Array): void {
    this.#hasEnded = true
    if (this.#request !== undefined) this.#request.end(bytes)
    else {
      this.push(bytes)
      this.push(null)
    }
  }

  override pipe<Target extends NodeJS.WritableStream>(
    target: Target,
    options?: { end?: boolean },
  ): Target {
    if (!(target instanceof OutgoingMessage) || this.#hasEnded) return super.pipe(target, options)
    this.#request = target
    this.#pass()
    return target
  }

  override _read(): void {
    this.#isWanted = true
    this.#pass()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#giveBack()
    done(error)
  }

  #pass(): void {
    const chunk = this.#next
    if (chunk === undefined) return
    const giveBack = this.#giveBack
    if (this.#request !== undefined) {
      this.#next = undefined
      this.#request.write(chunk, () => giveBack())
    } else if (this.#isWanted) {
      this.#next = undefined
      this.#isWanted = false
      this.push(Buffer.from(chunk))
      giveBack()
    }
  }
}
