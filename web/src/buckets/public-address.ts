import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { serviceAddress } from '../api/service-address.ts'
import { objectPath } from '../files/entries/object-address.ts'

/** The address at which everyone can read a public bucket, or an object in it. */
export function publicAddress(
  endpoint: StatusReply['endpoint'],
  bucket: string,
  key?: string,
): string {
  const path = key === undefined ? `/${bucket}/` : objectPath(bucket, key)
  return serviceAddress(endpoint, location.origin) + path
}
