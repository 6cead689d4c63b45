import { setTimeout as sleep } from 'node:timers/promises'
import type { Drive, ObjectMetadata, ObjectName } from '../../../storage/drives/drive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { VersionOptions } from '../../../storage/drives/versions.ts'
import { type Difference, ObjectDigests } from './object-digests.ts'

/** The result for one object. */
export type Verdict =
  | { readonly kind: 'verified' }
  /** The object has no stored digest to compare its bytes with. */
  | { readonly kind: 'unverifiable' }
  | { readonly kind: 'mismatch'; readonly differences: readonly Difference[] }
  /** The object was removed after it was listed. */
  | { readonly kind: 'gone' }
  | Unreadable

interface Unreadable {
  readonly kind: 'unreadable'
  readonly reason: string
  /** Whether the drive was busy or did not respond on every attempt. */
  readonly isUnanswered: boolean
}

/** A failed read, and the version of the object that was read. */
interface BadRead {
  readonly kind: 'bad'
  readonly version: string
  readonly differences: readonly Difference[]
}

/** An object that is overwritten faster than it can be read is skipped after this many reads. */
const mostReads = 8
/** How often a request is retried while the drive is busy or does not respond. */
const mostRetries = 4
const retrySeconds = 1

/**
 * Reads an object and compares its bytes with its stored digests. A bad read counts only if a second
 * read of the same version is also bad: the object may have been overwritten during the first.
 *
 * @param onBytes called with the number of bytes read, as they are read.
 */
export async function verifyObject(
  drive: Drive,
  name: ObjectName & VersionOptions,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Verdict> {
  try {
    let badVersion: string | undefined
    for (let read = 0; read < mostReads; read++) {
      const outcome = await patiently(() => readOnce(drive, name, onBytes))
      if (outcome.kind !== 'bad') return outcome
      const { version, differences } = outcome
      if (version === badVersion) return repeated(differences)
      badVersion = version
    }
    return unreadable('It was overwritten during every read.')
  } catch (error) {
    if (!(error instanceof DriveError)) throw error
    return { ...unreadable(error.message), isUnanswered: isPassing(error) }
  }
}

function repeated(differences: readonly Difference[]): Verdict {
  if (differences.length > 0) return { kind: 'mismatch', differences }
  return unreadable('The drive does not return the version that it lists.')
}

function unreadable(reason: string): Unreadable {
  return { kind: 'unreadable', reason, isUnanswered: false }
}

/** Retries while the drive is busy or does not respond. */
export async function patiently<Result>(task: () => Promise<Result>): Promise<Result> {
  for (let retry = 1; ; retry++) {
    try {
      return await task()
    } catch (error) {
      if (!isPassing(error) || retry > mostRetries) throw error
      await sleep((error.retryAfterSeconds ?? retrySeconds) * 1000)
    }
  }
}

function isPassing(error: unknown): error is DriveError {
  return error instanceof DriveError && (error.kind === 'busy' || error.kind === 'unavailable')
}

async function readOnce(
  drive: Drive,
  { bucket, key, versionId }: ObjectName & VersionOptions,
  onBytes: (bytes: number) => void,
): Promise<Verdict | BadRead> {
  let metadata: ObjectMetadata | undefined
  try {
    const object = await drive.open(bucket, key, { versionId })
    if (object === undefined) return { kind: 'gone' }
    metadata = object
    try {
      const digests = new ObjectDigests(object)
      for await (const chunk of object.read(0, object.size)) {
        digests.update(chunk)
        onBytes(chunk.length)
      }
      const differences = digests.differences()
      if (differences.length > 0) return { kind: 'bad', version: versionOf(object), differences }
      return { kind: digests.canVerify ? 'verified' : 'unverifiable' }
    } finally {
      await object.close()
    }
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'changed') throw error
    // A drive that verifies MD5s itself does not return wrong bytes.
    metadata ??= await drive.head(bucket, key, { versionId })
    if (metadata === undefined) return { kind: 'gone' }
    return { kind: 'bad', version: versionOf(metadata), differences: refusedBytes(metadata) }
  }
}

/** The differences when a drive rejects the bytes. Empty if no stored digest can be compared with them. */
function refusedBytes(metadata: ObjectMetadata): Difference[] {
  if (!new ObjectDigests(metadata).canVerify) return []
  const found = 'different bytes, which the drive rejects'
  return [{ what: 'ETag', expected: metadata.attributes.etag, found }]
}

function versionOf({ size, modifiedAtMs, attributes }: ObjectMetadata): string {
  return `${attributes.etag} ${size} ${modifiedAtMs}`
}
