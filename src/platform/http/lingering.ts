import type { Socket } from 'node:net'

/** Limits for reading from a connection after its last reply. */
export interface LingeringLimits {
  readonly totalMs: number
  /** Maximum time without a byte from the client. */
  readonly idleMs: number
  /** Maximum number of connections that are read at the same time. */
  readonly connections: number
}

/** The times are those of nginx: `lingering_time` and `lingering_timeout`. */
const lingeringLimits: LingeringLimits = {
  totalMs: 30_000,
  idleMs: 5_000,
  connections: 256,
}

/** A client that broke the protocol or was too slow gets this long to read why. */
export const shortLingerMs = 2_000

/** How often the number of received bytes is checked during the idle time. */
const checksPerIdleTime = 5

/**
 * Limits the lingering close (RFC 9112 section 9.6). Closing a connection while its client still sends resets it, and
 * the reset can destroy a reply that the client has not read. Many clients send the whole body before they read
 * (Python's http.client, s3cmd, curl without Expect), so the caller of `hold` reads and discards the rest.
 */
export class Lingering {
  readonly #limits: LingeringLimits
  readonly #sockets = new Set<Socket>()

  constructor(limits: LingeringLimits = lingeringLimits) {
    this.#limits = limits
  }

  /**
   * Closes the connection when its client stops sending, and after `totalMs` at the latest. If there are too many, the
   * oldest one is closed. The returned function ends the hold.
   */
  hold(socket: Socket, totalMs = this.#limits.totalMs): () => void {
    const { idleMs, connections } = this.#limits
    const startedAtMs = performance.now()
    let changedAtMs = startedAtMs
    let bytes = socket.bytesRead
    const check = () => {
      const nowMs = performance.now()
      if (socket.bytesRead !== bytes) {
        bytes = socket.bytesRead
        changedAtMs = nowMs
      }
      if (nowMs - changedAtMs >= idleMs || nowMs - startedAtMs >= totalMs) socket.destroy()
    }
    const timer = setInterval(check, Math.min(idleMs, totalMs) / checksPerIdleTime)
    const release = () => {
      clearInterval(timer)
      this.#sockets.delete(socket)
      socket.off('close', release)
    }
    socket.once('close', release)
    this.#sockets.add(socket)
    const [longest] = this.#sockets
    if (this.#sockets.size > connections) longest?.destroy()
    return release
  }
}
