interface ThreadOptions {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly limitMs: number
  readonly transfer?: readonly Transferable[]
  /** What the error says if there is no answer in time, and if the thread fails. */
  readonly late: string
  readonly broken: string
}

/**
 * Gives a new thread one task and returns its answer. The thread ends with it, with the signal, or at a limit of time:
 * what somebody has made to be slow stops no page.
 */
export function runThread<Answer>(
  worker: Worker,
  task: unknown,
  { signal, limitMs, transfer = [], late, broken }: ThreadOptions,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    signal.throwIfAborted()
    const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    end.addEventListener('abort', () => reject(new Error(late)))
    worker.addEventListener('message', ({ data }) => resolve(data))
    worker.addEventListener('error', () => reject(new Error(broken)))
    worker.postMessage(task, [...transfer])
  }).finally(() => worker.terminate())
}
