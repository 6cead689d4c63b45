import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { deletePrefix } from '../../storage/jobs/delete-prefix.ts'
import type { Uploads } from '../../storage/s3/multipart/uploads.ts'

export interface ResetParts {
  readonly drive: Pick<Drive, 'list' | 'remove'>
  readonly uploads: Pick<Uploads, 'listOpen' | 'abortById'>
  readonly buckets: Pick<Buckets, 'all'>
}

const pageUploads = 100

/** Removes all objects and open uploads. Requests that run meanwhile may leave some. */
export async function reset({ drive, uploads, buckets }: ResetParts): Promise<void> {
  const { signal } = new AbortController()
  for (;;) {
    const open = await uploads.listOpen({ bucket: undefined, after: undefined, limit: pageUploads })
    if (open.length === 0) break
    for (const { uploadId } of open) await uploads.abortById(uploadId, signal)
  }
  for (const { name } of buckets.all()) {
    await deletePrefix({ drive, bucket: name, prefix: '', signal })
  }
}
