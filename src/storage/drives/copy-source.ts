import { type CopySource, DriveError } from './drive.ts'

const plainMd5 = /^[0-9a-f]{32}$/

/**
 * Whether a drive can copy the object with this ETag by itself. If the ETag is not an MD5, it does
 * not apply to the copy, and the caller must read the bytes to compute one.
 * @throws DriveError `changed` if it is not the version to copy
 */
export function canCopy(source: CopySource, etag: string): boolean {
  if (etag !== source.etag) throw changedSource(source)
  return plainMd5.test(etag)
}

export function changedSource({ bucket, key }: Pick<CopySource, 'bucket' | 'key'>): DriveError {
  return new DriveError('changed', `${bucket}/${key}: the version to copy no longer exists.`)
}
