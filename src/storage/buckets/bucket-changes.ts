import type { DatabaseLeases } from '../drives/kit/key-lease-table.ts'
import { type KeyLease, KeyLeases } from '../drives/kit/key-leases.ts'
import { changeKey } from './made-bucket-table.ts'

/** Long, because the requests of one process wait for one another. */
const waitMs = 60_000

/** Changes of the list of buckets, and of what the drive remembers of them: one at a time in all processes. */
export class BucketChanges {
  readonly #leases: KeyLeases

  /** @param table `MadeBucketTable.leases` @param now the database's time */
  constructor(table: DatabaseLeases, now: () => number) {
    const errors = {
      busy: () => new BucketError('busy', 'Other buckets are being changed. Try again.'),
      lost: lostLease,
    }
    this.#leases = new KeyLeases({ table, now, waitMs, errors })
  }

  /** @throws BucketError `busy`; as `work` */
  async run<R>(work: (held: KeyLease) => Promise<R>): Promise<R> {
    const results: R[] = []
    const working = this.#leases.hold([changeKey], async (held) => {
      results.push(await work(held))
    })
    // A lease that cannot be released expires.
    await working.catch((error: unknown) => {
      if (results.length === 0) throw error
    })
    return results[0] as R
  }
}

export function lostLease(): BucketError {
  return new BucketError('busy', 'Changing the bucket took too long. Try again.')
}

/** Why a bucket was not created, changed or removed. */
export type BucketErrorKind =
  | 'invalid-name'
  /** The bucket is already served. */
  | 'exists'
  /** The drive has a folder with this name and with content, which is not a bucket. */
  | 'folder-exists'
  | 'too-many'
  | 'no-bucket'
  /** The bucket is in the settings, and can be changed only there. */
  | 'from-settings'
  /** Other buckets are being created, changed or removed. */
  | 'busy'
  /** Not as long as its versions are not enabled, or for ever because of Object Lock or too many changes of its versions. */
  | 'wrong-state'
  /** The bucket can't have versions. */
  | 'no-versions'

/** The message is user-facing. */
export class BucketError extends Error {
  readonly kind: BucketErrorKind

  constructor(kind: BucketErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'BucketError'
    this.kind = kind
  }
}
