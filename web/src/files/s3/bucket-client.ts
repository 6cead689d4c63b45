import { ApiError, unreachable } from '../../api/api-error.ts'
import { bearer, inSession, ownPath, presign } from '../../api/client.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { isReachable, type ObjectAddress, objectPath } from '../entries/object-address.ts'
import type { ByteRange } from './byte-range.ts'
import {
  canStandInXml,
  type DeleteFailure,
  type DoomedObject,
  deleteBody,
  readDeleteFailures,
} from './delete-xml.ts'
import { type ObjectDetails, readDetails } from './object-details.ts'
import { fieldsOf, readFailure, S3Failure, type XmlElement } from './s3-failure.ts'

interface S3Target {
  readonly bucket: string
  /** Absent for a request to the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
}

interface S3Request extends S3Target {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  readonly priority?: RequestPriority
  readonly signal?: AbortSignal | undefined
}

/**
 * The only mode in which a browser adds no Cache-Control to a request with If-Match or If-None-Match (Fetch standard,
 * "HTTP-network-or-cache fetch"): the header would be stored with the object. A cache never answers a write.
 */
const cacheOfWrites = 'force-cache'

/**
 * Path and query of an S3 request.
 *
 * @throws S3Failure if the browser would change the path and thereby address another object.
 */
export function s3Path({ bucket, key, query = {} }: S3Target): string {
  if (key !== undefined && !isReachable(key)) {
    const message = fileWorkTexts.dots
    throw new S3Failure(400, 'InvalidURI', message)
  }
  const path = key === undefined ? `/${bucket}` : objectPath(bucket, key)
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

/**
 * Sends one S3 request with the session. Returns the reply, whatever its status.
 *
 * @throws S3Failure as s3Path; ApiError without a response or without a session.
 */
export function sendS3({ method, headers, body, priority, signal, ...target }: S3Request) {
  const path = s3Path(target)
  return inSession(async (token) => {
    const reply = await fetch(path, {
      method,
      headers: { ...headers, ...bearer(token) },
      cache: method === 'GET' || method === 'HEAD' ? 'no-store' : cacheOfWrites,
      credentials: 'omit',
      ...(body !== undefined && { body }),
      ...(priority !== undefined && { priority }),
      ...(signal !== undefined && { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw unreachable(error)
    })
    // RFC 6750 section 3.1: distinguishes an expired session from other refusals, such as one of the drive.
    if (reply.headers.get('www-authenticate')?.startsWith('Bearer') === true) {
      throw new ApiError(fileWorkTexts.expired, { status: 401 })
    }
    return reply
  })
}

/** As sendS3. @throws S3Failure also if S3 rejects the request. */
export async function s3Fetch(request: S3Request): Promise<Response> {
  const reply = await sendS3(request)
  if (reply.ok) return reply
  throw readFailure(parseXml(await reply.text()), reply.status)
}

/**
 * Undefined for the empty body of a HEAD, for which a parser would return a styled error document.
 */
function parseXml(text: string): XmlElement | undefined {
  if (text === '') return undefined
  const { documentElement } = new DOMParser().parseFromString(text, 'application/xml')
  return documentElement ?? undefined
}

export async function xmlOf(reply: Response): Promise<XmlElement> {
  const root = parseXml(await reply.text())
  if (root === undefined) throw new ApiError(fileWorkTexts.noXml, { status: reply.status })
  return root
}

/** @throws S3Failure 404 if the object does not exist. */
export async function headObject(
  address: ObjectAddress,
  signal?: AbortSignal,
): Promise<ObjectDetails> {
  const { versionId } = address
  const details = readDetails(
    await headersOf(address, signal, { 'x-amz-checksum-mode': 'ENABLED' }),
  )
  return versionId === undefined ? details : { ...details, versionId }
}

/** The header fields of a HEAD. @throws as headObject */
export async function headersOf(
  address: ObjectAddress,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Headers> {
  const target = targetOf(address)
  const head = { method: 'HEAD', ...target, headers, signal } as const
  const reply = await s3Fetch(head).catch(async (error) => {
    throw (await reasonOf(error, target, signal)) ?? error
  })
  return reply.headers
}

function targetOf({ bucket, key, versionId }: ObjectAddress): S3Target {
  return { bucket, key, ...(versionId !== undefined && { query: { versionId } }) }
}

/** The response to a HEAD has no body, so only a GET says what failed and what to change. */
async function reasonOf(
  error: unknown,
  target: S3Target,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (!(error instanceof S3Failure) || error.status === 404) return undefined
  const headers = { range: 'bytes=0-0' }
  return s3Fetch({ method: 'GET', ...target, headers, signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

/**
 * Reads a part of an object.
 *
 * @param address if it has an ETag, only this version is read.
 */
export async function readBytes(
  address: ObjectAddress & { readonly etag?: string },
  { first, last }: ByteRange,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { etag } = address
  const headers = {
    range: `bytes=${first}-${last}`,
    ...(etag !== undefined && { 'if-match': `"${etag}"` }),
  }
  try {
    const reply = await s3Fetch({ method: 'GET', ...targetOf(address), headers, signal })
    return new Uint8Array(await reply.arrayBuffer())
  } catch (error) {
    if (!(error instanceof S3Failure)) throw error
    // RFC 9110 section 14.1.2: an empty object has no first byte.
    if (error.status === 416) return new Uint8Array(0)
    if (error.status !== 412) throw error
    throw new S3Failure(412, error.code, fileWorkTexts.changed)
  }
}

/** Creates the marker object of a folder. @throws S3Failure 412 if it exists. */
export async function makeFolder(bucket: string, key: string): Promise<void> {
  await makeEmpty(bucket, key, 'application/x-directory')
}

/** Creates an empty text. @throws S3Failure 412 if the key is taken. */
export async function makeText(bucket: string, key: string): Promise<void> {
  await makeEmpty(bucket, key, 'text/plain')
}

/**
 * Writes an object. Returns its ETag.
 *
 * @param condition the ETag that it must have; undefined: it must not exist.
 * @throws S3Failure 412 or 404 if that is not so.
 */
export async function writeObject(
  { bucket, key }: ObjectAddress,
  body: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>>,
  condition: string | undefined,
): Promise<string> {
  const when = condition === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${condition}"` }
  const headers = { ...fields, ...when }
  const reply = await s3Fetch({ method: 'PUT', bucket, key, headers, body })
  return (reply.headers.get('etag') ?? '').replaceAll('"', '')
}

async function makeEmpty(bucket: string, key: string, type: string): Promise<void> {
  const headers = { 'if-none-match': '*', 'content-type': type }
  await s3Fetch({ method: 'PUT', bucket, key, headers, body: '' })
}

/**
 * Copies exactly this version onto itself with new metadata. A version written in the meantime is not replaced.
 * Returns the ETag.
 *
 * @throws S3Failure 412 if the object has changed.
 */
export async function replaceMetadata(
  { bucket, key, etag }: ObjectAddress & { readonly etag: string },
  metadata: Readonly<Record<string, string>>,
): Promise<string> {
  const reply = await s3Fetch({
    ...{ method: 'PUT', bucket, key },
    headers: {
      ...metadata,
      'x-amz-copy-source': objectPath(bucket, key),
      'x-amz-copy-source-if-match': `"${etag}"`,
      'if-match': `"${etag}"`,
    },
  })
  return etagOfCopy(reply)
}

export async function etagOfCopy(reply: Response): Promise<string> {
  const root = await xmlOf(reply)
  // A copy that fails late returns 200 with an error in the body (AWS, "CopyObject").
  if (root.localName !== 'CopyObjectResult') throw readFailure(root, reply.status)
  return (fieldsOf(root).get('ETag') ?? '').replaceAll('"', '')
}

/** Deletes up to 1,000 objects or versions; missing ones count as deleted. */
export async function deleteObjects(
  bucket: string,
  objects: readonly DoomedObject[],
): Promise<readonly DeleteFailure[]> {
  const plain = objects.filter(({ key }) => canStandInXml(key))
  const odd = objects.filter(({ key }) => !canStandInXml(key))
  const failures: DeleteFailure[] = []
  for (const object of odd) failures.push(...(await deleteByPath(bucket, object)))
  if (plain.length === 0) return failures
  const reply = await s3Fetch({
    method: 'POST',
    bucket,
    query: { delete: '' },
    headers: { 'content-type': 'application/xml' },
    body: deleteBody(plain),
  })
  return [...failures, ...readDeleteFailures(await xmlOf(reply))]
}

async function deleteByPath(
  bucket: string,
  { key, etag, versionId }: DoomedObject,
): Promise<readonly DeleteFailure[]> {
  try {
    const headers = etag === undefined ? {} : { 'if-match': `"${etag}"` }
    const query = versionId === undefined ? {} : { versionId }
    await s3Fetch({ method: 'DELETE', bucket, key, query, headers })
    return []
  } catch (error) {
    if (!(error instanceof S3Failure)) throw error
    // 404 also means deleted (docs/contract/object-storage.md, "Deleting an absent object").
    if (error.status === 404) return []
    return [{ key, code: error.code, message: error.message }]
  }
}

/** Aborts a multipart upload. One that has already ended counts as aborted. */
export async function abortUpload(address: ObjectAddress, uploadId: string): Promise<void> {
  const { bucket, key } = address
  try {
    await s3Fetch({ method: 'DELETE', bucket, key, query: { uploadId } })
  } catch (error) {
    if (!(error instanceof S3Failure) || error.status !== 404) throw error
  }
}

/**
 * A presigned URL for elements that load an object themselves: <img>, <video>, a download. Returns only the path and
 * query: PUBLIC_URL may differ from the address of this page.
 */
export async function objectUrl(
  address: ObjectAddress,
  query: Readonly<Record<string, string>> = {},
  expiresSeconds = 300,
): Promise<string> {
  // Keeps failures of this request out of the list of failed client requests. S3 ignores the mark.
  const { query: version, ...target } = targetOf(address)
  const marked = { ...query, ...version, 'x-id': 'Dashboard' }
  const { url } = await presign({ method: 'GET', ...target, query: marked, expiresSeconds })
  return ownPath(url)
}
