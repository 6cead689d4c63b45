import type { ObjectName } from '../../drive.ts'

/**
 * Lease keys (key-leases.ts). They differ for an object `a/` and the folder `a/`.
 */
export function objectLeaseKey({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderLeaseKey(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}
