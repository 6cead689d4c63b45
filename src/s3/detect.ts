import type { Address } from './address/address.ts'
import { quoted } from './address/client-text.ts'
import type { Query } from './address/query.ts'
import { invalidArgument, S3Error, s3Errors } from './errors.ts'
import type { Detectable, OperationRow } from './operation.ts'
import { type OperationName, operations } from './operations.ts'

/**
 * Sub-resources of S3 that this service recognises only to refuse them. They must never be treated
 * as an operation on the object itself: `PUT /b/k?acl` is not a PutObject. Reads with a fixed reply
 * are in operations/subresource-defaults.ts.
 */
const bucketSubresources: ReadonlySet<string> = new Set([
  'accelerate',
  'abac',
  'acl',
  'analytics',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'lifecycle',
  'logging',
  'metadataConfiguration',
  'metadataInventoryTable',
  'metadataJournalTable',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'session',
  'tagging',
  'versioning',
  'versions',
  'website',
])

const objectSubresources: ReadonlySet<string> = new Set([
  'acl',
  'annotation',
  'encryption',
  'legal-hold',
  'renameObject',
  'restore',
  'retention',
  'select',
  'tagging',
  'torrent',
])

type Level = Address['level']
type NamedRow = readonly [name: OperationName, row: OperationRow]

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']
const knownMethods: ReadonlySet<string> = new Set(methods)

const unsupported: Readonly<Record<Level, ReadonlySet<string>>> = {
  service: new Set(),
  bucket: bucketSubresources,
  object: objectSubresources,
}

const rows = Object.entries(operations) as unknown as readonly NamedRow[]
const rowsByLevel: Readonly<Record<Level, readonly NamedRow[]>> = {
  service: rows.filter(([, { level }]) => level === 'service'),
  bucket: rows.filter(([, { level }]) => level === 'bucket' || level === 'newBucket'),
  object: rows.filter(([, { level }]) => level === 'object'),
}

/** Computed once: every request asks for it. */
const rowsByMethod = {
  service: byMethod(rowsByLevel.service),
  bucket: byMethod(rowsByLevel.bucket),
  object: byMethod(rowsByLevel.object),
}

function byMethod(ofLevel: readonly NamedRow[]) {
  const grouped = Map.groupBy(ofLevel, ([, { method }]): string => method)
  const split = (group: readonly NamedRow[]) => ({
    named: group.filter(([, { parameter }]) => parameter !== undefined),
    plain: group.filter(([, { parameter }]) => parameter === undefined),
  })
  return new Map([...grouped].map(([method, group]) => [method, split(group)]))
}

/**
 * Refuses a method that S3 does not have, before authentication.
 *
 * @throws S3Error MethodNotAllowed.
 */
export function refuseUnknownMethod(method: string): void {
  if (!knownMethods.has(method)) throw methodNotAllowed(methods)
}

/**
 * The operation that method, address, query and headers request: all of S3's URL grammar, from the table of
 * operations.
 *
 * @throws S3Error MethodNotAllowed, NotImplemented, or InvalidArgument for a contradiction.
 */
export function detectOperation(level: Level, request: Detectable): OperationName {
  const { method, query } = request
  if (level === 'object') refuseContradictions(method, query)
  else if (method === 'GET') refuseListening(query)
  const { named = [], plain = [] } = rowsByMethod[level].get(method) ?? {}
  const isMet = ([, { when }]: NamedRow) => when?.isMet(request) !== false
  if (query.size > 0) {
    const requested = named.filter(([, row]) => parameterIn(row, query) !== undefined)
    const found = requested.find(isMet)
    if (found !== undefined) return found[0]
    const refused = requested[0]?.[1]
    if (refused) throw notImplemented(parameterIn(refused, query) ?? '', refused.when?.hint)
    if (method !== 'HEAD') refuseSubresource(query, unsupported[level])
    if (level === 'bucket' && method === 'GET') refuseListType(query.get('list-type'))
  }
  const found = plain.find(isMet)
  if (found !== undefined) return found[0]
  const hint = plain.find(([, { when }]) => when?.hint !== undefined)?.[1].when?.hint
  throw methodNotAllowed(plainMethods(level, request), hint)
}

function parameterIn({ parameter = [] }: OperationRow, query: Query): string | undefined {
  return [parameter].flat().find((name) => query.has(name))
}

/** @throws S3Error if the parameters do not belong together, or not to the method. */
function refuseContradictions(method: string, query: Query): void {
  if (query.size === 0 || method === 'HEAD') return
  for (const name of query.keys()) {
    const allowed = methodsOfParameter.get(name)
    if (allowed !== undefined && !allowed.has(method) && !objectSubresources.has(name)) {
      throw methodNotAllowed([...allowed])
    }
  }
  if (method === 'PUT' && query.has('uploadId') !== query.has('partNumber')) {
    const missing = query.has('uploadId') ? 'partNumber' : 'uploadId'
    throw new S3Error(
      'InvalidArgument',
      `A part needs both uploadId and partNumber; ${missing} is missing.`,
    )
  }
}

/** `DELETE /b/k?uploads` must not delete the object. */
const methodsOfParameter = new Map<string, Set<string>>()
for (const [, { method, parameter = [] }] of rowsByLevel.object) {
  for (const name of [parameter].flat()) {
    const known = methodsOfParameter.get(name)
    if (known === undefined) methodsOfParameter.set(name, new Set([method]))
    else known.add(method)
  }
}

/** MinIO's clients wait here for events; a listing would look like none. */
function refuseListening(query: Query): void {
  if (!query.has('events')) return
  const message =
    'Listening for events with ?events is not supported: events go to NOTIFY_WEBHOOK or NOTIFY_REDIS of the gateway.'
  throw new S3Error('InvalidRequest', message)
}

function refuseSubresource(query: Query, subresources: ReadonlySet<string>): void {
  for (const name of query.keys()) if (subresources.has(name)) throw notImplemented(name)
}

function refuseListType(listType: string | undefined): void {
  if (listType === undefined || listType === '2') return
  throw invalidArgument('list-type', listType, `list-type must be 2, got ${quoted(listType)}.`)
}

/** The methods that need no parameter (RFC 9110 section 10.2.1, "Allow"). */
function plainMethods(level: Level, request: Detectable): readonly string[] {
  const allowed = rowsByLevel[level].filter(
    ([, { parameter, when }]) => parameter === undefined && when?.isMet(request) !== false,
  )
  return methods.filter((method) => allowed.some(([, row]) => row.method === method))
}

function notImplemented(subresource: string, hint = ''): S3Error {
  const message = `The sub-resource ?${subresource} is not implemented for this method. ${hint}`
  return new S3Error('NotImplemented', message.trimEnd(), { inAws: { code: 'MethodNotAllowed' } })
}

function methodNotAllowed(allowed: readonly string[], hint = ''): S3Error {
  const message = `${s3Errors.MethodNotAllowed[1]} ${hint}`
  return new S3Error('MethodNotAllowed', message.trimEnd(), {
    headers: { Allow: allowed.join(', ') },
  })
}
