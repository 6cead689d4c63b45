import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { OnSignal, Signals } from '../database.ts'
import { connectionSettings, endClient } from './postgres-connections.ts'

const channel = 'bucketry'

/** Pauses before the connection is opened again. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000
const answerTimeoutMs = 20_000

/** Extends a statement to send a signal if a row changes, with a `?` for `PostgresSignals.payload`. */
export function withSignal(sql: string): string {
  return `${sql} RETURNING pg_notify('${channel}', ?)`
}

export interface PostgresSignalsOptions {
  /** Runs a SELECT on another connection. */
  readonly send: (sql: string, params: readonly string[]) => Promise<unknown>
  /** Whether a connection can listen. A connection that a pooler shares with others can't. */
  readonly isPossible: () => boolean
}

/**
 * Signals between the processes of a database, by NOTIFY and LISTEN
 * (https://www.postgresql.org/docs/current/sql-notify.html). From the first subscription on, a separate
 * connection listens. A lost connection is replaced.
 */
export class PostgresSignals implements Signals {
  readonly #url: string
  readonly #options: PostgresSignalsOptions
  readonly #origin = randomBytes(9).toString('base64url')
  readonly #listeners = new Set<OnSignal>()
  readonly #closed = new AbortController()
  #connection = Promise.withResolvers<void>()
  #isLive = false

  constructor(url: string, options: PostgresSignalsOptions) {
    this.#url = url
    this.#options = options
  }

  get isLive(): boolean {
    return this.#isLive
  }

  /** Names this process, which ignores its own signals. */
  payload(text: string): string {
    return `${this.#origin} ${text}`
  }

  subscribe(listener: OnSignal): Signals {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) void this.#keepListening()
    return this
  }

  /** Replaces the connection. */
  doubt(): void {
    this.#connection.resolve()
  }

  close(): void {
    this.#closed.abort()
    this.#connection.resolve()
  }

  async #keepListening(): Promise<void> {
    const { signal } = this.#closed
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      const startedAt = performance.now()
      await this.#listen()
      const wasLong = performance.now() - startedAt > longestPauseMs
      pauseMs = wasLong ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Resolves when the connection is lost or in doubt, or could not be opened. */
  async #listen(): Promise<void> {
    this.#connection = Promise.withResolvers<void>()
    if (this.#closed.signal.aborted || !this.#options.isPossible()) return
    // The type lacks `unref`.
    const client = new Client({
      ...connectionSettings(this.#url),
      query_timeout: answerTimeoutMs,
    }) as Client & { unref(): void }
    client.on('error', () => this.#connection.resolve())
    client.on('end', () => this.#connection.resolve())
    client.on('notification', ({ payload = '' }) => this.#receive(payload, proof))
    const proof = randomBytes(9).toString('base64url')
    try {
      await client.connect()
      client.unref()
      await client.query(`LISTEN ${channel}`)
      // A pooler that discards LISTEN does not deliver this signal.
      await this.#options.send('SELECT pg_notify(?, ?)', [channel, proof])
      await this.#connection.promise
    } catch {
      // The server is not responding; the next attempt may succeed.
    }
    this.#isLive = false
    void endClient(client)
    this.#tell(undefined)
  }

  #receive(payload: string, proof: string): void {
    if (payload === proof) {
      this.#isLive = true
      this.#tell(undefined)
      return
    }
    const end = payload.indexOf(' ')
    if (end !== -1 && payload.slice(0, end) !== this.#origin) this.#tell(payload.slice(end + 1))
  }

  #tell(text: string | undefined): void {
    for (const listener of this.#listeners) listener(text)
  }
}
