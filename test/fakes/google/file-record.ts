import type { Content } from './content-store.ts'

export const folderMimeType = 'application/vnd.google-apps.folder'
export const shortcutMimeType = 'application/vnd.google-apps.shortcut'

/** The owner, whose quota a file counts towards. A service account has none. */
export type Owner = 'user' | 'service'

/** One revision of a file's content. */
export interface Revision {
  readonly id: string
  readonly content: Content
  readonly mimeType: string
  readonly modifiedAtMs: number
  /** "Keep forever": only then can it be downloaded. */
  readonly isKept?: boolean
}

/** A file or folder at one moment. Every change creates a new record. */
export interface FileRecord {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** Absent for the root of a drive and for files that others share with the user. */
  readonly parent?: string
  /** The shared drive of the file. */
  readonly driveId?: string | undefined
  /** Whether the file itself was trashed. Descendants of trashed folders count as trashed, too. */
  readonly isTrashed: boolean
  readonly appProperties: Readonly<Record<string, string>>
  readonly properties: Readonly<Record<string, string>>
  readonly description?: string
  readonly isStarred: boolean
  readonly createdAtMs: number
  readonly modifiedAtMs: number
  /** Absent for folders, shortcuts and documents of Google's editors. */
  readonly content?: Content
  readonly headRevisionId?: string
  /** All revisions, oldest first. */
  readonly revisions: readonly Revision[]
  readonly shortcutTargetId?: string
  readonly owner: Owner
  /** Increases with every change of the file. */
  readonly version: number
  /** Flagged as malware: it can be downloaded only with `acknowledgeAbuse`. */
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
