import type { ReactNode } from 'react'
import type { FileEntry } from '../entries/entry.ts'
import type { ObjectDetails } from '../s3/object-details.ts'

/** The props of a preview that reads the bytes of a file. */
export interface PreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: ObjectDetails
  /** Shown if the content does not match the name and type of the file. */
  readonly fallback: ReactNode
}
