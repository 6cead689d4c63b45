import type { ObjectName } from '../../drive.ts'

/**
 * What leases are held on (key-leases.ts). An object `a/` and the folder `a/` are two things, so the
 * two kinds must not share a place.
 */
export function keyPlace({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderPlace(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}
