import { ConfiguredBuckets } from '../../src/storage/buckets/buckets.ts'

/** Buckets as the settings name them. */
export function servedBuckets(
  names: readonly string[],
  publicNames: readonly string[] = [],
): ConfiguredBuckets {
  return new ConfiguredBuckets({ allowedBuckets: names, publicReadBuckets: publicNames })
}
