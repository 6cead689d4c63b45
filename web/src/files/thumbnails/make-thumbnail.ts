import { previewTexts } from '../../texts/preview.ts'
import { askThread } from '../../threads/run-thread.ts'
import type { FileEntry } from '../entries/entry.ts'
import { objectUrl } from '../s3/bucket-client.ts'
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-task.ts'
import ThumbnailWorker from './thumbnail-worker.ts?worker&inline'
import { videoFrame } from './video-frame.ts'

/** The time limit: enough for 32 MiB on a slow connection. */
const limitMs = 60_000

/** A thread that has nothing to do ends after this time, in milliseconds. */
const idleMs = 5_000

/** Threads without work, with the timers that end them. The caller limits how many work at a time. */
const idle = new Map<Worker, ReturnType<typeof setTimeout>>()

/**
 * Makes the thumbnail of a file, in a thread. Undefined if this browser cannot make one.
 *
 * @throws if a later attempt may succeed
 */
export async function makeThumbnail(
  bucket: string,
  { key, etag }: FileEntry,
  kind: 'image' | 'video',
  signal: AbortSignal,
): Promise<Blob | undefined> {
  // A worker from a blob has no base address to resolve a path against.
  const url = new URL(await objectUrl({ bucket, key }), location.origin).href
  signal.throwIfAborted()
  if (kind === 'image') return inThread({ url, etag }, signal)
  const frame = await videoFrame(url, signal)
  return frame && inThread({ frame }, signal, [frame])
}

async function inThread(
  task: ThumbnailTask,
  signal: AbortSignal,
  transfer: readonly Transferable[] = [],
): Promise<Blob | undefined> {
  const problem = previewTexts.noThumbnail
  const options = { signal, limitMs, transfer, late: problem, broken: problem }
  const worker = takeThread()
  const answer = await askThread<ThumbnailAnswer>(worker, task, options).catch((error) => {
    // It downloads or decodes what nobody wants any more.
    worker.terminate()
    throw error
  })
  giveBack(worker)
  if ('picture' in answer) return answer.picture
  if (answer.problem === 'failed') throw new Error(problem)
  return undefined
}

function takeThread(): Worker {
  const [first] = idle
  if (first === undefined) return new ThumbnailWorker()
  const [worker, ending] = first
  clearTimeout(ending)
  idle.delete(worker)
  return worker
}

function giveBack(worker: Worker): void {
  const end = () => {
    idle.delete(worker)
    worker.terminate()
  }
  idle.set(worker, setTimeout(end, idleMs))
}
