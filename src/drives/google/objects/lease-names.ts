import type { ObjectName } from '../../drive.ts'

/**
 * Names of leases (key-leases.ts). An object `a/` and the folder `a/` are different things, so their
 * leases must not have the same name.
 */
export function objectLease({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderLease(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}
