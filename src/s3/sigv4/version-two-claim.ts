import type { HttpRequest } from '../../http/message.ts'
import { quoted } from '../address/client-text.ts'
import { parseQuery, percentDecode } from '../address/query.ts'
import { S3Error } from '../errors.ts'

/** What a presigned URL of Version 2 claims. Nothing verified yet. */
export interface VersionTwoClaim {
  readonly accessKeyId: string
  readonly signature: string
  /** Seconds since the epoch, as sent: decimal digits. */
  readonly expires: string
  /** Signed parameters, decoded as the operation reads them, sorted by name. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

const own = ['AWSAccessKeyId', 'Expires', 'Signature'] as const
const ofPart = ['partNumber', 'uploadId', 'versionId']
const overrides = [
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
]
const signedNames = [...ofPart, ...overrides]
const signedParameters: ReadonlySet<string> = new Set(signedNames)
const allParameters: ReadonlySet<string> = new Set([...own, ...signedNames])

/** boto3 repeats the header fields that it signs as parameters. */
const repeatedHeader = /^(?:content-md5|content-type|x-amz-[a-z0-9-]+)$/

/** Of a signed value: one that the string to sign shows as two parameters. */
const hiddenParameter = new RegExp(`&(?:${signedNames.join('|')})(?:=|&|$)`)

/** Whether the query is that of a presigned URL of Version 2. */
export function isVersionTwo(rawQuery: string): boolean {
  return rawQuery.split('&').some((pair) => pair.startsWith('AWSAccessKeyId='))
}

/**
 * Reads the query of a presigned URL
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html, "Query string request
 * authentication alternative"). Version 2 leaves most parameters unsigned, so whoever has a URL could change what it
 * does. Only those that the signature covers are accepted, each once and in one spelling, of the requests that need no
 * others.
 *
 * @param resource bucket and key, as a path
 * @throws S3Error AccessDenied for any other parameter, method or address; InvalidURI for a broken escape.
 */
export function readVersionTwoQuery(request: HttpRequest, resource: string): VersionTwoClaim {
  const { method, rawQuery, headers } = request
  if (!['GET', 'HEAD', 'PUT'].includes(method) || !/^\/[^/]+\/./.test(resource)) {
    throw refused('it can only GET, HEAD or PUT an object')
  }
  const raw = readRaw(rawQuery)
  const query = parseQuery(rawQuery)
  const isSigned = (name: string) =>
    allParameters.has(name) || (repeatedHeader.test(name) && headers[name] === query.get(name))
  const unsigned = [...raw.keys()].find((name) => !isSigned(name))
  if (unsigned !== undefined) throw refused(`it does not sign the parameter ${quoted(unsigned)}`)
  const parameters = [...query].filter(([name]) => signedParameters.has(name)).sort(byName)
  refuseOtherMeanings(method, parameters)
  const [accessKeyId, expires, signature] = own.map((name) => percentDecode(raw.get(name) ?? ''))
  if (!accessKeyId || !signature || !expires || !/^\d{1,11}$/.test(raw.get('Expires') ?? '')) {
    throw refused('it needs AWSAccessKeyId, Signature, and Expires in seconds since 1970')
  }
  return { accessKeyId, signature, expires, parameters }
}

/** The values by their names, both as sent. */
function readRaw(rawQuery: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    const [name = '', value = ''] = splitOnce(pair)
    if (raw.has(name)) throw refused(`the query has ${quoted(name)} more than once`)
    if (value === '') throw refused(`the parameter ${quoted(name)} has no value`)
    raw.set(name, value)
  }
  return raw
}

/** The string to sign joins decoded values by `&`, so one value must not pass for two, nor two for one. */
function refuseOtherMeanings(method: string, parameters: VersionTwoClaim['parameters']): void {
  const names = parameters.map(([name]) => name)
  const overridden = names.find((name) => overrides.includes(name))
  if (overridden !== undefined && (method === 'PUT' || names.includes('uploadId'))) {
    throw refused(`${overridden} belongs to a GET or HEAD of an object`)
  }
  for (const [name, value] of parameters) {
    if (hiddenParameter.test(value)) throw refused(`the value of ${name} contains a parameter`)
  }
}

function splitOnce(pair: string): readonly string[] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [pair] : [pair.slice(0, equals), pair.slice(equals + 1)]
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1
}

function refused(why: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The presigned URL of Signature Version 2 is refused: ${why}. Presign with Signature Version 4.`,
  )
}
