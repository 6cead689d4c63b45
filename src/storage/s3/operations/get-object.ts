import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import type { WantedBytes } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { objectBody } from '../body/object-body.ts'
import { parseReadRequest, planRead, type ReadPlan, type ReadRequest } from '../body/read-plan.ts'
import { assertMayReadObject } from '../configuration/private-objects.ts'
import type { ObjectContext } from '../context.ts'
import { resolveRange } from '../headers/range.ts'
import { veeamObject } from '../veeam-objects.ts'
import { notReadable, requireReadable } from '../versions.ts'

/** Maximum attempts to read an object that is overwritten meanwhile. */
const maxReads = 3

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export async function getObject(context: ObjectContext): Promise<HttpReply> {
  const request = parseReadRequest(context)
  for (let read = 1; ; read++) {
    try {
      return await readObject(request)
    } catch (error) {
      // Nothing has been sent, so the current version can be returned instead.
      const isChanged = error instanceof DriveError && error.kind === 'changed'
      if (!isChanged || read === maxReads) throw error
    }
  }
}

/** Conditions whose usual reply has no bytes. */
const oftenUnread = ['if-none-match', 'if-modified-since']
const allBytes: WantedBytes = { start: 0, end: Number.POSITIVE_INFINITY }

/** Returns the bytes that the reply will have, if the request determines them. */
function wantedBytes({ headers }: Pick<HttpRequest, 'headers'>): WantedBytes | undefined {
  const { range } = headers
  if (oftenUnread.some((name) => headers[name] !== undefined)) return
  if (range === undefined) return allBytes
  const [, suffix] = /^bytes=-0*([1-9]\d{0,14})$/i.exec(range) ?? []
  if (suffix !== undefined) return { ...allBytes, start: -Number(suffix) }
  const wanted = resolveRange(range, Number.POSITIVE_INFINITY)
  if (wanted === 'whole') return allBytes
  return wanted === 'unsatisfiable' || wanted.start === wanted.end ? undefined : wanted
}

async function readObject(read: ReadRequest): Promise<HttpReply> {
  const { service, request, bucket, key, identity } = read.context
  // Anyone may read a public bucket, however slowly, and must not block the owner.
  const priority = identity.kind === 'anonymous' ? 'low' : 'normal'
  const opening = service.drive.open(bucket, key, {
    priority,
    acceptsProvisional: true,
    wanted: wantedBytes(request),
    partNumber: read.partNumber,
    versionId: read.context.versionId,
  })
  const opened = opening instanceof Promise ? await opening : opening
  const object = opened ?? (await veeamObject(read.context))
  if (object === undefined) throw await notReadable(read.context)
  if (object.isDeleteMarker) {
    await object.close()
    throw await notReadable(read.context, object)
  }
  let plan: ReadPlan | undefined
  try {
    assertMayReadObject(read.context, object.attributes, 's3:GetObject')
    plan = planRead(read, object)
  } finally {
    // If there is a range, the body closes it.
    if (plan?.range === undefined) await object.close()
  }
  const { status, headers, range } = plan
  if (range === undefined) return { status, headers }
  if (object.content === undefined) {
    return { status, headers, body: await objectBody(object, range, request) }
  }
  // The drive has the bytes in memory, so there is nothing to await or close.
  return { status, headers, body: object.content.subarray(range.start, range.end) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export async function headObject(context: ObjectContext): Promise<HttpReply> {
  const request = parseReadRequest(context)
  const { partNumber } = request
  const metadata = await requireReadable(context, 's3:GetObject', {
    ...{ acceptsProvisional: true, partNumber },
  })
  const { status, headers, range } = planRead(request, metadata)
  if (range !== undefined) headers.push(['Content-Length', String(range.end - range.start)])
  return { status, headers }
}
