import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { testCredentials } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import type { Server } from '../support/signed-fetch.ts'
import type { TestHost } from '../support/test-network.ts'

/** Running requests have 25 s to finish. PostgreSQL may be away, and the gateway cut off from it and the store meanwhile. */
const longestStopMs = 180_000
/** It may have to wait for a database and a store that come back. */
const longestUnreadyMs = 180_000
const longestAnswerMs = 10_000

export interface FleetMemberParts {
  /** The working directory. */
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
  readonly host: TestHost
}

/** A gateway on a host of its own, which is killed and started again. */
export class FleetMember {
  readonly host: TestHost
  readonly #folder: string
  readonly #settings: Readonly<Record<string, string>>
  #main: MainProcess | undefined
  #url = ''
  #hasEnded = false
  #disturbances = 0
  #disturbedUntil = 0

  constructor({ folder, settings, host }: FleetMemberParts) {
    this.host = host
    this.#folder = folder
    this.#settings = { ...settings, HOST: host.address }
  }

  get server(): Server {
    return { host: new URL(this.#url).host, credentials: testCredentials }
  }

  get url(): string {
    return this.#url
  }

  get log(): string {
    return `${this.#main?.log}${this.#main?.stderr}`
  }

  get isDisturbed(): boolean {
    return this.#disturbances > 0
  }

  /** The time since the last disturbance. */
  get calmMs(): number {
    return this.isDisturbed ? 0 : performance.now() - this.#disturbedUntil
  }

  async disturb(happen: () => Promise<void>): Promise<void> {
    this.#disturbances += 1
    try {
      await happen()
    } finally {
      this.#disturbances -= 1
      this.#disturbedUntil = performance.now()
    }
  }

  /** Starts it repeatedly until it serves, because the database may be away. */
  async start(): Promise<void> {
    while (!this.#hasEnded) {
      const options = { isElsewhere: true, network: this.host.namespace }
      const main = new MainProcess(this.#folder, this.#settings, options)
      this.#main = main
      try {
        this.#url = await main.url()
        return
      } catch {
        await main.ended()
        await delay(200)
      }
    }
  }

  async kill(): Promise<void> {
    await this.#main?.kill()
  }

  /** It is not started again. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.kill()
  }

  /** A graceful restart, as by an operator. */
  async restart(): Promise<void> {
    const main = this.#main
    main?.signal('SIGTERM')
    const late = delay(longestStopMs, 'none', { ref: false })
    const status = await Promise.race([main?.ended(), late])
    assert.equal(status, 0, `SIGTERM led to exit status ${status}: ${this.log.slice(-20_000)}`)
    await this.start()
  }

  /** Suspends all of its processes at the same moment, like a machine that is suspended. */
  async suspend(until: Promise<unknown>): Promise<void> {
    const main = this.#main
    if (main === undefined) return
    const pids = [main.pid, ...main.workers()]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await until.finally(() => {
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGCONT')
        } catch {
          // A worker that was replaced.
        }
      }
    })
  }

  async untilReady(): Promise<void> {
    const giveUpAt = performance.now() + longestUnreadyMs
    for (;;) {
      const signal = AbortSignal.timeout(longestAnswerMs)
      const reply = await fetch(`${this.#url}/-/readyz`, { signal }).catch(() => undefined)
      if (reply?.status === 200) return
      const isLate = performance.now() > giveUpAt
      assert.ok(!this.#hasEnded && !isLate, `not ready: ${this.log.slice(-20_000)}`)
      await delay(100)
    }
  }
}
