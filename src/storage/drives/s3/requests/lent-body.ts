import { Readable } from 'node:stream'

/**
 * A body that is lent to its request chunk by chunk, which says when the kernel has a chunk. Copies of large chunks are
 * memory that V8 counts: it would collect all of its own about every 50 MiB, which took a third of the CPU time of a large
 * PUT.
 */
export class LentBody extends Readable {
  #request: NodeJS.WritableStream | undefined
  #next: Uint8Array | undefined
  #giveBack = (): void => undefined
  #last: Uint8Array | undefined

  /** Lends one chunk at a time. Resolves when it may be used again: it was sent, or the body has ended. */
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
    this.#last = bytes
    this.#pass()
  }

  /** How the SDK sends a body. */
  override pipe<Target extends NodeJS.WritableStream>(request: Target): Target {
    this.#request = request
    this.#pass()
    return request
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#giveBack()
    done(error)
  }

  #pass(): void {
    const [request, chunk, giveBack] = [this.#request, this.#next, this.#giveBack]
    if (request === undefined) return
    this.#next = undefined
    if (chunk !== undefined) request.write(chunk, () => giveBack())
    if (this.#last !== undefined) request.end(this.#last)
  }
}
