import type { Drive } from '../../drives/drive.ts'
import { Lane } from '../../process/lane.ts'
import { patiently, type Verdict, verifyObject } from './verify-object.ts'

export interface BucketToVerify {
  readonly drive: Drive
  readonly bucket: string
  /** Only keys that begin with this. */
  readonly prefix: string
  /** Told how many bytes were read, while they are. */
  onBytes(bytes: number): void
  /** Told of each object once it is read. */
  onVerdict(key: string, verdict: Verdict): void
}

/** Objects that are read at once. */
const objectsAtOnce = 4
const pageSize = 1_000

/**
 * Reads all objects of a bucket and compares them with what is stored about them. Memory does not grow
 * with the number of objects or their size.
 *
 * @throws DriveError when the bucket can't be listed.
 */
export async function verifyBucket(parts: BucketToVerify): Promise<void> {
  const { drive, bucket, prefix, onBytes, onVerdict } = parts
  const cursor = drive.list(bucket, { prefix, after: '' })
  const lane = new Lane(objectsAtOnce)
  const failed = new AbortController()
  for (;;) {
    const entries = await patiently(() => cursor.next(pageSize))
    if (entries.length === 0) return
    const reads = entries.map(({ key }) =>
      lane.run(failed.signal, async () => {
        onVerdict(key, await verifyObject(drive, { bucket, key }, onBytes))
      }),
    )
    try {
      await Promise.all(reads)
    } catch (error) {
      // A bug: what has not begun yet does not begin.
      failed.abort(error)
      await Promise.allSettled(reads)
      throw error
    }
  }
}
