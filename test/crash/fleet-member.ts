import { setTimeout as delay } from 'node:timers/promises'
import { testCredentials } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import type { Server } from '../support/signed-fetch.ts'

/** A gateway on a host of its own, which is killed and started again. */
export class FleetMember {
  readonly #folder: string
  readonly #settings: Readonly<Record<string, string>>
  #main: MainProcess | undefined
  #url = ''

  constructor(folder: string, settings: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#settings = settings
  }

  get server(): Server {
    return { host: new URL(this.#url).host, credentials: testCredentials }
  }

  get log(): string {
    return `${this.#main?.log}${this.#main?.stderr}`
  }

  /** Starts it again until it serves: the database may be away. */
  async start(): Promise<void> {
    for (;;) {
      const main = new MainProcess(this.#folder, this.#settings, { isElsewhere: true })
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

  /** Stops all of its processes at one moment, as a machine that is suspended. */
  async suspend(ms: number): Promise<void> {
    const main = this.#main
    if (main === undefined) return
    const pids = [main.pid, ...main.workers()]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await delay(ms)
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGCONT')
      } catch {
        // A worker that was replaced.
      }
    }
  }

  async untilReady(): Promise<void> {
    for (;;) {
      const reply = await fetch(`${this.#url}/-/readyz`).catch(() => undefined)
      if (reply?.status === 200) return
      await delay(100)
    }
  }
}
