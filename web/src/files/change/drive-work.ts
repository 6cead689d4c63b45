import type {
  DeletionBody,
  DeletionReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { keyBefore } from '../../../../src/platform/text/key-order.ts'
import { request } from '../../api/client.ts'
import { formatAmount } from '../../format/bytes.ts'
import { type Entry, type FileEntry, nameOf, parentOf } from '../entries/entry.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { listPage } from '../listing/open-folder.ts'
import { deleteObjects } from '../s3/bucket-client.ts'
import { maxDeletions } from '../s3/delete-xml.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { type Deletions, deleteTree } from './delete-tree.ts'
import { type TreeSize, treeSize } from './tree-size.ts'

/** Jobs that change the drive. */

export function sizeOfTree(bucket: string, prefix: string, signal: AbortSignal): Promise<TreeSize> {
  return treeSize((after) => listPage({ bucket, prefix, isDeep: true, after, signal }))
}

/** Whether any object exists below a prefix. */
export async function hasAnything(bucket: string, prefix: string): Promise<boolean> {
  const page = await listPage({ bucket, prefix, isDeep: true, limit: 1 })
  return page.keys.length > 0
}

/** Returns what remains and why. Objects added in the meantime remain, with their folders. */
export async function removeEmptyFolders(
  bucket: string,
  prefix: string,
): Promise<string | undefined> {
  const { leftOver } = await deleteTree({
    deletions: deletionsOf({ bucket, prefix, onlyEmptyFolders: true }),
    report: { signal: new AbortController().signal, progress: () => undefined },
    pause: untilNextAsk,
  })
  return leftOver
}

/** Whether a folder exists, empty or not. */
export async function isListed(bucket: string, folder: string): Promise<boolean> {
  const prefix = parentOf(folder)
  const filter = nameOf(folder)
  const query = { bucket, prefix, filter, isDeep: false, after: keyBefore(folder), limit: 1 }
  const { entries } = await listPage(query)
  return entries.some(({ key }) => key === folder)
}

/** The object with this key; undefined if it does not exist. */
export async function findFile({ bucket, key }: ObjectAddress): Promise<FileEntry | undefined> {
  const prefix = parentOf(key)
  const filter = key.slice(prefix.length)
  const { entries } = await listPage({ bucket, prefix, filter, isDeep: true, limit: 1 })
  return entries.find((entry): entry is FileEntry => entry.kind === 'file' && entry.key === key)
}

/** Deletes files, then trees. @param onBegun called with the time at which the deletion of a tree began */
export function deletionJob(
  title: string,
  bucket: string,
  entries: readonly Entry[],
  onBegun?: OnBegun,
): JobOrder {
  return { title, work: (report) => deleteAll(bucket, entries, report, onBegun) }
}

type OnBegun = (startedAt: string) => void

async function deleteAll(
  bucket: string,
  entries: readonly Entry[],
  report: JobReport,
  onBegun?: OnBegun,
): Promise<string> {
  let deleted = await deleteFiles(bucket, entries, report)
  for (const { kind, key } of entries) {
    if (kind === 'file' || report.signal.aborted) continue
    const before = deleted
    const tree = await deleteTree({
      deletions: deletionsOf({ bucket, prefix: key }, onBegun),
      report: {
        signal: report.signal,
        progress: (done) => report.progress(before + done, undefined),
      },
      pause: untilNextAsk,
    })
    deleted += tree.deleted
    if (tree.leftOver !== undefined) report.problem(tree.leftOver)
    else if (!report.signal.aborted) {
      driveChanges.publish({ type: 'removed', bucket, keys: new Set([key]) })
    }
  }
  const count = `${formatAmount(deleted, 'object')} deleted.`
  return report.signal.aborted ? `Stopped. ${count} The remaining objects were not deleted.` : count
}

async function deleteFiles(
  bucket: string,
  entries: readonly Entry[],
  report: JobReport,
): Promise<number> {
  const keys = entries.filter(({ kind }) => kind === 'file').map(({ key }) => key)
  const total = keys.length === entries.length ? keys.length : undefined
  let deleted = 0
  for (let start = 0; start < keys.length && !report.signal.aborted; start += maxDeletions) {
    const batch = keys.slice(start, start + maxDeletions)
    const doomed = batch.map((key) => ({ key }))
    const failures = await deleteObjects(bucket, doomed)
    const failed = new Set(failures.map(({ key }) => key))
    for (const { key, message } of failures) report.problem(`${visibleName(key)}: ${message}`)
    const gone = new Set(batch.filter((key) => !failed.has(key)))
    driveChanges.publish({ type: 'removed', bucket, keys: gone })
    deleted += gone.size
    report.progress(deleted, total)
  }
  return deleted
}

const deletionsPath = '/-/api/deletions'

/** Deletes one tree through the management API. */
function deletionsOf(body: DeletionBody, onBegun?: OnBegun): Deletions {
  return deletionsFrom(async () => {
    const begun = await ask(deletionsPath, 'POST', body)
    onBegun?.(begun.startedAt)
    return begun
  })
}

/** Follows the work that a request starts. */
export function deletionsFrom(start: Deletions['start']): Deletions {
  return {
    start,
    find: (id) => ask(`${deletionsPath}/${id}`, 'GET'),
    cancel: (id) => ask(`${deletionsPath}/${id}`, 'DELETE'),
  }
}

function ask(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  body?: DeletionBody,
): Promise<DeletionReply> {
  return request<DeletionReply>(url, { method, body })
}

/** The polling interval. */
const askEveryMs = 400

/** Waits for the next poll, or until the signal aborts. */
export function untilNextAsk(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, askEveryMs)
  const cutShort = () => {
    clearTimeout(timer)
    resolve()
  }
  signal?.addEventListener('abort', cutShort, { once: true })
  return promise
}
