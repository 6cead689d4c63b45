/** What a grant can allow. */
export const actions = ['list', 'read', 'write', 'delete', 'manage'] as const

/**
 * - `list`: list keys
 * - `read`: read objects and their metadata
 * - `write`: create and overwrite objects, in one request or in parts
 * - `delete`: delete objects
 * - `manage`: create, configure and remove the bucket
 */
export type Action = (typeof actions)[number]

/** A right of an access key. A key may have several; what one of them allows is allowed. */
export interface Grant {
  /** The name of a bucket, or `*` for every bucket. */
  readonly bucket: string
  /** Only keys that begin with this. Empty: all keys. */
  readonly prefix: string
  readonly actions: readonly Action[]
}

/** The buckets of the grants that do not exist: the grants have no effect until they are created. */
export function unknownBuckets(
  grants: readonly Grant[],
  exists: (bucket: string) => boolean,
): string[] {
  const named = new Set(grants.map(({ bucket }) => bucket))
  return [...named].filter((bucket) => bucket !== '*' && !exists(bucket))
}
