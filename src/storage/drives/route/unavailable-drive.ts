import type { Drive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'

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
