import { canSeeBucket } from '../../access/authorize.ts'
import { sortKeys } from '../../drives/key-order.ts'
import type { HttpReply } from '../../http/message.ts'
import { parseCount } from '../address/count-parameter.ts'
import type { Query } from '../address/query.ts'
import type { ServiceContext } from '../context.ts'
import { decodeContinuationToken, encodeContinuationToken } from '../listing/continuation-token.ts'
import { owner } from '../reply/owner.ts'
import { xmlTimestamp } from '../reply/timestamp.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html. An access key sees the buckets that
 * it has a grant for.
 */
export async function listBuckets(context: ServiceContext): Promise<HttpReply> {
  const { service, query } = context
  const { region } = service.settings
  const isElsewhere = (query.get('bucket-region') || region) !== region
  const { names, isTruncated } = pageOf(isElsewhere ? [] : visibleBuckets(context), query)
  const buckets = await Promise.all(
    names.map(async (name) => ({
      Name: name,
      CreationDate: xmlTimestamp(await service.drive.bucketCreatedAtMs(name)),
      BucketRegion: region,
    })),
  )
  return xmlReply('ListAllMyBucketsResult', {
    Owner: owner,
    Buckets: { Bucket: buckets },
    ContinuationToken: isTruncated ? encodeContinuationToken(names.at(-1) ?? '') : undefined,
    Prefix: query.get('prefix'),
  })
}

function visibleBuckets({ service, identity }: ServiceContext): string[] {
  const names = service.buckets.all().map(({ name }) => name)
  return names.filter((name) => canSeeBucket(identity, name))
}

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
