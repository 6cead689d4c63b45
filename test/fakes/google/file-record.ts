import type { Content } from './content-store.ts'

export const folderMimeType = 'application/vnd.google-apps.folder'
export const shortcutMimeType = 'application/vnd.google-apps.shortcut'

/** Whose quota a file counts to. A service account has none. */
export type Owner = 'user' | 'service'

/** One of the contents that a file had. */
export interface Revision {
  readonly id: string
  readonly content: Content
  readonly mimeType: string
  readonly modifiedAtMs: number
  /** For ever; only then it can be downloaded. */
  readonly isKept?: boolean
}

/** A file or folder as it is at one moment. Every change makes a new record. */
export interface FileRecord {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** Absent for the root of a drive and for what is shared with the user from elsewhere. */
  readonly parent?: string
  /** The shared drive that it is in. */
  readonly driveId?: string | undefined
  /** By itself; a descendant of what is trashed counts as trashed, too. */
  readonly isTrashed: boolean
  readonly appProperties: Readonly<Record<string, string>>
  readonly properties: Readonly<Record<string, string>>
  readonly description?: string
  readonly isStarred: boolean
  readonly createdAtMs: number
  readonly modifiedAtMs: number
  /** Absent for folders, shortcuts and what Google's editors made. */
  readonly content?: Content
  readonly headRevisionId?: string
  /** What the file held before and holds now, oldest first. */
  readonly revisions: readonly Revision[]
  readonly shortcutTargetId?: string
  readonly owner: Owner
  /** Grows with every change of the file. */
  readonly version: number
  /** Google took it for malware: it is downloaded with `acknowledgeAbuse` only. */
  readonly isAbusive: boolean
}

export function isFolder(record: FileRecord): boolean {
  return record.mimeType === folderMimeType
}

/** Whether it is one of Google's own types, which have no bytes (folders are, too). */
export function isGoogleType(mimeType: string): boolean {
  return mimeType.startsWith('application/vnd.google-apps.')
}

/** Whether the file or a folder above it is in the trash. */
export function isInTrash(record: FileRecord, records: ReadonlyMap<string, FileRecord>): boolean {
  for (let at: FileRecord | undefined = record; at !== undefined; ) {
    if (at.isTrashed) return true
    at = at.parent === undefined ? undefined : records.get(at.parent)
  }
  return false
}
