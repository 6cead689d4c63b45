import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drive } from '../drive.ts'
import { type LocalDriveOptions, openLocalDrive } from './local-drive.ts'
import type { FileRecords } from './objects/file-records.ts'
import { dataName } from './uploads/local-uploads.ts'

/** The bucket of completed uploads. */
const bucket = 'spool'

/** A completed upload is sent to another drive and deleted: nothing is recorded about it. */
const noRecords: FileRecords = {
  find: async () => undefined,
  findMany: async () => new Map(),
  findByPaths: async () => new Map(),
  save: async () => undefined,
  forget: () => undefined,
  isOwnFolder: async () => false,
  forgetFolder: () => undefined,
}

/** A local drive that collects uploads for another drive. */
export interface StagedUploads {
  readonly drive: Drive
  /** Completed uploads are objects of this bucket; the key is the upload ID. */
  readonly bucket: string
  isCompleted(uploadId: string): Promise<boolean>
  /** Makes a completed upload open again, so that parts can be appended to it. */
  reopen(uploadId: string): Promise<void>
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
