import type { ObjectName } from '../../drive.ts'

/**
 * Lease keys (key-leases.ts). An object `a/` and the folder `a/` are different things, so their lease
 * keys must differ.
 */
export function objectLeaseKey({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderLeaseKey(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}
