interface ThreadOptions {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly limitMs: number
  readonly transfer?: readonly Transferable[]
  /** The error messages for a time-out and for a thread that fails. */
  readonly late: string
  readonly broken: string
}

/**
 * Runs one task in a new thread and returns its answer. The thread ends with the answer, on the signal, or at a time
 * limit, so that input crafted to be slow does not block the page.
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
