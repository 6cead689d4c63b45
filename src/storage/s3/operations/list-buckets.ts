import type { HttpReply } from '../../../platform/http/message.ts'
import { forEachLimited } from '../../../platform/process/limiter.ts'
import { sortKeys } from '../../../platform/text/key-order.ts'
import { canSeeBucket } from '../../access/authorize.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { parseCount, type Query } from '../address/query.ts'
import { isKnownRegion, regionOfBucket } from '../address/region.ts'
import type { S3Service, ServiceContext } from '../context.ts'
import { invalidArgument, shortened } from '../errors.ts'
import { decodeContinuationToken, encodeContinuationToken } from '../listing.ts'
import { owner, xmlReply, xmlTimestamp } from '../reply/xml.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html. An access key sees the buckets that
 * it has a grant for.
 */
export async function listBuckets(context: ServiceContext): Promise<HttpReply> {
  const { service, query } = context
  const visible = new Map(visibleBuckets(context))
  const { names, isTruncated } = pageOf([...visible.keys()], query)
  const times = await creationTimes(service, names)
  const buckets = names.map((name, index) => ({
    Name: name,
    CreationDate: xmlTimestamp(times[index] ?? 0),
    BucketRegion: visible.get(name),
  }))
  return xmlReply('ListAllMyBucketsResult', {
    Owner: owner,
    Buckets: { Bucket: buckets },
    ContinuationToken: isTruncated ? encodeContinuationToken(names.at(-1) ?? '') : undefined,
    Prefix: query.get('prefix'),
  })
}

/** Names with their regions. @throws S3Error InvalidArgument for a region that does not exist */
function visibleBuckets({ service, identity, query }: ServiceContext): [string, string][] {
  const wanted = query.get('bucket-region')
  const all = service.buckets.all().map((configuration): [string, string] => {
    return [configuration.name, regionOfBucket({ configuration, service })]
  })
  const found = all.filter(
    ([name, region]) => canSeeBucket(identity, name) && (!wanted || region === wanted),
  )
  if (found.length > 0 || !wanted || isKnownRegion(wanted, service.settings)) return found
  const message = `Argument value ${shortened(wanted)} is not a valid AWS Region.`
  throw invalidArgument('bucket-region', wanted, message)
}

/** Concurrent calls of drives, each of which may be a request to a server. */
const concurrency = 16

interface BucketPage {
  readonly names: readonly string[]
  readonly isTruncated: boolean
}

function pageOf(buckets: readonly string[], query: Query): BucketPage {
  const prefix = query.get('prefix') ?? ''
  const token = query.get('continuation-token')
  const after = token ? decodeContinuationToken(token) : ''
  const maxBuckets = parseCount('max-buckets', query.get('max-buckets'), { min: 1, max: 10_000 })
  const names = sortKeys(buckets.filter((name) => name.startsWith(prefix) && name > after))
  return { names: names.slice(0, maxBuckets), isTruncated: names.length > maxBuckets }
}

/**
 * Returns creation times. The database has those of buckets created at run time. Buckets of an unavailable drive are
 * listed with the time 0 if another drive is available.
 *
 * @throws DriveError if no bucket's time is available.
 */
async function creationTimes(
  { buckets, drive }: Pick<S3Service, 'buckets' | 'drive'>,
  names: readonly string[],
): Promise<number[]> {
  const outcomes: PromiseSettledResult<number>[] = []
  await forEachLimited(names.entries(), concurrency, async ([index, name]) => {
    const time = buckets.find(name)?.madeAtMs ?? drive.bucketCreatedAtMs(name)
    ;[outcomes[index]] = await Promise.allSettled([time])
  })
  const failed = outcomes.filter(({ status }) => status === 'rejected')
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value
    const isUnavailable =
      outcome.reason instanceof DriveError &&
      ['unavailable', 'no-bucket'].includes(outcome.reason.kind)
    if (!isUnavailable || failed.length === outcomes.length) throw outcome.reason
    return 0
  })
}
