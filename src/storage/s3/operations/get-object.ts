import type { HttpReply, HttpRequest, PendingReply } from '../../../platform/http/message.ts'
import type { Drive, ObjectMetadata, OpenObject, WantedBytes } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { objectBody } from '../body/object-body.ts'
import { parseReadRequest, planRead, type ReadPlan, type ReadRequest } from '../body/read-plan.ts'
import { assertMayReadObject } from '../configuration/private-objects.ts'
import type { ObjectContext } from '../context.ts'
import { resolveRange } from '../headers/range.ts'
import { veeamObject } from '../veeam-objects.ts'
import { notReadable, requireFound } from '../versions.ts'

/** Maximum attempts to read an object that is overwritten meanwhile. */
const maxReads = 3

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export function getObject(context: ObjectContext): PendingReply {
  const request = parseReadRequest(context)
  const opening = open(request)
  const ready = opening instanceof Promise ? undefined : replyFromMemory(request, opening)
  return ready ?? readObject(request, opening)
}

/** The reply with an object whose bytes the drive has in memory. Nothing has to be awaited or closed. */
function replyFromMemory(read: ReadRequest, object: OpenObject): HttpReply | undefined {
  if (object.content === undefined || object.isDeleteMarker) return undefined
  assertMayReadObject(read.context, object.attributes, 's3:GetObject')
  const { status, headers, range } = planRead(read, object)
  return { status, headers, body: range && object.content.subarray(range.start, range.end) }
}

async function readObject(
  request: ReadRequest,
  opening: ReturnType<typeof open>,
): Promise<HttpReply> {
  for (let read = 1; ; read++) {
    try {
      return await readOnce(request, await (read === 1 ? opening : open(request)))
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

function open({ context, partNumber }: ReadRequest): ReturnType<Drive['open']> {
  const { service, request, bucket, key, identity, versionId } = context
  return service.drive.open(bucket, key, {
    // Anyone may read a public bucket, however slowly, and must not block the owner.
    priority: identity.kind === 'anonymous' ? 'low' : 'normal',
    acceptsProvisional: true,
    wanted: wantedBytes(request),
    partNumber,
    versionId,
  })
}

async function readOnce(read: ReadRequest, opened: OpenObject | undefined): Promise<HttpReply> {
  const object = opened ?? (await veeamObject(read.context))
  if (object === undefined) throw await notReadable(read.context)
  if (object.isDeleteMarker) {
    await object.close()
    throw await notReadable(read.context, object)
  }
  const ready = replyFromMemory(read, object)
  if (ready !== undefined) return ready
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
  return { status, headers, body: await objectBody(object, range, read.context.request) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export function headObject(context: ObjectContext): PendingReply {
  const request = parseReadRequest(context)
  const { service, bucket, key, versionId } = context
  const { partNumber } = request
  const finding = service.drive.head(bucket, key, {
    acceptsProvisional: true,
    partNumber,
    versionId,
  })
  const isReady = !(finding instanceof Promise) && !finding.isDeleteMarker
  return isReady ? headReply(request, finding) : findForHead(request, finding)
}

async function findForHead(
  request: ReadRequest,
  finding: ReturnType<Drive['head']>,
): Promise<HttpReply> {
  return headReply(request, await requireFound(request.context, await finding))
}

function headReply(request: ReadRequest, metadata: ObjectMetadata): HttpReply {
  assertMayReadObject(request.context, metadata.attributes, 's3:GetObject')
  const { status, headers, range } = planRead(request, metadata)
  if (range !== undefined) headers.push(['Content-Length', String(range.end - range.start)])
  return { status, headers }
}
