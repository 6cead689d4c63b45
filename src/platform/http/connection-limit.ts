import type { Socket } from 'node:net'
import { longestLagOfStrangersMs } from '../process/slow-client.ts'
import { bytesTakenFrom, ClientPace } from './client-pace.ts'
import type { Exchange } from './exchange.ts'

export interface ConnectionLimits {
  /** Maximum number of connections that are served at the same time. */
  readonly connections: number
  /** Maximum number of extra connections, which are accepted only to refuse their requests. More are closed at once. */
  readonly extra: number
  /** An extra connection must send its request within this time. */
  readonly extraMs: number
  /** A connection that has been idle for less than this is not closed to make room. */
  readonly minIdleMs: number
  /** Bytes per second. A client that reads its reply or sends its body more slowly is slow. */
  readonly minimumRate: number
  /** How far a client may fall behind that rate before its connection is closed to make room. */
  readonly longestLagMs: number
  /** A client that reads nothing of its reply for this long is disconnected, even if there are free slots. */
  readonly longestStallMs: number
  /** How often `checkClients` is called. */
  readonly checkEveryMs: number
}

/** Callbacks for what the limit does. */
export interface ConnectionEvents {
  /** No slot was free for a connection. */
  readonly onFull: () => void
  /** The connection of a slow client was closed for a new one. */
  readonly onSlowClient: () => void
}

/** The server of a connection's requests. */
export interface SlotUser {
  readonly running:
    | Pick<Exchange, 'isKnown' | 'isWaitingForBody' | 'isWaitingForClient'>
    | undefined
}

/** One connection, as the limit sees it. */
export class ConnectionSlot {
  readonly socket: Socket
  /** Names the connection. A socket that was destroyed no longer has its addresses. */
  readonly key: string
  readonly pace: ClientPace
  /** Whether all slots were taken when the connection arrived. */
  readonly isExtra: boolean
  readonly #idle: Set<ConnectionSlot>
  #idleSinceMs = performance.now()
  #user: SlotUser | undefined
  #isFree = false

  /** @param options.idle where the slot is found while the connection is idle. */
  constructor(
    socket: Socket,
    options: {
      readonly isExtra: boolean
      readonly idle: Set<ConnectionSlot>
      readonly minimumRate: number
    },
  ) {
    this.socket = socket
    this.key = keyOf(socket)
    this.pace = new ClientPace(options.minimumRate)
    this.isExtra = options.isExtra
    this.#idle = options.idle
    this.markIdle()
  }

  get idleMs(): number {
    return performance.now() - this.#idleSinceMs
  }

  get isKnown(): boolean {
    return this.#user?.running?.isKnown ?? false
  }

  /** Whether the server waits for the client to receive or to send bytes. */
  get isAwaited(): boolean {
    const served = this.#user?.running
    return served?.isWaitingForClient === true || served?.isWaitingForBody === true
  }

  /** Whether the connection may be closed to make room because its client is too slow. */
  isSlow({ longestLagMs }: ConnectionLimits): boolean {
    if (this.isExtra || this.socket.destroyed || !this.isAwaited) return false
    const isUnknownUpload = this.#user?.running?.isWaitingForBody === true && !this.isKnown
    return this.pace.lagMs >= (isUnknownUpload ? longestLagOfStrangersMs : longestLagMs)
  }

  /** The connection serves a request. */
  markBusy(user: SlotUser): void {
    this.#user = user
    this.#idle.delete(this)
  }

  /** The connection has served all its requests. */
  markIdle(): void {
    this.#user = undefined
    this.pace.reset()
    if (this.isExtra || this.#isFree || this.socket.destroyed) return
    this.#idleSinceMs = performance.now()
    this.#idle.add(this)
  }

  /** The slot no longer belongs to this connection. */
  free(): void {
    this.#isFree = true
    this.#idle.delete(this)
  }
}

/**
 * Limits the connections of one server so that file descriptors are left for files. If all slots are taken, the
 * connection that has been idle the longest is closed for a new one. If no connection is idle, the one whose client is
 * furthest behind the minimum rate is closed, unauthenticated clients first. If no client is slow either, the new
 * connection is extra: the server refuses its requests.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits
  readonly #events: ConnectionEvents
  readonly #elapsed: () => number
  readonly #slots = new Map<string, ConnectionSlot>()
  /** Longest idle first. */
  readonly #idle = new Set<ConnectionSlot>()
  /** Slots of slow clients at the last check. Unauthenticated and slower clients are last. */
  #slow: ConnectionSlot[] = []
  #checkedAtMs: number
  #extras = 0

  /** @param elapsed milliseconds of a clock that is never set back. */
  constructor(
    limits: ConnectionLimits,
    events: ConnectionEvents,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#limits = limits
    this.#events = events
    this.#elapsed = elapsed
    this.#checkedAtMs = elapsed()
  }

  /** Finds a slot for a connection that was just accepted. Returns false if the connection was closed. */
  admit(socket: Socket): boolean {
    // The client has left already.
    if (socket.remotePort === undefined) {
      socket.destroy()
      return false
    }
    const isFull = this.#slots.size - this.#extras >= this.#limits.connections
    const isExtra = isFull && !this.#closeLongestIdle() && !this.#closeSlowest()
    if (isExtra) this.#events.onFull()
    if (isExtra && this.#extras >= this.#limits.extra) {
      socket.destroy()
      return false
    }
    const { minimumRate } = this.#limits
    this.#add(new ConnectionSlot(socket, { isExtra, idle: this.#idle, minimumRate }))
    return true
  }

  /** The slot of a connection, given its socket or the TLS socket around it. */
  slotOf(socket: Socket): ConnectionSlot | undefined {
    return this.#slots.get(keyOf(socket))
  }

  /** Finds slow clients, and disconnects those that have stalled for too long. */
  checkClients(): void {
    const { checkEveryMs, longestStallMs } = this.#limits
    const nowMs = this.#elapsed()
    // A suspended process sends nothing, so that time must not count against its clients.
    const ms = Math.min(nowMs - this.#checkedAtMs, 2 * checkEveryMs)
    this.#checkedAtMs = nowMs
    const slots = [...this.#slots.values()]
    for (const slot of slots) {
      const { pace, socket, isAwaited } = slot
      pace.update({ ms, bytesTaken: bytesTakenFrom(socket) + socket.bytesRead, isAwaited })
      if (pace.stalledMs >= longestStallMs) socket.destroy()
    }
    this.#slow = slots
      .filter((slot) => slot.isSlow(this.#limits))
      .sort((a, b) => Number(b.isKnown) - Number(a.isKnown) || a.pace.lagMs - b.pace.lagMs)
  }

  /** Closes the connections that have been idle for at least `minIdleMs`. */
  closeIdle(): void {
    while (this.#closeLongestIdle()) {
      // One by one, the longest idle first.
    }
  }

  /** Closes every connection. */
  destroyAll(): void {
    for (const { socket } of this.#slots.values()) socket.destroy()
  }

  #add(slot: ConnectionSlot): void {
    const { socket, key, isExtra } = slot
    // The client may reuse its port before the end of its previous connection was noticed.
    this.#remove(this.#slots.get(key))
    this.#slots.set(key, slot)
    const timer = isExtra ? setTimeout(() => socket.destroy(), this.#limits.extraMs) : undefined
    if (isExtra) this.#extras += 1
    socket.once('close', () => {
      clearTimeout(timer)
      this.#remove(slot)
    })
  }

  #closeLongestIdle(): boolean {
    const [longest] = this.#idle
    if (longest === undefined || longest.idleMs < this.#limits.minIdleMs) return false
    this.#remove(longest)
    longest.socket.destroy()
    return true
  }

  #closeSlowest(): boolean {
    const isOld = this.#elapsed() - this.#checkedAtMs >= this.#limits.minIdleMs
    if (this.#slow.length === 0 && isOld) this.checkClients()
    for (let slot = this.#slow.pop(); slot !== undefined; slot = this.#slow.pop()) {
      // The client may have caught up, authenticated or left since the last check.
      if (!slot.isSlow(this.#limits)) continue
      this.#remove(slot)
      slot.socket.destroy()
      this.#events.onSlowClient()
      return true
    }
    return false
  }

  #remove(slot: ConnectionSlot | undefined): void {
    slot?.free()
    if (slot === undefined || this.#slots.get(slot.key) !== slot) return
    this.#slots.delete(slot.key)
    if (slot.isExtra) this.#extras -= 1
  }
}

/** The same for a socket and the TLS socket around it: node:tls has no public way from one to the other. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
