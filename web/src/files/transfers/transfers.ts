import { fileTimeText } from '../../../../src/platform/text/file-time.ts'
import { connection } from '../../connection/connection.ts'
import { sessionStore } from '../../session/session-store.ts'
import { guardSignOut } from '../../session/sign-out-guard.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { showFailure } from '../../ui/messages.ts'
import { ClashQuestions, shownClash } from '../change/clash-questions.ts'
import { visibleName } from '../entries/visible-name.ts'
import { listPage } from '../listing/open-folder.ts'
import { lazyTransport } from '../upload/lazy-transport.ts'
import { Leftovers } from '../upload/leftovers.ts'
import { prepareUploads } from '../upload/prepare-uploads.ts'
import { UploadIntake } from '../upload/upload-intake.ts'
import { UploadQueue } from '../upload/upload-queue.ts'
import { unfinished } from '../upload/upload-totals.ts'
import { DriveChanges } from './drive-changes.ts'
import { JobList } from './job-list.ts'

/** Background transfers. They belong to the page, not to a component. */

export const driveChanges = new DriveChanges()

export const jobs = new JobList()

export const clashQuestions = new ClashQuestions()

export const leftovers = new Leftovers()

export const uploads = new UploadQueue({
  transport: lazyTransport(async () => {
    const { createTransport } = await import('../upload/transport.ts')
    return createTransport(leftovers)
  }),
  clock: {
    now: () => performance.now(),
    after: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
  },
  onUploaded: ({ bucket, key, file }) =>
    driveChanges.publish({
      type: 'added',
      bucket,
      file: {
        ...{ key, size: file.size, modifiedAtMs: Date.now(), etag: '' },
        ...(fileTimeText(file.lastModified) !== undefined && { fileTimeMs: file.lastModified }),
      },
    }),
})

export const intake = new UploadIntake({
  prepare: async (items, { bucket, prefix }, signal) => {
    const prepared = await prepareUploads(
      items,
      { bucket, prefix },
      {
        ask: (clashes) =>
          clashQuestions.ask(
            clashes.map(({ key, there, file: { size, lastModified: modifiedAtMs } }) =>
              shownClash(key, there, fileWorkTexts.new, { size, modifiedAtMs }),
            ),
            signal,
          ),
        underWay: uploads.underWay(bucket),
        listKeysAfter: async (after) => {
          const query = { bucket, prefix, isDeep: true, after, signal }
          const { keys, entries, continuationToken } = await listPage(query)
          return { keys, entries, isLast: continuationToken === undefined }
        },
      },
    )
    // With 10,000 files, preparing and queueing without a break would be one long task.
    await new Promise((resolve) => setTimeout(resolve))
    return prepared
  },
  enqueue: (orders) => {
    // A new batch has a progress of its own.
    if (unfinished(uploads.snapshot().totals) === 0) uploads.clearDone()
    uploads.add(orders)
  },
  onTooLong: (keys) =>
    showFailure(
      fileWorkTexts.notUploaded(keys.length),
      fileWorkTexts.tooLong(visibleName(keys[0] ?? '')),
    ),
  onFailure: (error) =>
    showFailure(fileWorkTexts.nothing, error instanceof Error ? error.message : String(error)),
})

sessionStore.subscribe(() => {
  if (sessionStore.status !== 'none') return
  // Signed out: stop all work of that session.
  intake.cancel()
  uploads.cancelAll()
  uploads.clearDone()
  jobs.forgetAll()
  leftovers.forgetAll().catch(() => undefined)
})

connection.subscribe(() => {
  if (connection.snapshot() === 'connected') uploads.reconnect()
})

// Without IndexedDB, nothing is remembered.
leftovers.load().catch(() => undefined)

guardSignOut(isTransferring)

/** Whether leaving the page would interrupt transfers. */
export function isTransferring(): boolean {
  const isUploading = unfinished(uploads.snapshot().totals) > 0
  const isWorking = jobs
    .snapshot()
    .some(({ state, isOnServer }) => state === 'running' && !isOnServer)
  return isUploading || isWorking
}

addEventListener('beforeunload', (event) => {
  if (isTransferring()) event.preventDefault()
})
