export interface Repetition {
  /** Aborts the signal and starts no further run. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/**
 * Runs periodic work, one run at a time. Does not keep the process alive.
 *
 * @param options.everyMs the pause between the end of one run and the beginning of the next; the first
 *   run begins at once, or with `waitsFirst` after a pause
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  options: {
    readonly everyMs: number
    readonly waitsFirst?: boolean
    readonly onError: (error: unknown) => void
  },
): Repetition {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let current = Promise.resolve()
  if (options.waitsFirst) wait()
  else current = run()

  async function run(): Promise<void> {
    try {
      await work(stopping.signal)
    } catch (error) {
      options.onError(error)
    }
    if (!stopping.signal.aborted) wait()
  }

  function wait(): void {
    timer = setTimeout(() => {
      current = run()
    }, options.everyMs).unref()
  }

  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
      return current
    },
  }
}
