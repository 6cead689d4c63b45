import { ApiError } from '../../api/api-error.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import type { UploadProblem } from './upload-item.ts'

/** The fields of an error of Uppy's S3 client after a response. */
interface ServiceError {
  readonly status: number
  readonly body?: string
}

const changed: UploadProblem = {
  kind: 'clash',
  message: transfersTexts.problem.changed,
}

/**
 * Classifies a failed upload and explains it. @param isReplacing whether the upload was to replace a version of a
 * file
 */
export function uploadProblem(error: unknown, isReplacing = false): UploadProblem {
  if (isFailure(error)) return ofFailure(error)
  if (!isServiceError(error)) {
    return { kind: 'passing', message: transfersTexts.problem.lost }
  }
  const { status, body = '' } = error
  const code = /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? ''
  if (code === 'PreconditionFailed' && isReplacing) return changed
  const known = Object.hasOwn(knownProblems, code) ? knownProblems[code] : undefined
  if (known !== undefined) return known
  // An operation that the drive does not support will not succeed later.
  const isUnable = status === 501
  if (!isUnable && (status >= 500 || status === 429)) {
    return { kind: 'passing', message: transfersTexts.problem.busy(code || String(status)) }
  }
  const reason = shownMessage(unescaped(/<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? ''))
  return {
    kind: isUnable ? 'unchecked' : 'final',
    message:
      reason || transfersTexts.problem.rejected(code || transfersTexts.problem.status(`${status}`)),
  }
}

const entities: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
}

/** The text of an XML element (XML 1.0 section 4.6). */
function unescaped(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
}

const knownProblems: Readonly<Record<string, UploadProblem>> = {
  PreconditionFailed: { kind: 'clash', message: transfersTexts.problem.exists },
  // If-Match without an object (API reference, PutObject).
  NoSuchKey: { kind: 'clash', message: transfersTexts.problem.gone },
  NoSuchUpload: {
    kind: 'lost',
    message: transfersTexts.problem.over,
  },
  QuotaExceeded: { kind: 'full', message: transfersTexts.problem.quota },
  KeyTooLongError: { kind: 'final', message: transfersTexts.problem.tooLong },
  InvalidArgument: { kind: 'final', message: transfersTexts.problem.badName },
}

function isFailure(error: unknown): error is ApiError | S3Failure {
  return error instanceof ApiError || error instanceof S3Failure
}

function ofFailure({ status, message }: ApiError | S3Failure): UploadProblem {
  const isPassing = status === 0 || status >= 500 || status === 429
  return { kind: isPassing ? 'passing' : 'final', message }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
}
