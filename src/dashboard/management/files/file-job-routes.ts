import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { type Route, route } from '../../../platform/json-api/route.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import { isLegalKey } from '../../../storage/drives/kit/names/key-path.ts'
import { findClashes, freePath } from '../../../storage/jobs/files/clashes.ts'
import { fileJobLimits } from '../../../storage/jobs/files/file-jobs.ts'
import { type FileJob, type FileOrder, isFolder } from '../../../storage/jobs/files/file-order.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket, driveUnavailable, timeOf } from '../route-checks.ts'
import {
  clashesBody,
  clashesReply,
  type FileJobBody,
  type FileJobReply,
  fileJobBody,
  fileJobReply,
  fileJobsReply,
} from './file-job-schemas.ts'

/** For 100,000 keys of usual length. Also the limit of all new paths, which are stored with the job. */
const bodyLimit = 16 * 1024 * 1024

const idParams = z.object({ id: z.string() })

type Parts = Pick<ManagementApiParts, 'buckets' | 'drive' | 'fileJobs' | 'placeOf'>

/** Work on files and folders, which the server does. */
export function fileJobRoutes(parts: Parts): readonly Route[] {
  return [...startingRoutes(parts), ...shownRoutes(parts)]
}

function startingRoutes(parts: Parts): readonly Route[] {
  const start = route({
    method: 'POST',
    path: '/file-jobs',
    operationId: 'startFileJob',
    summary: 'Moves, copies, deletes or restores objects and folders',
    description:
      'The job runs in the background, and another process continues it if its own ends. A repeated request returns the ' +
      'running job. `again` starts an ended job again, `undo` one that undoes it.',
    body: fileJobBody,
    bodyLimit,
    status: 202,
    reply: fileJobReply,
    async answer({ body, request: { signal }, logFields }) {
      const job = await begin(parts, body, signal)
      const { action, bucket, paths } = job
      Object.assign(logFields, { action, bucket, key: paths[0] ?? '' })
      return replyOf(job)
    },
  })
  const clashes = route({
    method: 'POST',
    path: '/file-jobs/clashes',
    operationId: 'findClashes',
    summary: 'Finds the names that a move or a copy would find taken',
    description: 'Changes nothing.',
    body: clashesBody,
    bodyLimit,
    reply: clashesReply,
    async answer({ body, request: { signal } }) {
      const order = await orderOf(parts, body, signal)
      const { clashes, isMore } = await onDrive(() => findClashes(parts.drive, order, signal))
      const figures = ({ size, modifiedAtMs }: { size: number; modifiedAtMs: number }) => {
        return { bytes: size, modifiedAt: timeOf(modifiedAtMs) }
      }
      const shown = clashes.map(({ key, etag, file, there }) => {
        return { key, etag, file: figures(file), there: figures(there) }
      })
      return { clashes: shown, isMore }
    },
  })
  return [start, clashes]
}

function shownRoutes({ fileJobs }: Parts): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/file-jobs',
    operationId: 'getFileJobs',
    summary: 'Lists running jobs and those that ended in the last day, newest first',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(fileJobLimits.ended).default(20),
    }),
    reply: fileJobsReply,
    answer: async ({ query: { limit } }) => ({ jobs: (await fileJobs.list(limit)).map(replyOf) }),
  })
  const get = route({
    method: 'GET',
    path: '/file-jobs/{id}',
    operationId: 'getFileJob',
    summary: 'Returns the progress of a job',
    params: idParams,
    reply: fileJobReply,
    answer: async ({ params: { id } }) => replyOf(found(await fileJobs.find(id))),
  })
  const stop = route({
    method: 'DELETE',
    path: '/file-jobs/{id}',
    operationId: 'stopFileJob',
    summary: 'Stops a job',
    description:
      'What is done stays done. The response may still say `running`: another worker then stops the job within a ' +
      'second or two. A job that has ended does not change.',
    params: idParams,
    reply: fileJobReply,
    answer: async ({ params: { id } }) => replyOf(found(await fileJobs.stop(id))),
  })
  return [list, get, stop]
}

async function begin(
  parts: Parts,
  body: z.output<typeof fileJobBody>,
  signal: AbortSignal,
): Promise<FileJob> {
  const { fileJobs } = parts
  const started =
    'id' in body
      ? await fileJobs.follow(body.id, body.action)
      : await fileJobs.start(await orderOf(parts, body, signal))
  if (started === 'unknown') {
    throw new ApiError(409, 'This job cannot be repeated or undone: it runs, or is not known.')
  }
  if (started !== undefined) return started
  const { running } = fileJobLimits
  throw new ApiError(409, `At most ${running} jobs can run at once. Wait for one, or stop one.`)
}

type Ordered = Exclude<z.output<typeof fileJobBody>, { readonly id: string }>

/** @throws ApiError 400 or 409 */
async function orderOf(parts: Parts, body: Ordered, signal: AbortSignal): Promise<FileOrder> {
  const { bucket, paths, action } = body
  assertBucket(parts.buckets, bucket)
  // Everything in a bucket is too much for a mistake. What is in the trash or deleted is gone already.
  const isAllowed = (path: string) => isLegalKey(path) || (path === '' && mayBeAll.has(action))
  if (!paths.every(isAllowed)) {
    throw new ApiError(400, 'Expected keys of 1 to 1,024 bytes of UTF-8.', { field: 'paths' })
  }
  if (action !== 'copy') assertWritable(parts, bucket)
  if (action === 'trash') assertTrash(parts, bucket)
  if ('to' in body) {
    const { to, answers, taken } = body
    return {
      ...{ action, bucket, paths, taken },
      to: { bucket: to.bucket, paths: await placesOf(parts, body, signal) },
      answers: answers?.map(({ key, answer, etag }) => [key, answer, etag] as const),
    }
  }
  if (!('since' in body)) return body
  const { since, ...rest } = body
  return { ...rest, sinceMs: since === undefined ? undefined : Date.parse(since) }
}

const mayBeAll: ReadonlySet<FileJobBody['action']> = new Set([
  ...(['restore', 'empty', 'undelete', 'erase'] as const),
])

/** The new paths. @throws ApiError 400 */
async function placesOf(
  { buckets, drive, placeOf }: Parts,
  { action, bucket, paths, to, taken }: z.output<typeof clashesBody> & Pick<FileOrder, 'taken'>,
  signal: AbortSignal,
): Promise<string[]> {
  assertBucket(buckets, to.bucket)
  assertWritable({ placeOf }, to.bucket)
  if (to.name !== undefined && paths.length > 1) {
    throw new ApiError(400, 'Only a single path can get a name.', { field: 'to.name' })
  }
  const places: string[] = []
  const reserved = new Set<string>()
  let characters = 0
  for (const path of paths) {
    signal.throwIfAborted()
    const place = to.prefix + (to.name ?? nameOf(path)) + (isFolder(path) ? '/' : '')
    const isSame = to.bucket === bucket && place === path
    const free = isSame && action === 'copy' ? await freeFor(drive, bucket, path, reserved) : place
    if (taken === 'replace' && reserved.has(free)) {
      const message = 'Two of the paths would get the same new path. Start a job for each.'
      throw new ApiError(400, message, { field: 'paths' })
    }
    assertPlace({ path, place: free, isSameBucket: to.bucket === bucket })
    reserved.add(free)
    places.push(free)
    characters += free.length
    if (characters > bodyLimit) {
      const message = 'The new paths are longer than 16 MiB in total. Choose fewer paths.'
      throw new ApiError(400, message, { field: 'to' })
    }
  }
  return places
}

async function freeFor(
  drive: Parts['drive'],
  bucket: string,
  path: string,
  reserved: ReadonlySet<string>,
): Promise<string> {
  const free = await onDrive(() => freePath(drive, bucket, path, reserved))
  if (free !== undefined) return free
  const message = 'There are too many copies of this name. Rename some.'
  throw new ApiError(409, message)
}

interface Placing {
  readonly path: string
  readonly place: string
  readonly isSameBucket: boolean
}

/** @throws ApiError 400 */
function assertPlace({ path, place, isSameBucket }: Placing): void {
  const refuse = (message: string): never => {
    throw new ApiError(400, message, { field: 'to' })
  }
  if (!isLegalKey(place)) refuse('The resulting path would be longer than 1,024 bytes.')
  if (isSameBucket && place === path) refuse('It is in this folder already.')
  // The listing would include the objects that were just copied.
  const isInside = isSameBucket && isFolder(path) && place.startsWith(path)
  if (isInside) refuse('A folder cannot be moved or copied into itself.')
}

function nameOf(path: string): string {
  return path.replace(/\/$/, '').replace(/^.*\//s, '')
}

/** @throws ApiError 409 if the bucket is read-only */
function assertWritable({ placeOf }: Pick<Parts, 'placeOf'>, bucket: string): void {
  if (!placeOf(bucket).isReadOnly) return
  throw new ApiError(409, `The bucket ${bucket} is read-only (READ_ONLY).`)
}

/** @throws ApiError 409 if what is deleted from the bucket cannot be restored */
function assertTrash({ fileJobs }: Parts, bucket: string): void {
  if (fileJobs.keepsDeleted(bucket)) return
  const message =
    'This bucket has no trash: TRASH_DAYS is 0, or its drive has its own trash or none.'
  throw new ApiError(409, message)
}

async function onDrive<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DriveError ? driveUnavailable(error) : error
  }
}

function found(job: FileJob | undefined): FileJob {
  if (job !== undefined) return job
  throw new ApiError(404, 'The job does not exist. Jobs that have ended are forgotten after a day.')
}

function replyOf(job: FileJob): FileJobReply {
  const { to, total, trashId, undoes, state, startedAtMs, endedAtMs, message, ...rest } = job
  return {
    ...rest,
    paths: [...rest.paths],
    to: to === undefined ? null : { bucket: to.bucket, paths: [...to.paths] },
    ...{ total: total ?? null, trashId: trashId ?? null, undoes: undoes ?? null },
    state: state === 'interrupted' ? 'failed' : state,
    startedAt: timeOf(startedAtMs),
    endedAt: endedAtMs === 0 ? null : timeOf(endedAtMs),
    message: message === '' ? null : message,
  }
}
