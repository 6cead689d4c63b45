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

const awsRegion = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/

/** Whether there may be buckets in it: `us-west-2`, and what the settings name. */
export function isKnownRegion(
  name: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
): boolean {
  return name === region || regions.includes(name) || awsRegion.test(name)
}

/** The region that clients are told of a bucket. */
export function regionOfBucket({
  configuration,
  service,
}: Pick<BucketContext, 'configuration' | 'service'>): string {
  return configuration.region ?? service.settings.region
}
