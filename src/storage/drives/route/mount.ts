import type { Drive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'

/** One of several drives that the gateway serves. */
export interface Mount {
  /** The name in the settings; '' for the default drive. */
  readonly name: string
  /** Changes when the drive is opened late or lost, so hold the mount, not the drive. */
  readonly drive: Drive
  readonly isReadOnly: boolean
  /** Why the drive is not open, for the operator. Undefined if it is open. */
  readonly problem?: string | undefined
}

/** Where a bucket is stored. */
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

/** Whether the folders are the same, or one contains the other. */
export function areNested(folder: string, other: string): boolean {
  return `${folder}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${folder}/`)
}

/** Whether the drive can be swept now. */
export function isSwept({ isReadOnly, problem }: Mount): boolean {
  return !isReadOnly && problem === undefined
}

/** Sweeps all drives for which `isSwept` is true, even if one fails. @throws the first failure */
export async function sweepAll(
  mounts: readonly Mount[],
  sweep: (drive: Drive) => Promise<void> | undefined,
): Promise<void> {
  const swept = await Promise.allSettled(mounts.filter(isSwept).map(({ drive }) => sweep(drive)))
  for (const outcome of swept) if (outcome.status === 'rejected') throw outcome.reason
}

export interface UnavailableDriveOptions extends Pick<Drive, 'kind' | 'deletes'> {
  /** For clients, so without the location of the drive. */
  readonly message: string
}

/** A placeholder for a drive that is not open: every call rejects with `unavailable`. */
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
    ...{ versionsRefusal: refuseNow, setVersioning: refuse },
    listVersions: () => ({ next: refuse, seek: () => undefined }),
    uploads: {
      abilities: refuseNow,
      ...{ begin: refuse, append: refuse, replaceLast: refuse, complete: refuse },
      ...{ isPublished: refuse, abort: refuse, sweep: refuse },
    },
    close: () => Promise.resolve(),
  }
}
