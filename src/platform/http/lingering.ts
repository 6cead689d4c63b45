import type { Socket } from 'node:net'

/** How long a connection is read after its last reply. */
export interface LingeringLimits {
  readonly totalMs: number
  /** Without a byte from the client. */
  readonly idleMs: number
  /** Connections that are read at one time. */
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

/** How often the bytes received are looked at within the idle time. */
const looksPerIdleTime = 5

/**
 * Bounds the lingering close (RFC 9112 section 9.6): closing a connection while its client still
 * sends resets it, and the reset can destroy a reply that the client has not read. Many clients send
 * the whole body before they read (Python's http.client, s3cmd, curl without Expect). So the rest is
 * read and discarded by the caller of `hold` for as long as these limits allow.
 */
export class Lingering {
  readonly #limits: LingeringLimits
  readonly #sockets = new Set<Socket>()

  constructor(limits: LingeringLimits = lingeringLimits) {
    this.#limits = limits
  }

  /**
   * Closes the connection when its client stops sending, and after `totalMs` in any case. Beyond the
   * bound on connections the oldest one is closed. The returned function ends this.
   */
  hold(socket: Socket, totalMs = this.#limits.totalMs): () => void {
    const { idleMs, connections } = this.#limits
    const startedAtMs = performance.now()
    let changedAtMs = startedAtMs
    let bytes = socket.bytesRead
    const look = () => {
      const nowMs = performance.now()
      if (socket.bytesRead !== bytes) {
        bytes = socket.bytesRead
        changedAtMs = nowMs
      }
      if (nowMs - changedAtMs >= idleMs || nowMs - startedAtMs >= totalMs) socket.destroy()
    }
    const timer = setInterval(look, Math.min(idleMs, totalMs) / looksPerIdleTime)
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
