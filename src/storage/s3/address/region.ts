import type { BucketContext, S3Settings } from '../context.ts'

/** Of REGIONS: every name. */
export const everyRegion = '*'

/** As REGION; a client chooses the name, which is stored and becomes part of headers. */
const regionName = /^[A-Za-z0-9_-]{1,64}$/
/** What clients sign for: also none, as mc admin, and the host of the endpoint, as git-annex and libcloud. */
export const signedRegionName = /^[A-Za-z0-9_.:[\]-]{0,64}$/

/** Whether clients may create buckets in the region; sign for it, if its name may be one of `signedRegionName`. */
export function isAllowedRegion(
  name: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
  form = regionName,
): boolean {
  const isNamed = name === region || regions.includes(name) || regions.includes(everyRegion)
  return isNamed && form.test(name)
}

const awsRegion = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/

/** Whether there may be buckets in it: `us-west-2`, and what the settings name. */
export function isKnownRegion(
  name: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
): boolean {
  return name === region || (name !== '*' && regions.includes(name)) || awsRegion.test(name)
}

/** The region that clients are told of a bucket. */
export function regionOfBucket({
  configuration,
  service,
}: Pick<BucketContext, 'configuration' | 'service'>): string {
  return configuration.region ?? service.settings.region
}
