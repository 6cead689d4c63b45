import { Limiter } from '../../../platform/process/limiter.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { Entry } from '../../../storage/drives/listed-entry.ts'
import { patiently, type Verdict, verifyObject } from './verify-object.ts'

interface BucketToVerify {
  readonly drive: Drive
  readonly bucket: string
  /** Limits the run to keys that begin with this. */
  readonly prefix: string
  /** Called with the number of bytes read, as they are read. */
  onBytes(bytes: number): void
  /** Called for each object after it has been read. */
  onVerdict(key: string, verdict: Verdict): void
}

/** Objects read concurrently. */
const objectsAtOnce = 4
const pageSize = 1_000
/** The run stops when the drive does not respond for this many objects in a row. */
const mostUnanswered = 20

/**
 * Reads all objects of a bucket and compares them with their stored digests. Memory does not grow
 * with the number of objects or their size.
 *
 * @throws DriveError when the bucket can't be listed completely, or the drive stops responding.
 */
export async function verifyBucket(parts: BucketToVerify): Promise<void> {
  const { drive, bucket, onBytes, onVerdict } = parts
  const limiter = new Limiter(objectsAtOnce)
  const failed = new AbortController()
  let unanswered = 0
  for await (const entries of pagesOf(parts)) {
    const reads = entries.map(({ key }) =>
      limiter.run(failed.signal, async () => {
        const verdict = await verifyObject(drive, { bucket, key }, onBytes)
        onVerdict(key, verdict)
        unanswered = verdict.kind === 'unreadable' && verdict.isUnanswered ? unanswered + 1 : 0
        if (unanswered < mostUnanswered) return
        const message = `The drive did not respond for ${mostUnanswered} objects in a row.`
        throw new DriveError('unavailable', message)
      }),
    )
    try {
      await Promise.all(reads)
    } catch (error) {
      // The drive is unavailable, or there is a bug: start no more reads.
      failed.abort(error)
      await Promise.allSettled(reads)
      throw error
    }
  }
}

/** The pages of the listing. A failed cursor may have lost a page: a new cursor continues after the last page read. */
async function* pagesOf({ drive, bucket, prefix }: BucketToVerify): AsyncGenerator<Entry[]> {
  let after = ''
  let cursor = drive.list(bucket, { prefix, after })
  for (;;) {
    const entries = await patiently(async () => {
      try {
        return await cursor.next(pageSize)
      } catch (error) {
        cursor = drive.list(bucket, { prefix, after })
        throw error
      }
    })
    const last = entries.at(-1)
    if (last === undefined) return
    yield entries
    after = last.key
  }
}
