import type { ReactNode } from 'react'
import type { FileEntry } from '../entries/entry.ts'
import type { ObjectDetails } from '../s3/object-details.ts'

/** What a preview that reads the bytes of a file gets. */
export interface PreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: ObjectDetails
  /** Shown if the file is not what its name and type say. */
  readonly fallback: ReactNode
}
