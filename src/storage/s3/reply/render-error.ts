import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import { DatabaseError } from '../../../platform/state/database.ts'
import { KeyValueError } from '../../../platform/state/key-value/key-value.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { S3Service } from '../context.ts'
import { S3Error, type S3ErrorCode, s3ErrorOfDrive, shortened } from '../errors.ts'
import { withoutForbidden, xmlDocument } from './xml.ts'

/** 5xx replies that clients can cause at will, which are not logged as errors of the service. */
const ordinary: ReadonlySet<S3ErrorCode> = new Set(['NotImplemented', 'SlowDown'])

/** Characters of a message, which may quote names chosen by a client. */
const maxMessageLength = 1_024

/** Converts any thrown value into an S3 reply. */
export function renderError(
  thrown: unknown,
  request: HttpRequest,
  { log, compatibility }: Pick<S3Service, 'log' | 'compatibility'>,
): HttpReply {
  const error = answeredError(thrown, compatibility)
  if (isFault(error)) {
    log.error({ requestId: request.id, err: thrown }, 'request failed')
  }
  return {
    status: error.status,
    headers: [['Content-Type', 'application/xml'], ...Object.entries(error.headers)],
    // ReplyWriter omits it for HEAD.
    body: errorDocument(error, request.rawPath, request.id),
    logFields: { code: error.code, reason: shortened(error.reason, maxMessageLength) },
  }
}

/** Maximum characters of the elements that a client compares with what it signed. */
const maxElements: Readonly<Record<string, number>> = {
  CanonicalRequest: 4_096,
  CanonicalRequestBytes: 3 * 4_096,
  StringToSign: 1_024,
  StringToSignBytes: 3 * 1_024,
}

/** Enough for a bucket and a key of 1,024 escaped bytes. */
const maxResource = 4_096

/**
 * The document of docs/contract/object-storage.md, "Error document", without a namespace, as in S3. It is well-formed and
 * short whatever the client has sent.
 */
export function errorDocument(error: S3Error, resource: string, requestId: string): string {
  const shown = Object.entries(error.elements).map(([name, text]) => {
    return [name, withoutForbidden(shortened(text, maxElements[name]))]
  })
  return xmlDocument(
    'Error',
    {
      Code: error.code,
      Message: withoutForbidden(shortened(error.message, maxMessageLength)),
      ...Object.fromEntries(shown),
      Resource: withoutForbidden(shortened(resource, maxResource)),
      RequestId: requestId,
    },
    { namespace: false },
  )
}

/** The error that the client gets for anything that was thrown, in the words of COMPATIBILITY. */
export function answeredError(thrown: unknown, { awsErrors }: S3Service['compatibility']): S3Error {
  return awsErrors ? asS3Error(thrown).inAws() : asS3Error(thrown)
}

/** Whether to log the error as one of the service. */
export function isFault({ status, code }: S3Error): boolean {
  return status >= 500 && !ordinary.has(code)
}

function asS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown
  if (thrown instanceof DriveError) return s3ErrorOfDrive(thrown)
  if (thrown instanceof DatabaseError) {
    return new S3Error('ServiceUnavailable', 'The database is not responding; see the log.', {
      cause: thrown,
      headers: { 'Retry-After': '5' },
    })
  }
  if (thrown instanceof KeyValueError) {
    return new S3Error('ServiceUnavailable', 'The session store is not responding; see the log.', {
      cause: thrown,
      headers: { 'Retry-After': '5' },
    })
  }
  return new S3Error('InternalError', undefined, { cause: thrown })
}
