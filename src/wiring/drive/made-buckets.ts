import { findMadeBuckets } from '../../buckets/bucket-note.ts'
import type { ClaimDrive, DriveNotes } from '../../drives/drive-notes.ts'
import type { Database } from '../../state/database.ts'
import { MadeBucketTable } from '../../state/stores/made-buckets.ts'
import type { Log } from '../log.ts'
import { isBucketName } from '../settings/parse-names.ts'
import type { ServiceRole } from './open-owner.ts'

/** What the drive and the database know of buckets made at run time, while the drive is opened. */
export interface MadeBuckets {
  /** Of the drive; absent if it has none, or is not open yet. */
  readonly notes: DriveNotes | undefined
  /** As `claim`; the primary then adds the buckets that a lost database has forgotten. */
  claimAfter(claim: ClaimDrive): ClaimDrive
  /** Of the buckets to serve. */
  names(): Promise<readonly string[]>
}

export function madeBuckets(role: ServiceRole, database: Database, log: Log): MadeBuckets {
  const table = new MadeBucketTable(database)
  let notes: DriveNotes | undefined
  return {
    get notes() {
      return notes
    },
    claimAfter: (claim) => async (given) => {
      await claim(given)
      notes = given
      if (role.kind !== 'primary') return
      const buckets = await findMadeBuckets({ notes, table, isBucketName, nowMs: Date.now() })
      if (buckets.length > 0) {
        log.warn(
          { buckets },
          'the drive has buckets that the database did not know: they are served again',
        )
      }
    },
    async names() {
      const rows = await table.all()
      return rows.filter(({ isRemoving }) => isRemoving === 0).map(({ bucket }) => bucket)
    },
  }
}
