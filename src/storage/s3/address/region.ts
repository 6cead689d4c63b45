import type { BucketContext, S3Settings } from '../context.ts'

/** In REGIONS: every name. */
export const everyRegion = '*'

/** The form of REGION. A client chooses the name, which is stored and sent in headers. */
const regionName = /^[A-Za-z0-9_-]{1,64}$/
/** What clients sign for. mc admin signs for none, git-annex and libcloud for the host of the endpoint. */
export const signedRegionName = /^[A-Za-z0-9_.:[\]-]{0,64}$/

/** Whether clients may create buckets in the region, or sign for it if `form` is `signedRegionName`. */
export function isAllowedRegion(
  name: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
  form = regionName,
): boolean {
  const isNamed = name === region || regions.includes(name) || regions.includes(everyRegion)
  return isNamed && form.test(name)
}

const awsRegion = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/

/** Whether the region may have buckets: one of AWS, such as `us-west-2`, or of the settings. */
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
