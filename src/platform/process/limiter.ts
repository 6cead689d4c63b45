/** Limits the number of concurrent tasks; the others wait in order. */
export class Limiter {
  readonly #waiting = new Set<() => void>()
  #size: number
  /** Negative while more tasks are running than `resize` has since allowed. */
  #free: number

  constructor(size: number) {
    this.#size = size
    this.#free = size
  }

  /** Changes the maximum number of concurrent tasks. Running tasks continue. */
  resize(size: number): void {
    for (; this.#size < size; this.#size++) this.#handOn()
    for (; this.#size > size; this.#size--) this.#free--
  }

  /** The number of tasks that are waiting for a slot. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Like `enter` if a slot is free now; otherwise undefined. */
  enterNow(): (() => void) | undefined {
    if (this.#free <= 0) return undefined
    this.#free--
    return this.#leaver()
  }

  /**
   * Resolves with a function that frees the slot; calling it again has no effect.
   *
   * @throws the signal's reason when it aborts before a slot is free.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const leave = this.enterNow()
    if (leave !== undefined) return leave
    await this.#turn(signal)
    return this.#leaver()
  }

  /**
   * Runs a task when a slot is free.
   *
   * @throws the signal's reason when it aborts before the task began.
   */
  async run<Result>(signal: AbortSignal | undefined, task: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(signal)
    try {
      return await task()
    } finally {
      leave()
    }
  }

  #leaver(): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#handOn()
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(begin)
      reject(signal?.reason)
    }
    const begin = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    this.#waiting.add(begin)
    signal?.addEventListener('abort', leave, { once: true })
    return promise
  }

  /** A freed slot is passed directly to the longest-waiting task, so that none overtakes it. */
  #handOn(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#free < 0) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

/**
 * Runs the task for each item, for at most `atOnce` items at a time. After a failure, no further task starts.
 *
 * @throws the first error, after all started tasks have ended.
 */
export async function forEachLimited<Item>(
  items: Iterable<Item>,
  atOnce: number,
  task: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  const next = items[Symbol.iterator]()
  const runner = async () => {
    for (let step = next.next(); !step.done && failures.length === 0; step = next.next()) {
      await task(step.value).catch((error) => void failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
  if (failures.length > 0) throw failures[0]
}
