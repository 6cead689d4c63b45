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

/** What a form requests besides writing the object. */
export interface FormUpload {
  readonly fields: ReadonlyMap<string, string>
  readonly size: SizeRange
}

/** Keyed by request so that only a request made from a verified form is a PostObject. */
const uploads = new WeakMap<HttpRequest, FormUpload>()

/** Undefined if the request was not made from a form. */
export function formOf(request: HttpRequest): FormUpload | undefined {
  return uploads.get(request)
}

/**
 * Whether a request is a form that a browser posts to a bucket. Parameters would request another operation, which the
 * policy of a form does not allow.
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
 * Converts a form to a request that writes its file to its key, with its fields as headers.
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

/** A key encoded for a path. */
export function rawKeyOf(key: string): string {
  return encodeURIComponent(key).replaceAll('%2F', '/')
}

const ofHeaders: ReadonlySet<string> = new Set([
  ...keptHeaders,
  'content-md5',
  'if-match',
  'if-none-match',
])
/** Fields that differ from their header. */
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
/** Fields of the signature, which has been verified. */
const ofSignature = /^x-amz-(?:algorithm|credential|date|security-token|signature)$/
/** Headers that would describe another body or request another operation. Tags have the field `tagging`. */
const notOfForms =
  /^x-amz-(?:content-sha256|copy-source.*|decoded-content-length|tagging|trailer|write-offset-bytes)$/

/** The fields that are headers of PutObject. Other fields have no effect. */
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
