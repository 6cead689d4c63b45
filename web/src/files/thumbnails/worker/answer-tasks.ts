import { type PictureForm, thumbnailForm } from '../thumbnail-limits.ts'
import type { ThumbnailAnswer, ThumbnailTask } from '../thumbnail-task.ts'
import { NotReadError } from './object-parts.ts'
import { smallPicture } from './small-picture.ts'

interface Decoded {
  readonly bitmap: ImageBitmap
  /** How the bitmap has to be turned: Exif 2.32, tag 0x0112. Default: 1, as it is. */
  readonly orientation?: number
}

/**
 * Lets this thread make one picture at a time.
 *
 * @param decode returns undefined for what cannot be decoded, or throws; a NotReadError if it may succeed later
 */
export function answerTasks<Task extends ThumbnailTask>(
  decode: (task: Task, form: PictureForm) => Promise<Decoded | undefined>,
): void {
  const answerTo = async (task: Task): Promise<ThumbnailAnswer> => {
    const { form = thumbnailForm } = task
    const decoded = await decode(task, form)
    const made = decoded && (await smallPicture(decoded.bitmap, form, decoded.orientation))
    return made ?? { problem: 'refused' }
  }
  const problemOf = (error: unknown): ThumbnailAnswer => ({
    problem: error instanceof NotReadError ? 'failed' : 'refused',
  })
  addEventListener('message', ({ data }: MessageEvent<Task>) => {
    void answerTo(data).catch(problemOf).then(postMessage)
  })
}
