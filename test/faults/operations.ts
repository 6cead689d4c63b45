import { isSuccess, type S3Answer, type S3Call, type S3Caller } from './s3-caller.ts'
import { headersOf, partsOf, type Version, versionInParts, wholeVersion } from './version.ts'

/** An operation of a client on a key, and the possible contents before and after. */
export interface Operation {
  readonly name: string
  readonly before: Version | undefined
  readonly after: Version | undefined
  /** Whether the key's folder comes with it. */
  readonly isInNewFolder?: boolean
  /** Creates other objects that it needs. */
  prepare?(s3: S3Caller): Promise<void>
  /** Whether it was acknowledged. */
  run(s3: S3Caller, key: string): Promise<boolean>
}

const old = wholeVersion('old')
const fresh = wholeVersion('new')
const few = wholeVersion('few', 17)
const none = wholeVersion('none', 0)
/** Larger than any drive sends in one request with the metadata. */
const many = wholeVersion('many', 4_500_001)

function put(name: string, before: Version | undefined, after: Version): Operation {
  const run = async (s3: S3Caller, key: string) => isSuccess(await s3.send(putCall(key, after)))
  return { name, before, after, run }
}

export function putCall(key: string, version: Version): S3Call {
  return { method: 'PUT', key, body: version.bytes, headers: headersOf(version) }
}

const remove: Operation = {
  name: 'DeleteObject',
  before: old,
  after: undefined,
  async run(s3, key) {
    const answer = await s3.send({ method: 'DELETE', key })
    // A repeated DELETE finds nothing if the first reply was lost.
    return isSuccess(answer) || answer.status === 404
  },
}

const copy: Operation = {
  name: 'CopyObject over an object',
  before: old,
  after: fresh,
  async prepare(s3) {
    const answer = await s3.send({ method: 'HEAD', key: copySource })
    if (answer.status === 404) await s3.sendUntil(isSuccess, putCall(copySource, fresh))
  },
  async run(s3, key) {
    const headers = { 'x-amz-copy-source': `/${s3.bucket}/${copySource}` }
    return isSuccess(await s3.send({ method: 'PUT', key, headers }))
  },
}

/** In a separate folder, so that other users' changes do not affect other cases. */
const copySource = 'source/k'

/** Each call is repeated as a client would; the outcome is checked at the end. */
function multipart(name: string, before: Version | undefined, after: Version): Operation {
  return {
    name,
    before,
    after,
    async run(s3, key) {
      const call = await uploadParts(s3, key, after)
      return call !== undefined && hasCompleted(await s3.sendUntil(hasCompleted, call))
    },
  }
}

/** Starts an upload and sends all parts. Returns the call that completes it, or undefined. */
export async function uploadParts(
  s3: S3Caller,
  key: string,
  version: Version,
): Promise<S3Call | undefined> {
  const headers = headersOf(version)
  const begin = { method: 'POST', key, query: 'uploads', headers }
  const begun = await s3.sendUntil(isSuccess, begin)
  const uploadId = /<UploadId>([^<]+)</.exec(begun.body.toString())?.[1]
  if (uploadId === undefined) return undefined
  const etags = await sendParts(s3, { key, uploadId, version })
  if (etags === undefined) return undefined
  return { method: 'POST', key, query: `uploadId=${uploadId}`, body: completionOf(etags) }
}

interface PartsToSend {
  readonly key: string
  readonly uploadId: string
  readonly version: Version
}

/** ETags of the parts; undefined if one could not be sent. */
async function sendParts(s3: S3Caller, { key, uploadId, version }: PartsToSend) {
  const etags: string[] = []
  for (const [index, body] of partsOf(version).entries()) {
    const query = `partNumber=${index + 1}&uploadId=${uploadId}`
    const answer = await s3.sendUntil(isSuccess, { method: 'PUT', key, query, body })
    if (!isSuccess(answer)) return undefined
    etags.push(answer.headers.get('etag') ?? '')
  }
  return etags
}

function completionOf(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}

/** CompleteMultipartUpload may return 200 and then an error (AWS, "CompleteMultipartUpload"). */
export function hasCompleted(answer: S3Answer): boolean {
  return isSuccess(answer) && !answer.body.includes('<Error>')
}

const puts = {
  inNewFolder: { ...put('PutObject in a new folder', undefined, fresh), isInNewFolder: true },
  over: put('PutObject over an object', old, fresh),
  small: put('PutObject of a few bytes', undefined, few),
  smallOver: put('PutObject of a few bytes over an object', old, few),
  empty: put('PutObject of no bytes over an object', old, none),
  large: put('PutObject of many bytes', undefined, many),
  largeOver: put('PutObject of many bytes over an object', old, many),
} as const

/** For drives that write all objects in the same way. */
export function fewOperations(partSizes: readonly number[]): readonly Operation[] {
  return [puts.inNewFolder, puts.over, remove, copy, uploadOver(partSizes)]
}

export function uploadOver(partSizes: readonly number[]): Operation {
  const parts = versionInParts('parts', partSizes)
  return multipart('An upload in parts over an object', old, parts)
}

/** For drives that write small objects differently. */
export function smallOperations(partSizes: readonly number[]): readonly Operation[] {
  const upload = multipart('An upload in parts', undefined, versionInParts('parts', partSizes))
  const { small, smallOver, empty } = puts
  return [...fewOperations(partSizes), upload, small, smallOver, empty]
}

/** For drives that write large objects differently. */
export const largeOperations: readonly Operation[] = [puts.large, puts.largeOver]
