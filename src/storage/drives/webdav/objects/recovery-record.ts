import type { ObjectName } from '../../drive.ts'
import type { NameRules } from '../../kit/names/name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavRecord } from './attribute-store.ts'
import { davPathOf, textOf } from './object-path.ts'

/** The recovery record of a writer's lease, for the process that takes over. */
export interface PublishRecord extends ObjectName {
  /** The file to move to the object's path. */
  readonly path: DavPath
  /** The file's property, in case a MOVE moves the file without it. */
  readonly record?: DavRecord
}

/** The recovery record of a lease on folders that are being removed. */
export interface TidyRecord {
  /** The key whose removal left the folders empty; '' for a bucket's folder. */
  readonly key: string
  /** The bucket of that key. Absent in records of earlier versions: the first name of `folder`. */
  readonly bucket?: string
  /** The outermost of the folders. */
  readonly folder: DavPath
  /** The nested folders below it. */
  readonly inner: readonly string[]
  /** The path to which the outermost folder may have been moved. */
  readonly aside: DavPath
}

/** Undefined for a record of another kind of drive that used this database before. */
export function parseDavRecord(text: string): PublishRecord | TidyRecord | undefined {
  if (text === '') return undefined
  const record = JSON.parse(text) as PublishRecord | TidyRecord
  return 'inner' in record || 'path' in record ? record : undefined
}

/** All keys of the lease with this record. */
export function leaseKeysOf(text: string, rules: NameRules): string[] {
  const record = parseDavRecord(text)
  if (record === undefined) return []
  if (!('inner' in record)) return [davPathOf(record.bucket, record.key, rules).leaseKey]
  const { folder, inner } = record
  return [folder, ...inner.map((_, index) => [...folder, ...inner.slice(0, index + 1)])].map(textOf)
}

/** The object that the lease's holder writes; undefined when it removes folders. */
export function writtenObjectOf(text: string): ObjectName | undefined {
  const record = parseDavRecord(text)
  return record === undefined || 'inner' in record ? undefined : record
}
