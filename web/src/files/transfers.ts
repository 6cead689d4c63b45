import { sessionStore } from '../session/session-store.ts'
import { DriveChanges } from './drive-changes.ts'
import { JobList } from './job-list.ts'
import { lazyTransport } from './lazy-transport.ts'
import { UploadQueue } from './upload-queue.ts'

/** What goes on while people browse: it belongs to the page, not to what is shown of it. */

export const driveChanges = new DriveChanges()

export const jobs = new JobList()

export const uploads = new UploadQueue({
  transport: lazyTransport(async () => (await import('./uppy-upload.ts')).uppyTransport),
  clock: {
    now: () => performance.now(),
    after: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
  },
})

uploads.onUploaded(({ bucket, key, file }) => {
  driveChanges.tell({
    type: 'added',
    bucket,
    file: { key, size: file.size, modifiedAtMs: Date.now(), etag: '' },
  })
})

sessionStore.subscribe(() => {
  if (sessionStore.status === 'active') uploads.unblock()
  if (sessionStore.status !== 'none') return
  // Signed out: nothing more is done in that person's name.
  uploads.cancelAll()
  jobs.cancelAll()
})

/** Whether leaving the page would lose something. */
export function isTransferring(): boolean {
  const { waiting, running, paused, retrying } = uploads.snapshot().totals.counts
  const isUploading = waiting + running + paused + retrying > 0
  return isUploading || jobs.snapshot().some(({ state }) => state === 'running')
}

addEventListener('beforeunload', (event) => {
  if (isTransferring()) event.preventDefault()
})
