import type { BucketContext, S3Settings } from '../context.ts'

/** Of REGIONS: every name. */
export const everyRegion = '*'

/** As REGION; a client chooses the name, which becomes part of signing keys and headers. */
const regionName = /^[A-Za-z0-9_-]{1,64}$/

/** Whether clients may sign for the region and create buckets in it. */
export function isAllowedRegion(
  name: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
): boolean {
  if (name === region || regions.includes(name)) return true
  return regions.includes(everyRegion) && regionName.test(name)
}

/** The region that clients are told of a bucket. */
export function regionOfBucket({ configuration, service }: BucketContext): string {
  return configuration.region ?? service.settings.region
}
