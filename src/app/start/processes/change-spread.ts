import { setTimeout as sleep } from 'node:timers/promises'

/** A process that starts or does not respond delays the reply to a change by at most this time. It reads the change within a second. */
const maxWaitMs = 1_000

/** For a worker: waits until the other processes of the gateway have read a change. */
export class OwnChanges {
  readonly #tell: (id: number) => void
  readonly #waiting = new Map<number, () => void>()
  #lastId = 0

  /** @param tell asks the primary process to spread a change */
  constructor(tell: (id: number) => void) {
    this.#tell = tell
  }

  /** Resolves when all have read it, at the latest after a second. */
  readonly spread = async (): Promise<void> => {
    this.#lastId += 1
    const id = this.#lastId
    const isRead = new Promise<void>((resolve) => this.#waiting.set(id, resolve))
    this.#tell(id)
    await Promise.race([isRead, sleep(maxWaitMs, undefined, { ref: false })])
    this.#waiting.delete(id)
  }

  /** Call it with the answer of the primary process. */
  receive(id: number): void {
    this.#waiting.get(id)?.()
  }
}

/** For the primary process: asks the workers to read a change, and knows when they have. */
export class SpreadingChanges<Worker> {
  readonly #waiting = new Map<number, { readonly workers: Set<Worker>; onRead(): void }>()
  #lastId = 0

  /**
   * @param workers those that have to read it
   * @param ask asks one of them
   * @returns a promise that resolves when each has answered or left
   */
  async spread(workers: Iterable<Worker>, ask: (worker: Worker, id: number) => void) {
    const asked = new Set(workers)
    if (asked.size === 0) return
    this.#lastId += 1
    const id = this.#lastId
    const isRead = new Promise<void>((onRead) => this.#waiting.set(id, { workers: asked, onRead }))
    for (const worker of asked) ask(worker, id)
    await isRead
  }

  /** Call it with the answer of a worker. */
  receive(worker: Worker, id: number): void {
    const change = this.#waiting.get(id)
    if (change === undefined || !change.workers.delete(worker) || change.workers.size > 0) return
    this.#waiting.delete(id)
    change.onRead()
  }

  /** Call it when a worker has ended: no answer of it follows. */
  left(worker: Worker): void {
    for (const id of this.#waiting.keys()) this.receive(worker, id)
  }
}
