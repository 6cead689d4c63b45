import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Connections that are served at one time. */
  readonly connections: number
  /** Connections beyond them that are accepted to be told so. More are closed at once. */
  readonly extra: number
  /** An extra connection must send its request within this time. */
  readonly extraMs: number
  /** A connection that has been idle for less than this is not closed to make room. */
  readonly minIdleMs: number
}

/** One connection, as the limit sees it. */
export class Place {
  readonly socket: Socket
  /** Whether the connection came when all places were taken. */
  readonly isExtra: boolean
  readonly #idle: Set<Place>
  #idleSinceMs = performance.now()

  /** @param idle where the place is found while the connection is idle. */
  constructor(socket: Socket, options: { readonly isExtra: boolean; readonly idle: Set<Place> }) {
    this.socket = socket
    this.isExtra = options.isExtra
    this.#idle = options.idle
    this.markIdle()
  }

  get idleMs(): number {
    return performance.now() - this.#idleSinceMs
  }

  /** The connection serves a request. */
  markBusy(): void {
    this.#idle.delete(this)
  }

  /** The connection has served all its requests. */
  markIdle(): void {
    if (this.isExtra || this.socket.destroyed) return
    this.#idleSinceMs = performance.now()
    this.#idle.add(this)
  }
}

/**
 * Bounds the connections of one server, so that descriptors are left for files. When all places are
 * taken, the connection that has been idle longest is closed for the new one. When none is idle, the
 * new one is an extra connection, for the server to refuse.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits
  readonly #onFull: () => void
  readonly #places = new Map<string, Place>()
  /** Longest idle first. */
  readonly #idle = new Set<Place>()
  #extras = 0

  /** `onFull` is called for every connection that finds no place. */
  constructor(limits: ConnectionLimits, onFull: () => void) {
    this.#limits = limits
    this.#onFull = onFull
  }

  /** Finds a place for a connection that was just accepted. False: it was closed. */
  admit(socket: Socket): boolean {
    // The client has left already.
    if (socket.remotePort === undefined) {
      socket.destroy()
      return false
    }
    const isFull = this.#places.size - this.#extras >= this.#limits.connections
    const isExtra = isFull && !this.#closeLongestIdle()
    if (isExtra) this.#onFull()
    if (isExtra && this.#extras >= this.#limits.extra) {
      socket.destroy()
      return false
    }
    this.#add(new Place(socket, { isExtra, idle: this.#idle }))
    return true
  }

  /** The place of a connection, given its socket or the TLS socket around it. */
  placeOf(socket: Socket): Place | undefined {
    return this.#places.get(keyOf(socket))
  }

  /** Closes connections without a request that have been idle long enough to make room. */
  closeIdle(): void {
    while (this.#closeLongestIdle()) {
      // One by one, the longest idle first.
    }
  }

  /** Closes every connection. */
  destroyAll(): void {
    for (const { socket } of this.#places.values()) socket.destroy()
  }

  #add(place: Place): void {
    const { socket, isExtra } = place
    const key = keyOf(socket)
    // The client uses its port again before the end of the last connection was noticed.
    this.#remove(key, this.#places.get(key))
    this.#places.set(key, place)
    const timer = isExtra ? setTimeout(() => socket.destroy(), this.#limits.extraMs) : undefined
    if (isExtra) this.#extras += 1
    socket.once('close', () => {
      clearTimeout(timer)
      this.#remove(key, place)
    })
  }

  #closeLongestIdle(): boolean {
    const [longest] = this.#idle
    if (longest === undefined || longest.idleMs < this.#limits.minIdleMs) return false
    this.#remove(keyOf(longest.socket), longest)
    longest.socket.destroy()
    return true
  }

  #remove(key: string, place: Place | undefined): void {
    if (place === undefined || this.#places.get(key) !== place) return
    this.#places.delete(key)
    this.#idle.delete(place)
    if (place.isExtra) this.#extras -= 1
  }
}

/** The same for a socket and for the TLS socket around it: node:tls has no public way between them. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
