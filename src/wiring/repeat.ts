export interface RepeatOptions {
  /** From the end of one run to the beginning of the next. The first begins at once. */
  readonly everyMs: number
  readonly onError: (error: unknown) => void
}

export interface Repetition {
  /** Begins no further run. Resolves when the one under way has ended. */
  stop(): Promise<void>
}

/** Runs periodic work, one run at a time. Does not keep the process alive. */
export function repeat(work: () => Promise<void>, options: RepeatOptions): Repetition {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let current = run()

  async function run(): Promise<void> {
    try {
      await work()
    } catch (error) {
      options.onError(error)
    }
    if (isStopped) return
    timer = setTimeout(() => {
      current = run()
    }, options.everyMs).unref()
  }

  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      return current
    },
  }
}
