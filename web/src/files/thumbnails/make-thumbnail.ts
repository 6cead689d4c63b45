import { runThread } from '../../threads/run-thread.ts'
import type { FileEntry } from '../entries/entry.ts'
import { objectUrl } from '../s3/bucket-client.ts'
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-task.ts'
import ThumbnailWorker from './thumbnail-worker.ts?worker&inline'
import { videoFrame } from './video-frame.ts'

/** The time limit: enough for 32 MiB on a slow connection. */
const limitMs = 60_000

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
  const problem = 'The thumbnail could not be made.'
  const options = { signal, limitMs, transfer, late: problem, broken: problem }
  const answer = await runThread<ThumbnailAnswer>(new ThumbnailWorker(), task, options)
  if ('picture' in answer) return answer.picture
  if (answer.problem === 'failed') throw new Error(problem)
  return undefined
}
