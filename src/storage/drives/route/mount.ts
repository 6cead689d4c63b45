import type { Drive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'

/** One of several drives that the gateway serves. */
export interface Mount {
  /** Its name in the settings; '' for the default drive. */
  readonly name: string
  /** Changes when the drive is opened late, or lost: keep the mount, not the drive. */
  readonly drive: Drive
  readonly isReadOnly: boolean
  /** For the operator: why the drive is not open; undefined if it is. */
  readonly problem?: string | undefined
}

/** Where a bucket is. */
export interface BucketPlace {
  readonly mount: Mount
  /** The bucket's name on that drive: the path of its folder. */
  readonly folder: string
  readonly isReadOnly: boolean
}

/** The places of all buckets. */
export interface MountTable {
  /** The default drive first. */
  readonly mounts: readonly Mount[]
  /** By bucket. Any other bucket is a folder of its name on the default drive. */
  readonly places: ReadonlyMap<string, BucketPlace>
}

/** @throws DriveError `denied` if nothing may be written there */
export function requireWritable(bucket: string, { mount, isReadOnly }: BucketPlace): void {
  if (!isReadOnly && !mount.isReadOnly) return
  throw new DriveError('denied', `The bucket ${bucket} is read-only (READ_ONLY).`)
}

/**
 * @throws DriveError `unavailable` if the mount's drive is no longer this one: it was lost to another
 *   gateway while a request was writing to it
 */
export function requireSame({ name, drive }: Mount, before: Drive): void {
  if (drive === before) return
  throw new DriveError('unavailable', `The drive ${name || 'in DRIVE'} is no longer available.`)
}

/** Whether one folder is the other or contains it. */
export function areNested(folder: string, other: string): boolean {
  return `${folder}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${folder}/`)
}

/** Whether a sweep may write there now. A drive that is not open is swept when it is. */
export function isSwept({ isReadOnly, problem }: Mount): boolean {
  return !isReadOnly && problem === undefined
}

/** Sweeps all drives of which `isSwept` is true, even if one fails. @throws the first failure */
export async function sweepAll(
  mounts: readonly Mount[],
  sweep: (drive: Drive) => Promise<void> | undefined,
): Promise<void> {
  const swept = await Promise.allSettled(mounts.filter(isSwept).map(({ drive }) => sweep(drive)))
  for (const outcome of swept) if (outcome.status === 'rejected') throw outcome.reason
}

export interface UnavailableDriveOptions extends Pick<Drive, 'kind' | 'deletes'> {
  /** For clients: it must not show where the drive is. */
  readonly message: string
}

/** Stands for a drive that is not open: every call rejects with `unavailable`. */
export function unavailableDrive({ kind, deletes, message }: UnavailableDriveOptions): Drive {
  const refuseNow = (): never => {
    throw new DriveError('unavailable', message)
  }
  const refuse = async (): Promise<never> => refuseNow()
  return {
    ...{ kind, deletes },
    ...{ prepare: refuse, addBucket: refuse, removeBucket: refuse, bucketCreatedAtMs: refuse },
    ...{ check: refuse, head: refuse, open: refuse, draft: refuse, remove: refuse },
    removeFolder: refuse,
    list: () => ({ next: refuse, seek: () => undefined }),
    uploads: {
      abilities: refuseNow,
      ...{ begin: refuse, append: refuse, replaceLast: refuse, complete: refuse },
      ...{ isPublished: refuse, abort: refuse, sweep: refuse },
    },
    close: () => Promise.resolve(),
  }
}
