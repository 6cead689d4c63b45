import { percentEncode } from '../../../../src/platform/text/percent-encoding.ts'
import { type ObjectAddress, objectPath } from '../entries/object-address.ts'
import { etagOfCopy, s3Fetch, xmlOf } from './bucket-client.ts'
import type { VersionName } from './delete-xml.ts'
import { readVersionPage, type VersionPage } from './version-page.ts'

interface VersionQuery {
  readonly bucket: string
  readonly prefix: string
  /** Only older versions of this key, then greater keys. */
  readonly after?: VersionName | undefined
  readonly limit?: number
}

/** A page of the versions of all keys that begin with a prefix: by key, then the newest first. */
export async function listVersions(
  { bucket, prefix, after, limit }: VersionQuery,
  signal?: AbortSignal,
): Promise<VersionPage> {
  const query = {
    ...{ versions: '', prefix, 'encoding-type': 'url' },
    ...(limit !== undefined && { 'max-keys': String(limit) }),
    ...(after && { 'key-marker': after.key, 'version-id-marker': after.versionId }),
  }
  return readVersionPage(await xmlOf(await s3Fetch({ method: 'GET', bucket, query, signal })))
}

/** Copies a former version on top of the others. Returns the ETag. */
export async function restoreVersion({ bucket, key, versionId = '' }: ObjectAddress) {
  const source = `${objectPath(bucket, key)}?versionId=${percentEncode(versionId)}`
  const headers = { 'x-amz-copy-source': source }
  return etagOfCopy(await s3Fetch({ method: 'PUT', bucket, key, headers }))
}
