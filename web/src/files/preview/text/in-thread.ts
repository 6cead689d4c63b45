import { previewTexts } from '../../../texts/preview.ts'
import { runThread } from '../../../threads/run-thread.ts'
import type { TextTask, TextTasks } from './text-task.ts'
import TextWorker from './text-worker.ts?worker&inline'

/** The time limit: enough for a page of text on a phone, and on a busy computer, where the start of the thread takes seconds. */
const limitMs = 10_000

/** Runs a task on a text in a thread of its own. */
export function inThread<Name extends keyof TextTasks>(
  name: Name,
  from: TextTasks[Name]['from'],
  signal: AbortSignal,
): Promise<TextTasks[Name]['to']> {
  return runThread(new TextWorker(), { name, from } as TextTask, {
    ...{ signal, limitMs },
    late: previewTexts.text.late,
    broken: previewTexts.text.broken,
  })
}
