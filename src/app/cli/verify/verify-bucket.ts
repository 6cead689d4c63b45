import { Limiter } from '../../../platform/process/limiter.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { Entry, EntryCursor } from '../../../storage/drives/listed-entry.ts'
import { versionsOf } from '../../../storage/drives/unversioned.ts'
import type { VersionCursor, VersionEntry } from '../../../storage/drives/versions.ts'
import { patiently, type Verdict, verifyObject } from './verify-object.ts'

/** An object, or a former version. */
export interface VerifiedObject {
  readonly key: string
  /** Absent: the current object. */
  readonly versionId?: string
}

interface BucketToVerify {
  readonly drive: Drive
  readonly bucket: string
  /** Limits the run to keys that begin with this. */
  readonly prefix: string
  /** Whether the bucket has or had versions: former versions are read as well. */
  readonly hasVersions: boolean
  /** Called with the number of bytes read, as they are read. */
  onBytes(bytes: number): void
  /** Called for each object after it has been read. */
  onVerdict(object: VerifiedObject, verdict: Verdict): void
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
    const reads = entries.map((object) =>
      limiter.run(failed.signal, async () => {
        const verdict = await verifyObject(drive, { bucket, ...object }, onBytes)
        onVerdict(object, verdict)
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
async function* pagesOf({
  drive,
  bucket,
  prefix,
  hasVersions,
}: BucketToVerify): AsyncGenerator<VerifiedObject[]> {
  let place: { readonly after: string; readonly afterVersionId?: string } = { after: '' }
  const open = (): EntryCursor | VersionCursor => {
    const query = { prefix, ...place }
    return hasVersions ? versionsOf(drive, bucket, query) : drive.list(bucket, query)
  }
  let cursor = open()
  for (;;) {
    const entries = await patiently(async () => {
      try {
        return await cursor.next(pageSize)
      } catch (error) {
        cursor = open()
        throw error
      }
    })
    const last = entries.at(-1)
    if (last === undefined) return
    yield entries.flatMap(verifiedOf)
    const { key: after } = last
    place = isVersion(last) ? { after, afterVersionId: last.versionId } : { after }
  }
}

/** A delete marker has no bytes. */
function verifiedOf(entry: Entry | VersionEntry): VerifiedObject[] {
  const { key } = entry
  if (!isVersion(entry)) return [{ key }]
  if (entry.isDeleteMarker) return []
  return [entry.isLatest ? { key } : { key, versionId: entry.versionId }]
}

function isVersion(entry: Entry | VersionEntry): entry is VersionEntry {
  return 'versionId' in entry
}
