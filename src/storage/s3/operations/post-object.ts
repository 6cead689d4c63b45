import type { HttpReply } from '../../../platform/http/message.ts'
import { locationOf } from '../address/address.ts'
import { readPayload } from '../body/payload.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload-writer.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { type FormUpload, formOf } from '../form/form-upload.ts'
import type { SizeRange } from '../form/post-policy.ts'
import { xmlReply } from '../reply/xml.ts'
import { type PourObject, storeObject } from './put-object.ts'

/**
 * A PutObject that a browser sends as a form (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html).
 * Its context is that of the request made of the form (form-upload.ts).
 */
export async function postObject(context: ObjectContext): Promise<HttpReply> {
  const { request } = context
  const form = formOf(request)
  if (form === undefined) throw new S3Error('MethodNotAllowed')
  const pour: PourObject = (sink, expected) =>
    pourFile(sink, form.size, (limited) =>
      readPayload(request, limited, { size: undefined, expected }),
    )
  const stored = await storeObject(context, { size: undefined, pour })
  return replyTo(form.fields, context, stored.headers)
}

/** Reads a file of a limited size. @throws S3Error EntityTooLarge, EntityTooSmall; as `read` */
async function pourFile(
  sink: PayloadSink,
  { min, max }: SizeRange,
  read: (sink: PayloadSink) => Promise<PayloadDigest>,
): Promise<PayloadDigest> {
  let taken = 0
  const limited: PayloadSink = {
    write: async (chunk) => {
      taken += chunk.length
      if (taken > max) throw wrongSize('EntityTooLarge', taken, { MaxSizeAllowed: String(max) })
      await sink.write(chunk)
    },
  }
  const digest = await read(limited)
  if (digest.size >= min) return digest
  throw wrongSize('EntityTooSmall', digest.size, { MinSizeAllowed: String(min) })
}

/** @param size the bytes so far */
function wrongSize(
  code: 'EntityTooLarge' | 'EntityTooSmall',
  size: number,
  limit: Readonly<Record<string, string>>,
): S3Error {
  return new S3Error(code, undefined, { elements: { ProposedSize: String(size), ...limit } })
}

/** The reply that success_action_redirect and success_action_status request; by default 204, as on AWS. */
function replyTo(
  fields: FormUpload['fields'],
  context: ObjectContext,
  stored: HttpReply['headers'],
): HttpReply {
  const { bucket, key } = context
  const [, etag = ''] = stored.find(([name]) => name === 'ETag') ?? []
  const redirect = redirectOf(fields, `bucket=${bucket}&key=${encodeURIComponent(key)}`, etag)
  if (redirect !== undefined) {
    return { status: 303, headers: [...stored, ['Location', redirect], ['Content-Length', '0']] }
  }
  const location = locationOf(context)
  const headers = [...stored, ['Location', location] as const]
  const status = fields.get('success_action_status')
  if (status === '201') {
    const elements = { Location: location, Bucket: bucket, Key: key, ETag: etag }
    return { ...xmlReply('PostResponse', elements, headers, { namespace: false }), status: 201 }
  }
  if (status === '200') return { status: 200, headers: [...headers, ['Content-Length', '0']] }
  return { status: 204, headers }
}

/** Undefined if there is none, or if it is not a valid URL, which S3 ignores. */
function redirectOf(fields: FormUpload['fields'], query: string, etag: string): string | undefined {
  const text = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  // A URL parser removes line ends and tabs, so the URL would differ from the one that was compared with the policy.
  if (!/^https?:\/\/[^\0-\x20\x7f]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const more = `${query}&etag=${encodeURIComponent(etag)}`
  url.search = url.search === '' ? more : `${url.search}&${more}`
  return url.href
}
