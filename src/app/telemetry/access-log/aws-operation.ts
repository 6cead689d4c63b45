import type { HttpRequest } from '../../../platform/http/message.ts'
import { parseAddress } from '../../../storage/s3/address/address.ts'
import { parseQuery, refuseManyParameters } from '../../../storage/s3/address/query.ts'
import { compatibilityOf } from '../../../storage/s3/compatibility.ts'
import type { OperationRow } from '../../../storage/s3/context.ts'
import { detectOperation } from '../../../storage/s3/detect.ts'
import { type OperationName, operations } from '../../../storage/s3/operations.ts'

const resources = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' } as const

export function isS3Operation(name: unknown): name is OperationName {
  return typeof name === 'string' && Object.hasOwn(operations, name)
}

/** What says which operation a request asks for. */
type Asked = Pick<HttpRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>

/**
 * AWS's name for the operation of a request.
 *
 * @param name undefined when the request was refused before its operation was detected: then it is
 *   what the request asked for, as in AWS.
 */
export function awsOperation(name: OperationName | undefined, request: Asked): string {
  const known = name ?? requestedOperation(request)
  if (known === undefined) return generalName(request)
  const { logName }: OperationRow = operations[known]
  return typeof logName === 'string' ? logName : logName(parseQuery(request.rawQuery))
}

function requestedOperation({ method, rawPath, rawQuery, headers }: Asked) {
  if (method === 'OPTIONS') return undefined
  try {
    refuseManyParameters(rawQuery)
    const query = parseQuery(rawQuery)
    const allowed = {
      ...({ bucketCreation: 'on', acls: 'ignore', serverSideEncryption: 'claim' } as const),
      compatibility: compatibilityOf.aws,
    }
    // A form is named when it begins to be read.
    const asked = { method, query, headers, isForm: false, ...allowed }
    return detectOperation(parseAddress(rawPath).level, asked)
  } catch {
    // No operation of S3, or not one of ours.
    return undefined
  }
}

function generalName({ method, rawPath }: Asked): string {
  if (method === 'OPTIONS') return 'REST.OPTIONS.PREFLIGHT'
  return `REST.${method}.${resources[levelOf(rawPath)]}`
}

function levelOf(rawPath: string): keyof typeof resources {
  try {
    return parseAddress(rawPath).level
  } catch {
    return rawPath.indexOf('/', 1) < 0 ? 'bucket' : 'object'
  }
}
