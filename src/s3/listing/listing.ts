import { parseCount } from '../address/count-parameter.ts'
import type { BucketContext } from '../context.ts'
import type { XmlChildren } from '../reply/xml.ts'
import { type EncodeKey, keyEncoding } from './key-encoding.ts'
import { type ListPage, type PageQuery, readPage } from './list-page.ts'

/** A page, and the request parameters that the reply repeats. */
export interface Listing {
  readonly page: ListPage
  readonly asked: PageQuery & { readonly encodingType: string | undefined }
  readonly encode: EncodeKey
}

/** The parameters and the page that all listings of objects share. `after`: see readPage. */
export async function readListing(context: BucketContext, after: string): Promise<Listing> {
  const { query, service, bucket } = context
  const encode = keyEncoding(query)
  const asked = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: parseCount('max-keys', query.get('max-keys'), { min: 0, max: 1000 }),
    encodingType: query.get('encoding-type') || undefined,
    after,
  }
  const { prefix, delimiter } = asked
  const cursor = service.drive.list(bucket, {
    prefix,
    after,
    ...(delimiter === '/' ? { delimiter } : {}),
  })
  return { page: await readPage(cursor, asked), asked, encode }
}

export function commonPrefixElements(page: ListPage, encode: EncodeKey): XmlChildren[] {
  return page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) }))
}
