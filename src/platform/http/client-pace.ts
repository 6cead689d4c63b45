import type { Socket } from 'node:net'

/** A sample of a client's progress. */
interface PaceSample {
  /** Milliseconds since the last sample. */
  readonly ms: number
  /** Total bytes that the client has received and sent. */
  readonly bytesTaken: number
  /** Whether the client has to receive bytes of a reply or send its body. */
  readonly isAwaited: boolean
}

/** How well a client keeps up with its replies and bodies, sampled at intervals. */
export class ClientPace {
  readonly #minimumRate: number
  #bytesTaken = 0
  #wasAwaited = false
  #lagMs = 0
  #stalledMs = 0

  /** @param minimumRate bytes a second. */
  constructor(minimumRate: number) {
    this.#minimumRate = minimumRate
  }

  /** How far the client is behind the minimum rate. Time without bytes to send does not count. */
  get lagMs(): number {
    return this.#lagMs
  }

  /** How long the client has neither received nor sent anything although it was awaited. */
  get stalledMs(): number {
    return this.#stalledMs
  }

  update({ ms, bytesTaken, isAwaited }: PaceSample): void {
    const bytes = bytesTaken - this.#bytesTaken
    const awaitedMs = isAwaited && this.#wasAwaited ? ms : 0
    this.#bytesTaken = bytesTaken
    this.#wasAwaited = isAwaited
    this.#lagMs = Math.max(0, this.#lagMs + awaitedMs - (bytes / this.#minimumRate) * 1_000)
    this.#stalledMs = bytes > 0 || !isAwaited ? 0 : this.#stalledMs + awaitedMs
  }

  /** The client has all its replies. */
  reset(): void {
    this.#wasAwaited = false
    this.#lagMs = 0
    this.#stalledMs = 0
  }
}

/**
 * How many bytes the operating system has taken for the client.
 *
 * @param socket the TCP socket, even for TLS
 */
export function bytesTakenFrom(socket: Socket): number {
  // `bytesWritten` includes what is left of a large write in progress. node:net uses the same undocumented property for
  // its own timeout. If it goes, bytes count as soon as they are written, and
  // test/unit/platform/http/slow-client.test.ts fails.
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } }
  return socket.bytesWritten - (handle?.writeQueueSize ?? 0)
}
