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
