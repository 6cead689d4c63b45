/** The properties of a connection that a pool needs. */
export interface PooledConnection {
  /** Whether it was lost. */
  readonly isBroken: boolean
  /** How many more connections the server would accept, as of the opening of this one; undefined if unknown. */
  readonly room: number | undefined
  /** Sets whether the connection is idle: an idle one must not keep the process running. */
  setIdle(isIdle: boolean): void
  close(): Promise<void>
}

export interface ConnectionPoolOptions<Connection> {
  /** Maximum number of connections. */
  readonly most: number
  readonly open: () => Promise<Connection>
  /** Whether an error of `open` means that the server has reached its connection limit. */
  readonly isRefusal: (error: unknown) => boolean
  /** Called when the server allows fewer connections than `most`. */
  readonly onRefusal?: (error: unknown) => void
  /** How long a call waits for a connection. @default 20_000 */
  readonly waitMs?: number
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
}

/** A call waited too long. */
export class NoConnection extends Error {
  /** too_many_connections (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
  readonly code = '53300'

  constructor(waitMs: number, cause: unknown) {
    super(`no connection became free within ${waitMs / 1_000} s; see DATABASE_POOL`, { cause })
    this.name = 'NoConnection'
  }
}

const defaultWaitMs = 20_000
const idleMs = 10_000
/** Some connections of each process end every minute, so that gateways without any get a turn. */
const meanLifeMs = 60_000
/** Connections that a pool leaves to others, unless it has none itself. */
const leftForOthers = 3
/** If an urgent call waits longer, the pool opens one more connection for it. */
const spareAfterMs = 500
/** If a connection fails to respond for longer, connections that were idle for as long may also be half open. */
const suspectAfterMs = 2_000
const roomPauseMs = 5_000
const firstPauseMs = 50
const longestPauseMs = 1_000

interface Slot<Connection> {
  readonly connection: Connection
  readonly endsAtMs: number
  group: string
  idleSinceMs: number
  takenAtMs: number
}

interface Waiter<Connection> {
  readonly group: string
  readonly isUrgent: boolean
  readonly sinceMs: number
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: unknown) => void
  timer?: NodeJS.Timeout
}

/**
 * Connections to a server that others use as well. Calls wait for a connection in order. When the server accepts no
 * more connections, the pool continues with those that it has. Calls for one table never use all connections, so that
 * a locked table does not stop calls for other tables.
 */
export class ConnectionPool<Connection extends PooledConnection> {
  readonly #options: ConnectionPoolOptions<Connection>
  readonly #now: () => number
  readonly #waitMs: number
  readonly #idle: Slot<Connection>[] = []
  readonly #taken = new Map<Connection, Slot<Connection>>()
  #waiting = new Set<Waiter<Connection>>()
  #opening = 0
  #holding: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #refusal: unknown
  #answeredAtMs = Number.NEGATIVE_INFINITY
  #idleTimer: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(options: ConnectionPoolOptions<Connection>) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#waitMs = options.waitMs ?? defaultWaitMs
  }

  /** The number of calls that are waiting for a connection. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Gets a connection, which the caller must release.
   *
   * @param group the table that the call is for
   * @param urgentMs for a call that takes precedence over all others: its maximum wait
   * @throws NoConnection, or the reason why the server can't be reached
   */
  take(group: string, urgentMs?: number): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const isUrgent = urgentMs !== undefined
    const waiter: Waiter<Connection> = { group, isUrgent, sinceMs: this.#now(), resolve, reject }
    if (isUrgent) this.#waiting = new Set([waiter, ...this.#waiting])
    else this.#waiting.add(waiter)
    this.#serve()
    if (!this.#waiting.has(waiter)) return promise
    const waitMs = urgentMs ?? this.#waitMs
    waiter.timer = setTimeout(() => {
      this.#fail(waiter, new NoConnection(waitMs, this.#refusal))
    }, waitMs)
    if (isUrgent) setTimeout(() => this.#openSpare(waiter), spareAfterMs).unref()
    return promise
  }

  /** Takes back a connection. @param isUsable whether the server answered the last call */
  release(connection: Connection, isUsable: boolean): void {
    const slot = this.#taken.get(connection)
    if (slot === undefined) return
    this.#taken.delete(connection)
    const now = this.#now()
    if (isUsable) this.#answeredAtMs = now
    else if (now - slot.takenAtMs > suspectAfterMs) this.#closeIdle(now - suspectAfterMs)
    const isOver = now >= slot.endsAtMs || this.#isEnded || this.#size >= this.#options.most
    if (isUsable && !isOver && !connection.isBroken) this.#rest(slot, now)
    else void connection.close()
    this.#serve()
  }

  /** Closes idle connections now, and the others when they are released. */
  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#holding)
    clearInterval(this.#idleTimer)
    await Promise.all(this.#idle.splice(0).map(({ connection }) => connection.close()))
  }

  get #size(): number {
    return this.#idle.length + this.#taken.size + this.#opening
  }

  #serve(): void {
    if (this.#waiting.size === 0) return
    for (const waiter of this.#waiting) {
      if (this.#idle.length === 0) break
      if (!waiter.isUrgent && !this.#mayTake(waiter.group)) continue
      const slot = this.#takeIdle()
      if (slot !== undefined) this.#give(waiter, slot)
    }
    while (this.#opening < this.#waiting.size && this.#mayOpen()) void this.#open()
  }

  #mayOpen(): boolean {
    return this.#holding === undefined && this.#size < this.#options.most && !this.#isEnded
  }

  #mayTake(group: string): boolean {
    const most = this.#holding === undefined ? this.#options.most : this.#size
    if (most === 1 || this.#taken.size < most - 1) return true
    let ofGroup = 0
    for (const slot of this.#taken.values()) if (slot.group === group) ofGroup += 1
    return ofGroup < most - 1
  }

  /** Takes the most recently used connection, so that the others can become idle for long. */
  #takeIdle(): Slot<Connection> | undefined {
    for (;;) {
      const slot = this.#idle.pop()
      if (slot === undefined || !slot.connection.isBroken) return slot
      void slot.connection.close()
    }
  }

  #give(waiter: Waiter<Connection>, slot: Slot<Connection>): void {
    this.#waiting.delete(waiter)
    clearTimeout(waiter.timer)
    slot.group = waiter.group
    slot.takenAtMs = this.#now()
    this.#taken.set(slot.connection, slot)
    slot.connection.setIdle(false)
    waiter.resolve(slot.connection)
  }

  #fail(waiter: Waiter<Connection>, error: unknown): void {
    this.#waiting.delete(waiter)
    clearTimeout(waiter.timer)
    waiter.reject(error)
  }

  /** Opens one more connection: all others, even those being opened, may be waiting for locked tables or half open. */
  #openSpare(waiter: Waiter<Connection>): void {
    const isPossible = this.#holding === undefined && !this.#isEnded
    if (isPossible && this.#waiting.has(waiter) && this.#size <= this.#options.most) {
      void this.#open()
    }
  }

  async #open(): Promise<void> {
    const askedAtMs = this.#now()
    this.#opening += 1
    try {
      const connection = await this.#options.open()
      this.#opening -= 1
      this.#keep(connection)
    } catch (error) {
      this.#opening -= 1
      const { isRefusal, onRefusal } = this.#options
      const isRefused = isRefusal(error)
      if (isRefused) {
        this.#refusal = error
        onRefusal?.(error)
      }
      // The server responds on other connections, so that connections will become free.
      if (isRefused || this.#answeredAtMs > askedAtMs) this.#holdLonger()
      else this.#failSince(askedAtMs, error)
    }
    this.#serve()
  }

  #keep(connection: Connection): void {
    const { room = leftForOthers } = connection
    const hasOthers = this.#idle.length + this.#taken.size > 0
    if (this.#isEnded || (hasOthers && room < leftForOthers)) {
      void connection.close()
      this.#hold(roomPauseMs)
      return
    }
    this.#pauseMs = firstPauseMs
    this.#refusal = undefined
    const now = this.#now()
    const endsAtMs = now + meanLifeMs * (0.5 + Math.random())
    this.#rest({ connection, endsAtMs, group: '', idleSinceMs: now, takenAtMs: now }, now)
  }

  #rest(slot: Slot<Connection>, now: number): void {
    slot.idleSinceMs = now
    slot.connection.setIdle(true)
    this.#idle.push(slot)
    this.#idleTimer ??= setInterval(() => this.#closeIdle(this.#now() - idleMs), idleMs / 2).unref()
  }

  /** Closes the idle connections whose last use was at or before this time. */
  #closeIdle(sinceMs: number): void {
    for (const slot of this.#idle.splice(0)) {
      if (slot.idleSinceMs > sinceMs && !slot.connection.isBroken) this.#idle.push(slot)
      else void slot.connection.close()
    }
    if (this.#idle.length > 0) return
    clearInterval(this.#idleTimer)
    this.#idleTimer = undefined
  }

  #holdLonger(): void {
    if (this.#holding !== undefined) return
    this.#hold(this.#pauseMs * (0.5 + Math.random()))
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }

  /** Opens no connections for a while. */
  #hold(pauseMs: number): void {
    if (this.#isEnded) return
    this.#holding ??= setTimeout(() => {
      this.#holding = undefined
      this.#serve()
    }, pauseMs).unref()
  }

  #failSince(askedAtMs: number, error: unknown): void {
    for (const waiter of this.#waiting) {
      if (waiter.sinceMs <= askedAtMs) this.#fail(waiter, error)
    }
  }
}
