import type { IncomingHttpHeaders } from 'node:http'
import { isFormType } from '../../../platform/http/form-parser.ts'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { keptHeaders } from '../../drives/attributes.ts'
import type { Address } from '../address/address.ts'
import type { Compatibility } from '../compatibility.ts'
import { objectTagLimits, parseTagging } from '../configuration/tagging-document.ts'
import { headerNotImplemented, S3Error } from '../errors.ts'
import { headerFieldOf } from '../headers/request-fields.ts'
import { fieldsOfSignature, required } from './form-signature.ts'
import { checkPostPolicy, parsePostPolicy, type SizeRange } from './post-policy.ts'
import type { Form } from './read-form.ts'

/** What a form asks for beside the object. */
export interface FormUpload {
  readonly fields: ReadonlyMap<string, string>
  /** Bytes that the file may have. */
  readonly size: SizeRange
}

/** By request, so that only a request made of a verified form is a PostObject. */
const uploads = new WeakMap<HttpRequest, FormUpload>()

/** Undefined if the request was not made of a form. */
export function formOf(request: HttpRequest): FormUpload | undefined {
  return uploads.get(request)
}

/**
 * Whether a request is a form that a browser posts to a bucket. With parameters it is not: they ask for something
 * else, which the policy of a form does not allow.
 */
export function isForm(
  { method, rawQuery, headers }: HttpRequest,
  { level }: Address,
  { formUploads }: Pick<Compatibility, 'formUploads'>,
): boolean {
  return (
    formUploads &&
    method === 'POST' &&
    level === 'bucket' &&
    rawQuery === '' &&
    isFormType(headers['content-type'])
  )
}

/**
 * The request that a form stands for, which writes its file to its key with its fields as headers.
 *
 * @param bucket of the address
 * @throws S3Error InvalidPolicyDocument; as `parseTagging`; AccessDenied if the policy does not allow it; InvalidArgument without a key
 *   or for a value that no header can have; NotImplemented
 */
export function requestOfForm(
  { fields, file }: Form,
  request: HttpRequest,
  bucket: string,
  nowMs: number,
): HttpRequest {
  const key = required(fields, 'key')
  const policy = parsePostPolicy(required(fields, 'policy'))
  const named = fields.get('bucket')
  if (named !== undefined && named !== bucket) {
    throw new S3Error('AccessDenied', 'The bucket of the form is not that of its address.')
  }
  const all = new Map([...fields, ['bucket', bucket]])
  checkPostPolicy(policy, all, fieldsOfSignature(fields), nowMs)
  const { id, method, isSecure, remoteAddress, receivedAtMs, rawPath } = request
  const derived: HttpRequest = {
    ...{ id, method, isSecure, remoteAddress, receivedAtMs, rawQuery: '', rawHeaders: [] },
    rawPath: `${rawPath.replace(/\/$/, '')}/${rawKeyOf(key)}`,
    headers: { ...headersOf(fields), host: request.headers.host },
    body: file,
    get signal() {
      return request.signal
    },
    get isKnown() {
      return request.isKnown
    },
    markKnown: () => request.markKnown(),
    acceptBody: () => undefined,
    leaveWithClient: () => undefined,
  }
  uploads.set(derived, { fields, size: policy.size })
  return derived
}

/** A key as a path has it. */
export function rawKeyOf(key: string): string {
  return encodeURIComponent(key).replaceAll('%2F', '/')
}

const ofHeaders: ReadonlySet<string> = new Set([
  ...keptHeaders,
  'content-md5',
  'if-match',
  'if-none-match',
])
/** Fields that have another form as a header. */
const ofForms: ReadonlyMap<string, (text: string) => readonly [name: string, value: string]> =
  new Map([
    ['acl', (text) => ['x-amz-acl', text]],
    [
      'tagging',
      (text) => {
        const tags = parseTagging(Buffer.from(text), objectTagLimits)
        return ['x-amz-tagging', new URLSearchParams(tags).toString()]
      },
    ],
  ])
/** They are the signature, which has been verified. */
const ofSignature = /^x-amz-(?:algorithm|credential|date|security-token|signature)$/
/** They describe the body of another request, or ask for another one; tags have a field of their own. */
const notOfForms =
  /^x-amz-(?:content-sha256|copy-source.*|decoded-content-length|tagging|trailer|write-offset-bytes)$/

/** The fields that PutObject has as headers. Others have no effect. */
function headersOf(fields: ReadonlyMap<string, string>): IncomingHttpHeaders {
  const headers: Record<string, string> = Object.create(null)
  for (const [field, text] of fields) {
    if (!ofHeaders.has(field) && !ofForms.has(field) && !field.startsWith('x-amz-')) continue
    if (ofSignature.test(field)) continue
    if (notOfForms.test(field)) throw headerNotImplemented(field)
    const [name, sent] = ofForms.get(field)?.(text) ?? [field, text]
    const [, value] = headerFieldOf(name, sent)
    headers[name] = value
  }
  return headers
}
