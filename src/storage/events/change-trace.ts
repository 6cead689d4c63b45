import type { Drive } from '../drives/drive.ts'
import { versionsOf } from '../drives/unversioned.ts'
import type { VersionEntry } from '../drives/versions.ts'
import type { ObjectChange, Outcome } from './event-message.ts'

/** The form of ETag that most stores give to objects in parts. */
const etagOfParts = /^[0-9a-f]{32}-\d+$/

/** The maximum versions of a key that are searched. */
const maxVersions = 1_000

/** A delete marker may have the time of the drive, and the intent that of the database. */
const aheadMs = 60_000

type Written = Pick<VersionEntry, 'etag' | 'size'>

export interface TraceParts {
  readonly drive: Pick<Drive, 'head' | 'ownEtags' | 'listVersions'>
  /** Whether the bucket has or had versions. */
  readonly hasVersions: (bucket: string) => boolean
}

/**
 * What the drive shows of a change that its process did not confirm. Undefined: nothing, as before the change. In a bucket
 * with versions, the change is also found after later ones.
 *
 * @param sinceMs when the change was about to happen
 * @throws DriveError
 */
export async function traceOf(
  parts: TraceParts,
  change: ObjectChange,
  sinceMs: number,
): Promise<Outcome | undefined> {
  const { bucket, key, event, etag, versionId } = change
  if (event.endsWith(':DeleteMarkerCreated')) {
    const isMarker = (version: VersionEntry) =>
      version.isDeleteMarker && version.modifiedAtMs >= sinceMs - aheadMs
    const marker = await findVersion(parts, change, isMarker)
    return marker && { versionId: marker.versionId }
  }
  const isRemoval = etag === undefined
  const found = await parts.drive.head(bucket, key, isRemoval ? { versionId } : {})
  if (isRemoval) return found === undefined ? {} : undefined
  const hasOwnEtags = parts.drive.ownEtags?.(bucket) ?? false
  const isSame = (one: Written) => isShown(change, one, hasOwnEtags)
  if (found !== undefined) {
    const written = { size: found.size, etag: found.attributes.etag }
    const { versionId: id } = found
    if (isSame(written)) return { ...written, ...(id !== undefined && { versionId: id }) }
  }
  const former = await findVersion(parts, change, (one) => !one.isDeleteMarker && isSame(one))
  return former && { size: former.size, etag: former.etag, versionId: former.versionId }
}

/** The newest version of the key that `isWanted`. */
async function findVersion(
  { drive, hasVersions }: TraceParts,
  { bucket, key }: ObjectChange,
  isWanted: (version: VersionEntry) => boolean,
): Promise<VersionEntry | undefined> {
  if (drive.listVersions === undefined || !hasVersions(bucket)) return undefined
  const newest = await versionsOf(drive, bucket, { prefix: key, after: '' }).next(maxVersions)
  return newest.find(
    (entry): entry is VersionEntry =>
      // The versions of greater keys follow.
      entry.kind === 'object' && entry.key === key && isWanted(entry),
  )
}

/**
 * Whether the object shows the change. If the store makes its own ETag for an object in parts, the ETag is not known
 * in advance, and the size has to match.
 */
function isShown({ etag = '', size }: ObjectChange, found: Written, hasOwnEtags: boolean): boolean {
  const { etag: shown } = found
  const mayDiffer = hasOwnEtags && etagOfParts.test(etag) && !etagOfParts.test(shown)
  return shown === etag || (mayDiffer && found.size === size)
}
