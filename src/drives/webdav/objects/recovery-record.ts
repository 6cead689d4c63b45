import type { ObjectName } from '../../drive.ts'
import type { NameRules } from '../../name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavRecord } from './dav-attributes.ts'
import { davPlaceOf, textOf } from './object-path.ts'

/** The note of a publisher's lease, for the process that takes over. */
export interface PublishNote extends ObjectName {
  /** The file that is to become the object. */
  readonly path: DavPath
  /** What the file has in a property, in case a MOVE moves the file alone. */
  readonly record?: DavRecord
}

/** What a tidier's lease says. */
export interface TidyNote {
  /** The key whose going left the folders empty. */
  readonly key: string
  /** The outermost of the folders; its first name is the bucket. */
  readonly folder: DavPath
  /** Below it, one in the other. */
  readonly inner: readonly string[]
  /** Where the outermost folder may be. */
  readonly aside: DavPath
}

/** Undefined when the note is of another kind of drive, which had this database before. */
export function parseNote(text: string): PublishNote | TidyNote | undefined {
  if (text === '') return undefined
  const note = JSON.parse(text) as PublishNote | TidyNote
  return 'inner' in note || 'path' in note ? note : undefined
}

/** All places of the lease that has this note. */
export function placesOfNote(text: string, rules: NameRules): string[] {
  const note = parseNote(text)
  if (note === undefined) return []
  if (!('inner' in note)) return [davPlaceOf(note.bucket, note.key, rules).path]
  const { folder, inner } = note
  return [folder, ...inner.map((_, index) => [...folder, ...inner.slice(0, index + 1)])].map(textOf)
}

/** The object that the holder of this note is writing; undefined when it is not an object. */
export function targetOfNote(text: string): ObjectName | undefined {
  const note = parseNote(text)
  return note === undefined || 'inner' in note ? undefined : note
}
