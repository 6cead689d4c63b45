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
  options: ThreadOptions,
): Promise<Answer> {
  return askThread<Answer>(worker, task, options).finally(() => worker.terminate())
}

/** Gives one task to a thread that does nothing else. If this rejects, the thread may still be at work: end it. */
export function askThread<Answer>(
  worker: Worker,
  task: unknown,
  { signal, limitMs, transfer = [], late, broken }: ThreadOptions,
): Promise<Answer> {
  const done = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    signal.throwIfAborted()
    const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    const whileAsked = { signal: done.signal }
    end.addEventListener('abort', () => reject(new Error(late)), whileAsked)
    worker.addEventListener('message', ({ data }) => resolve(data), whileAsked)
    worker.addEventListener('error', () => reject(new Error(broken)), whileAsked)
    worker.postMessage(task, [...transfer])
  }).finally(() => done.abort())
}
