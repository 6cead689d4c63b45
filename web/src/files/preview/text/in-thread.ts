import type { TextTask, TextTasks } from './text-task.ts'
import TextWorker from './text-worker.ts?worker&inline'

/** Enough for a page of text on a phone. */
const limitMs = 4_000

/**
 * Runs a task in a thread of its own, which ends with it, with the signal, or at a limit of time: a text that is made
 * to be slow stops no page.
 */
export function inThread<Name extends keyof TextTasks>(
  name: Name,
  from: TextTasks[Name]['from'],
  signal: AbortSignal,
): Promise<TextTasks[Name]['to']> {
  const worker = new TextWorker()
  return new Promise<TextTasks[Name]['to']>((resolve, reject) => {
    const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    end.addEventListener('abort', () => reject(new Error('This text takes too long to show.')))
    worker.addEventListener('message', ({ data }) => resolve(data))
    worker.addEventListener('error', () => reject(new Error('This text could not be read.')))
    worker.postMessage({ name, from } as TextTask)
  }).finally(() => worker.terminate())
}
