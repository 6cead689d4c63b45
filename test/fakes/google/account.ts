import type { ContentStore } from './content-store.ts'
import type { CredentialsDesk } from './credentials-desk.ts'
import type { DriveFiles } from './drive-files.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import type { PageTokens } from './page-tokens.ts'
import type { QuotaMeter } from './quota-meter.ts'
import type { UploadSessions } from './upload-sessions.ts'

/** What Drive leaves open, for tests to vary. */
export interface Knobs {
  /** Bytes that My Drive may hold. Absent: unlimited. */
  limitBytes?: number
  /** Items that a folder may hold, the root excepted. */
  maxChildren: number
  /** A page never has more entries than this, whatever was asked for. */
  pageLimit: number
  /** An empty page comes before every full one. */
  hasEmptyPages: boolean
  /** Whether a copy has the properties of its source. */
  copiesProperties: boolean
  /** Whether the search says that it is not complete. */
  isSearchIncomplete: boolean
}

/** Everything behind the emulator's endpoints. */
export interface Account {
  readonly clock: EmulatorClock
  readonly desk: CredentialsDesk
  readonly files: DriveFiles
  readonly store: ContentStore
  readonly sessions: UploadSessions
  readonly pages: PageTokens
  readonly meter: QuotaMeter
  readonly knobs: Knobs
}

/** Bytes that count to the user's quota. */
export function usedBytes({ files }: Account): number {
  let bytes = 0
  for (const { content, driveId, owner } of files.records().values()) {
    if (driveId === undefined && owner === 'user') bytes += content?.size ?? 0
  }
  return bytes
}
