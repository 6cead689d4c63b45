import { createHmac } from 'node:crypto'
import type { Credentials } from './signed-request.ts'

/** What a client signs with Version 2, in the words of AWS's "Signing and authenticating REST requests". */
export interface VersionTwoRequest {
  readonly method: string
  /** As sent. */
  readonly path: string
  /** Signed parameters, decoded, in order. */
  readonly parameters?: readonly (readonly [name: string, value: string])[]
  readonly contentMd5?: string
  readonly contentType?: string
  /** Lower-case names, sorted. */
  readonly amzHeaders?: readonly (readonly [name: string, value: string])[]
  readonly expires: number | string
}

/** A separate signer, which shares no code with src/storage/s3/sigv4. */
export function signVersionTwo(request: VersionTwoRequest, secretKey: string): string {
  const { method, path, parameters = [], contentMd5 = '', contentType = '' } = request
  const pairs = parameters.map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const resource = path + (pairs.length === 0 ? '' : `?${pairs.join('&')}`)
  const headers = (request.amzHeaders ?? []).map(([name, value]) => `${name}:${value}\n`).join('')
  const text = `${method}\n${contentMd5}\n${contentType}\n${request.expires}\n${headers}${resource}`
  return createHmac('sha1', secretKey).update(text).digest('base64')
}

/** The target of a presigned URL. */
export function presignVersionTwo(request: VersionTwoRequest, credentials: Credentials): string {
  const pairs = [
    ...(request.parameters ?? []),
    ['AWSAccessKeyId', credentials.accessKey],
    ['Expires', String(request.expires)],
    ['Signature', signVersionTwo(request, credentials.secretKey)],
  ] as const
  return `${request.path}?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}
