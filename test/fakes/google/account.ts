import type { ContentStore } from './content-store.ts'
import type { CredentialsDesk } from './credentials-desk.ts'
import type { DriveFiles } from './drive-files.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import type { PageTokens } from './page-tokens.ts'
import type { QuotaMeter } from './quota-meter.ts'
import type { UploadSessions } from './upload-sessions.ts'

/** Behaviour that Drive does not specify, for tests to vary. */
export interface Knobs {
  /** Quota of My Drive in bytes. Absent: unlimited. */
  limitBytes?: number
  /** The most items in a folder, except in the root. */
  maxChildren: number
  /** The most entries of a page, regardless of `pageSize`. */
  pageLimit: number
  /** Whether an empty page precedes every full one. */
  hasEmptyPages: boolean
  /** Whether a copy has the properties of its source. */
  copiesProperties: boolean
  /** Whether lists report that they are incomplete. */
  isSearchIncomplete: boolean
}

/** The data behind the emulator's endpoints. */
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

/** Bytes that count towards the user's quota. */
export function usedBytes({ files }: Account): number {
  let bytes = 0
  for (const { content, driveId, owner } of files.records().values()) {
    if (driveId === undefined && owner === 'user') bytes += content?.size ?? 0
  }
  return bytes
}
