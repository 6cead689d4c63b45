import type { VersionName } from './delete-xml.ts'
import { fieldsOf, type XmlElement } from './s3-failure.ts'

/** A version of an object, or a delete marker. */
export interface ListedVersion extends VersionName {
  readonly isLatest: boolean
  readonly isDeleteMarker: boolean
  readonly modifiedAtMs: number
  /** Bytes; 0 for a delete marker. */
  readonly size: number
}

export interface VersionPage {
  readonly versions: readonly ListedVersion[]
  /** The position of the next page; undefined: this is the last one. */
  readonly next: VersionName | undefined
}

/** Reads a ListVersionsResult with URL-encoded keys. */
export function readVersionPage(root: XmlElement): VersionPage {
  const fields = fieldsOf(root)
  const key = decoded(fields.get('NextKeyMarker'))
  const versionId = fields.get('NextVersionIdMarker') ?? ''
  return {
    versions: [...root.children].flatMap((element) => {
      const isDeleteMarker = element.localName === 'DeleteMarker'
      return isDeleteMarker || element.localName === 'Version'
        ? [versionOf(fieldsOf(element), isDeleteMarker)]
        : []
    }),
    next: fields.get('IsTruncated') === 'true' ? { key, versionId } : undefined,
  }
}

function versionOf(fields: ReadonlyMap<string, string>, isDeleteMarker: boolean): ListedVersion {
  return {
    key: decoded(fields.get('Key')),
    versionId: fields.get('VersionId') ?? '',
    isLatest: fields.get('IsLatest') === 'true',
    isDeleteMarker,
    modifiedAtMs: Date.parse(fields.get('LastModified') ?? ''),
    size: Number(fields.get('Size') ?? 0),
  }
}

/** A plus is a space in the URL encoding of some S3 stores, and never a plus. */
function decoded(text = ''): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
