import { findMadeBuckets } from '../../buckets/bucket-note.ts'
import type { ClaimDrive, DriveNotes } from '../../drives/drive-notes.ts'
import type { Database } from '../../state/database.ts'
import { MadeBucketTable } from '../../state/stores/made-buckets.ts'
import type { Log } from '../log.ts'
import { isBucketName } from '../settings/parse-names.ts'
import type { ServiceRole } from './open-owner.ts'

interface FoundBucketsParts {
  readonly role: ServiceRole
  readonly database: Database
  readonly log: Log
}

/** What a drive and the database know of buckets made at run time while the drive is opened. */
export class FoundBuckets {
  readonly #parts: FoundBucketsParts
  readonly #table: MadeBucketTable
  /** Of the drive; absent if it has none, or is not open yet. */
  notes: DriveNotes | undefined

  constructor(parts: FoundBucketsParts) {
    this.#parts = parts
    this.#table = new MadeBucketTable(parts.database)
  }

  /** As `claim`; the primary then adds the buckets that a lost database has forgotten. */
  claimAfter(claim: ClaimDrive): ClaimDrive {
    return async (notes) => {
      await claim(notes)
      this.notes = notes
      if (this.#parts.role.kind === 'primary') await this.#find(notes)
    }
  }

  async #find(notes: DriveNotes): Promise<void> {
    const { log } = this.#parts
    const table = this.#table
    const found = await findMadeBuckets({ notes, table, isBucketName, nowMs: Date.now() })
    if (found.length > 0) {
      log.warn(
        { buckets: found },
        'the drive has buckets that the database did not know: they are served again',
      )
    }
  }

  /** Of the buckets to serve. */
  readonly names = async (): Promise<readonly string[]> => {
    const rows = await this.#table.all()
    return rows.filter(({ isRemoving }) => isRemoving === 0).map(({ bucket }) => bucket)
  }
}
