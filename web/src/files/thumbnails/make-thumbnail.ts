import { previewTexts } from '../../texts/preview.ts'
import { askThread } from '../../threads/run-thread.ts'
import type { FileEntry } from '../entries/entry.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { objectUrl } from '../s3/bucket-client.ts'
import type { DecoderKind, ThumbnailKind } from './thumbnail-kind.ts'
import { viewerForm } from './thumbnail-limits.ts'
import type { MadePicture, ThumbnailAnswer, ThumbnailTask } from './thumbnail-task.ts'
import { giveBack, type ThreadKind, takeThread } from './thumbnail-threads.ts'
import { videoFrame } from './video-frame.ts'

/** The limit for everything: enough for 32 MiB on a slow connection. */
const limitMs = 60_000

/** The viewer shows one picture, says what it does, and ends the thread when it is left. */
const viewerLimitMs = 120_000

/** The limit without the time for reading: a hostile file can keep a decoder in JavaScript busy for long. */
const decoderLimitMs = 15_000

/**
 * Makes the thumbnail of a file, in a thread. Undefined if this browser cannot make one.
 *
 * @throws if a later attempt may succeed
 */
export async function makeThumbnail(
  bucket: string,
  { key, etag, size }: FileEntry,
  kind: ThumbnailKind,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const url = await urlFor({ bucket, key }, signal)
  if (kind !== 'video') return (await inThread(kind, { url, etag, size }, signal))?.picture
  const frame = await videoFrame(url, signal)
  return frame && (await inThread('image', { frame }, signal, [frame]))?.picture
}

/**
 * Makes a picture for the viewer of a file that this browser does not decode, in a thread that ends when the signal aborts.
 * Undefined if it cannot be decoded here either.
 *
 * @throws if a later attempt may succeed
 */
export async function makePicture(
  address: ObjectAddress,
  { etag, size }: Pick<FileEntry, 'etag' | 'size'>,
  kind: DecoderKind,
  signal: AbortSignal,
): Promise<MadePicture | undefined> {
  const url = await urlFor(address, signal)
  return inThread(kind, { url, etag, size, form: viewerForm }, signal)
}

/** A worker from a blob has no base address to resolve a path against. */
async function urlFor(address: ObjectAddress, signal: AbortSignal): Promise<string> {
  const { href } = new URL(await objectUrl(address), location.origin)
  signal.throwIfAborted()
  return href
}

async function inThread(
  kind: ThreadKind,
  task: ThumbnailTask,
  signal: AbortSignal,
  transfer: readonly Transferable[] = [],
): Promise<MadePicture | undefined> {
  const problem = previewTexts.noThumbnail
  const isViewed = task.form !== undefined
  const worker = await takeThread(kind)
  const options = {
    ...{ signal, transfer, late: problem, broken: problem },
    limitMs: isViewed ? viewerLimitMs : limitMs,
    ...(kind !== 'image' && !isViewed && { workMs: decoderLimitMs }),
  }
  const answer = await askThread<ThumbnailAnswer>(worker, task, options).catch((error) => {
    // It downloads or decodes what nobody wants any more.
    worker.terminate()
    if (signal.aborted || kind === 'image') throw error
  })
  if (answer !== undefined && 'picture' in answer) {
    giveBack(worker, kind)
    return answer
  }
  // It took too long or too much memory, or its decoder may still be at work.
  worker.terminate()
  if (answer?.problem === 'failed') throw new Error(problem)
  return undefined
}
