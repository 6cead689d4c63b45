/** The part of Worker that is used here. */
interface Thread {
  postMessage(task: unknown, transfer: object[]): void
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: unknown }) => void,
    options: { readonly signal: AbortSignal },
  ): void
  addEventListener(
    type: 'error',
    listener: () => void,
    options: { readonly signal: AbortSignal },
  ): void
  terminate(): void
}

interface ThreadOptions {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly limitMs: number
  /** Milliseconds of work, without what a thread reads (`ReadingMessage`). Default: `limitMs`. */
  readonly workMs?: number
  readonly transfer?: readonly object[]
  /** The error messages for a time-out and for a thread that fails. */
  readonly late: string
  readonly broken: string
}

/** A thread says that it waits for data, or works with them again. */
export interface ReadingMessage {
  readonly isReading: boolean
}

/**
 * Runs one task in a new thread and returns its answer. The thread ends with the answer, on the signal, or at a time
 * limit, so that input crafted to be slow does not block the page.
 */
export function runThread<Answer>(
  worker: Thread,
  task: unknown,
  options: ThreadOptions,
): Promise<Answer> {
  return askThread<Answer>(worker, task, options).finally(() => worker.terminate())
}

/** Gives one task to a thread that does nothing else. If this rejects, the thread may still be at work: end it. */
export function askThread<Answer>(
  worker: Thread,
  task: unknown,
  { signal, limitMs, workMs = limitMs, transfer = [], late, broken }: ThreadOptions,
): Promise<Answer> {
  const done = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    signal.throwIfAborted()
    const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    const whileAsked = { signal: done.signal }
    const fail = () => reject(new Error(late))
    let clock = setTimeout(fail, workMs)
    done.signal.addEventListener('abort', () => clearTimeout(clock))
    end.addEventListener('abort', fail, whileAsked)
    const listen = ({ data }: { readonly data: unknown }) => {
      if (!isReadingMessage(data)) return resolve(data as Answer)
      clearTimeout(clock)
      if (!data.isReading) clock = setTimeout(fail, workMs)
    }
    worker.addEventListener('message', listen, whileAsked)
    worker.addEventListener('error', () => reject(new Error(broken)), whileAsked)
    worker.postMessage(task, [...transfer])
  }).finally(() => done.abort())
}

function isReadingMessage(data: unknown): data is ReadingMessage {
  return typeof data === 'object' && data !== null && 'isReading' in data
}
