import { Store } from '../ui/store.ts'

export type ConnectionStatus = 'connected' | 'lost'

interface ConnectionParts {
  /** Whether the service responds. Never rejects. */
  readonly ask: () => Promise<boolean>
  readonly pause: (delayMs: number) => Promise<void>
}

/** A single request can fail for an unrelated reason: only a second failure counts. */
const secondAskMs = 300

/** Whether the service responds to this page. */
export class Connection extends Store<ConnectionStatus> {
  readonly #parts: ConnectionParts
  #running: Promise<ConnectionStatus> | undefined

  constructor(parts: ConnectionParts) {
    super('connected')
    this.#parts = parts
  }

  /** Asks the service. Concurrent calls share one answer. */
  check(): Promise<ConnectionStatus> {
    this.#running ??= this.#check().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #check(): Promise<ConnectionStatus> {
    const status = (await this.#isThere()) ? 'connected' : 'lost'
    if (status !== this.snapshot()) this.publish(status)
    return status
  }

  async #isThere(): Promise<boolean> {
    const { ask, pause } = this.#parts
    if (await ask()) return true
    if (this.snapshot() === 'lost') return false
    await pause(secondAskMs)
    return ask()
  }
}

/** Longer than a busy service takes. A service that has stopped refuses the connection at once. */
const longestAnswerMs = 5_000

/** What a proxy returns for a service that it cannot reach. */
const proxyStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export const connection = new Connection({
  ask: async () => {
    try {
      const signal = AbortSignal.timeout(longestAnswerMs)
      const { status } = await fetch('/-/livez', {
        ...{ signal, cache: 'no-store', credentials: 'omit' },
      })
      return !proxyStatuses.has(status)
    } catch {
      return false
    }
  },
  pause: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
})
