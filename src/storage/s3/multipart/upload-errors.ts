import { DriveError } from '../../drives/drive-error.ts'
import { S3Error } from '../errors.ts'

/** The upload is unknown, of another key, aborted or completed. */
export function noSuchUpload(uploadId: string): S3Error {
  return new S3Error('NoSuchUpload', undefined, { elements: { UploadId: uploadId } })
}

/**
 * A part out of sequence, or a busy upload: the client should retry
 * (docs/contract/object-storage.md, "Error codes").
 */
export function slowDown(message: string, options: ErrorOptions = {}): S3Error {
  return new S3Error('SlowDown', message, { ...options, headers: { 'Retry-After': '1' } })
}

/** The request stalled for so long that another one took the upload's lease. */
export function leaseLost(): S3Error {
  return slowDown(
    'Another process took over the upload while this request was stalled. Send the request again.',
  )
}

/**
 * What a drive answers, or `otherwise` if the upload's bytes are gone: then nothing is left to do, and
 * its row must not stay for ever.
 */
export async function unlessGone<Result>(
  work: Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'upload-gone') return otherwise
    throw error
  }
}
