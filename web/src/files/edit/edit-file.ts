import { fileEditTexts } from '../../texts/file-edit.ts'
import type { FileEntry } from '../entries/entry.ts'
import { listPage } from '../listing/open-folder.ts'
import { headersOf, replaceMetadata } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { driveChanges } from '../transfers/transfers.ts'
import type { EditClient } from './edit-job.ts'
import { changedMetadata, isListedVersion, type MetadataChange } from './metadata-change.ts'

const hasChanged = fileEditTexts.hasChanged

/** @param onEdited called for each file whose metadata has changed */
export function editClient(bucket: string, onEdited: (key: string) => void): EditClient {
  return {
    listTree: (prefix, after) => listPage({ bucket, prefix, isDeep: true, after }),
    // Not aborted midway, because the outcome of the copy would be unknown.
    async edit(file, change) {
      const isEdited = await editFile(bucket, file, change)
      if (isEdited) onEdited(file.key)
      return isEdited
    },
    reasonOf(error) {
      if (error instanceof RangeError) return error.message
      if (!(error instanceof S3Failure)) return undefined
      if (error.status === 404) return fileEditTexts.isGone
      return error.status === 400 ? error.message : undefined
    },
  }
}

/**
 * Copies a file onto itself with new metadata, unless it already has that metadata, for example after a lost reply.
 *
 * @throws RangeError with a message to show; S3Failure; ApiError
 */
async function editFile(bucket: string, file: FileEntry, change: MetadataChange): Promise<boolean> {
  const { key, size, fileTimeMs } = file
  const stored = await headersOf({ bucket, key })
  const metadata = changedMetadata(stored, change)
  if (metadata === undefined) return false
  if (!isListedVersion(stored, file)) throw new RangeError(hasChanged)
  const etag = (stored.get('etag') ?? '').replaceAll('"', '')
  const after = await replaceMetadata({ bucket, key, etag }, metadata).catch((error: unknown) => {
    throw error instanceof S3Failure && error.status === 412 ? new RangeError(hasChanged) : error
  })
  const modifiedAtMs = Math.floor(Date.now() / 1_000) * 1_000
  const times = { modifiedAtMs, ...(fileTimeMs !== undefined && { fileTimeMs }) }
  driveChanges.publish({ type: 'added', bucket, file: { key, size, ...times, etag: after } })
  return true
}
