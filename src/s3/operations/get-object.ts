import { DriveError } from '../../drives/drive.ts'
import type { HttpReply } from '../../http/message.ts'
import { objectBody } from '../body/object-body.ts'
import { type ReadPlan, type ReadPlanner, readPlanner } from '../body/read-plan.ts'
import type { ObjectContext } from '../context.ts'
import { noSuchKey } from '../errors.ts'

/** How often a read is retried when the object is overwritten meanwhile. */
const maxReads = 3

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export async function getObject(context: ObjectContext): Promise<HttpReply> {
  const planRead = readPlanner(context)
  for (let read = 1; ; read++) {
    try {
      return await readObject(context, planRead)
    } catch (error) {
      // Nothing has been sent yet, so the current version can be returned instead.
      const isChanged = error instanceof DriveError && error.kind === 'changed'
      if (!isChanged || read === maxReads) throw error
    }
  }
}

/** Headers with which a reply may have less than all bytes. */
const partlyRead = [
  'range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]

async function readObject(context: ObjectContext, planRead: ReadPlanner): Promise<HttpReply> {
  const { service, request, bucket, key, identity } = context
  // Anyone may read a public bucket, however slowly: that must not block the owner.
  const priority = identity.kind === 'anonymous' ? 'low' : 'normal'
  const isWhole = !partlyRead.some((name) => request.headers[name] !== undefined)
  const opening = service.drive.open(bucket, key, {
    priority,
    acceptsProvisional: true,
    isWhole,
    partNumber: planRead.partNumber,
  })
  const object = opening instanceof Promise ? await opening : opening
  if (object === undefined) throw noSuchKey(key)
  let plan: ReadPlan | undefined
  try {
    plan = planRead(object)
  } finally {
    // Otherwise the body closes it.
    if (plan?.range === undefined) await object.close()
  }
  const { status, headers, range } = plan
  if (range === undefined) return { status, headers }
  if (object.content === undefined) {
    return { status, headers, body: await objectBody(object, range, request) }
  }
  // Nothing to await or to close: the drive has the bytes in memory.
  return { status, headers, body: object.content.subarray(range.start, range.end) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export async function headObject(context: ObjectContext): Promise<HttpReply> {
  const { service, bucket, key } = context
  const planRead = readPlanner(context)
  const metadata = await service.drive.head(bucket, key, {
    acceptsProvisional: true,
    partNumber: planRead.partNumber,
  })
  if (metadata === undefined) throw noSuchKey(key)
  const { status, headers, range } = planRead(metadata)
  if (range !== undefined) headers.push(['Content-Length', String(range.end - range.start)])
  return { status, headers }
}
