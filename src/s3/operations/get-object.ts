import { DriveError, type OpenObject } from '../../drives/drive.ts'
import type { HttpReply } from '../../http/message.ts'
import { objectBody } from '../body/object-body.ts'
import { parseReadRequest, planRead, type ReadPlan, type ReadRequest } from '../body/read-plan.ts'
import type { ObjectContext } from '../context.ts'
import { noSuchKey } from '../errors.ts'

/** How often a read is retried when the object is overwritten meanwhile. */
const maxReads = 3

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export async function getObject(context: ObjectContext): Promise<HttpReply> {
  const readRequest = parseReadRequest(context)
  for (let read = 1; ; read++) {
    try {
      return await readObject(context, readRequest)
    } catch (error) {
      // Nothing has been sent yet, so the current version can be returned instead.
      const isChanged = error instanceof DriveError && error.kind === 'changed'
      if (!isChanged || read === maxReads) throw error
    }
  }
}

async function readObject(context: ObjectContext, readRequest: ReadRequest): Promise<HttpReply> {
  const { service, request, bucket, key, identity } = context
  // Anyone may read a public bucket, however slowly: that must not block the owner.
  const priority = identity.kind === 'anonymous' ? 'low' : 'normal'
  const opening = service.drive.open(bucket, key, { priority, acceptsProvisional: true })
  const object = opening instanceof Promise ? await opening : opening
  if (object === undefined) throw noSuchKey(key)
  if (object.content !== undefined) return wholeReply(planRead(readRequest, object), object.content)
  const { status, headers, range } = await planOrClose(readRequest, object)
  if (range === undefined) {
    await object.close()
    return { status, headers }
  }
  return { status, headers, body: await objectBody(object, range, request) }
}

/** The reply for an object whose bytes are in memory: nothing to await or to close. */
function wholeReply({ status, headers, range }: ReadPlan, content: Uint8Array): HttpReply {
  if (range === undefined) return { status, headers }
  return { status, headers, body: content.subarray(range.start, range.end) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export async function headObject(context: ObjectContext): Promise<HttpReply> {
  const { service, bucket, key } = context
  const readRequest = parseReadRequest(context)
  const metadata = await service.drive.head(bucket, key, { acceptsProvisional: true })
  if (metadata === undefined) throw noSuchKey(key)
  const { status, headers, range } = planRead(readRequest, metadata)
  if (range !== undefined) headers.push(['Content-Length', String(range.end - range.start)])
  return { status, headers }
}

async function planOrClose(readRequest: ReadRequest, object: OpenObject): Promise<ReadPlan> {
  try {
    return planRead(readRequest, object)
  } catch (error) {
    await object.close()
    throw error
  }
}
