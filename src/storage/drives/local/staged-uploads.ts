import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { StagedUploads } from '../kit/uploads/staged-uploads.ts'
import { type LocalDriveOptions, openLocalDrive } from './local-drive.ts'
import type { FileRecords } from './objects/file-record-table.ts'
import { dataName } from './uploads/local-uploads.ts'

/** The bucket of completed uploads. */
const bucket = 'spool'

/** A completed upload is sent to another drive and deleted: nothing is recorded about it. */
const noRecords: FileRecords = {
  find: async () => undefined,
  findMany: async () => new Map(),
  findByPaths: async () => new Map(),
  save: async () => undefined,
  saved: () => undefined,
  flush: async () => undefined,
  saveFolders: async () => undefined,
  moved: async () => undefined,
  forget: () => undefined,
  isOwnFolder: async () => false,
  forgetFolder: () => undefined,
}

/** Opens the staging directory, and creates it if it is missing. */
export async function openStagedUploads(
  folder: string,
  log: LocalDriveOptions['log'],
): Promise<StagedUploads> {
  const drive = await openLocalDrive({ root: folder, records: noRecords, log })
  await drive.prepare([bucket])
  const completed = (uploadId: string) => join(folder, bucket, uploadId)
  return {
    drive,
    bucket,
    async isCompleted(uploadId) {
      return (await lstat(completed(uploadId)).catch(() => undefined)) !== undefined
    },
    async reopen(uploadId) {
      const data = join(folder, '.bucketry', 'uploads', uploadId, dataName)
      await rename(completed(uploadId), data)
    },
  }
}
