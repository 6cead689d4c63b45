import { ConfiguredBuckets } from '../../src/storage/buckets/buckets.ts'
import type { S3Service } from '../../src/storage/s3/context.ts'

/** No bucket was counted. */
export const uncounted: S3Service['usage'] = {
  reserve: async () => undefined,
  exceededBy: async () => undefined,
  giveBack: () => undefined,
  wrote: () => undefined,
  addedParts: () => undefined,
}

/** Buckets as the settings name them. */
export function servedBuckets(
  names: readonly string[],
  publicNames: readonly string[] = [],
): ConfiguredBuckets {
  return new ConfiguredBuckets({ allowedBuckets: names, publicReadBuckets: publicNames })
}
