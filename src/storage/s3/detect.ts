import type { Address } from './address/address.ts'
import type { Query } from './address/query.ts'
import type { Detectable, OperationRow } from './context.ts'
import { invalidArgument, notImplemented, quoted, S3Error, s3Errors } from './errors.ts'
import { type OperationName, operations } from './operations.ts'

type Level = Address['level']
type NamedRow = readonly [name: OperationName, row: OperationRow]

/**
 * Every sub-resource of S3, with its methods at each level (API reference, "Actions"; `events` is MinIO's). A request
 * with one of these names is never the plain operation: `DELETE /b/k?lifecycle` must not delete the object. Reads with
 * a fixed reply are in operations/subresource-defaults.ts.
 */
export const subresources: Readonly<Record<string, Readonly<Partial<Record<Level, string>>>>> = {
  abac: { bucket: 'GET PUT' },
  accelerate: { bucket: 'GET PUT' },
  acl: { bucket: 'GET PUT', object: 'GET PUT' },
  analytics: { bucket: 'GET PUT DELETE' },
  annotation: { object: 'GET PUT DELETE' },
  attributes: { object: 'GET' },
  cors: { bucket: 'GET PUT DELETE' },
  delete: { bucket: 'POST' },
  encryption: { bucket: 'GET PUT DELETE', object: 'PUT' },
  events: { service: 'GET', bucket: 'GET' },
  'intelligent-tiering': { bucket: 'GET PUT DELETE' },
  inventory: { bucket: 'GET PUT DELETE' },
  'legal-hold': { object: 'GET PUT' },
  lifecycle: { bucket: 'GET PUT DELETE' },
  location: { bucket: 'GET' },
  logging: { bucket: 'GET PUT' },
  metadataAnnotationTable: { bucket: 'PUT' },
  metadataConfiguration: { bucket: 'GET POST DELETE' },
  metadataInventoryTable: { bucket: 'PUT' },
  metadataJournalTable: { bucket: 'PUT' },
  metadataTable: { bucket: 'GET POST DELETE' },
  metrics: { bucket: 'GET PUT DELETE' },
  notification: { bucket: 'GET PUT' },
  'object-lock': { bucket: 'GET PUT' },
  ownershipControls: { bucket: 'GET PUT DELETE' },
  policy: { bucket: 'GET PUT DELETE' },
  policyStatus: { bucket: 'GET' },
  publicAccessBlock: { bucket: 'GET PUT DELETE' },
  renameObject: { object: 'PUT' },
  replication: { bucket: 'GET PUT DELETE' },
  requestPayment: { bucket: 'GET PUT' },
  restore: { object: 'POST' },
  retention: { object: 'GET PUT' },
  select: { object: 'POST' },
  session: { bucket: 'GET' },
  tagging: { bucket: 'GET PUT DELETE', object: 'GET PUT DELETE' },
  torrent: { object: 'GET' },
  uploadId: { object: 'GET PUT POST DELETE' },
  uploads: { bucket: 'GET', object: 'POST' },
  versioning: { bucket: 'GET PUT' },
  versions: { bucket: 'GET' },
  website: { bucket: 'GET PUT DELETE' },
}

/**
 * Sub-resources that the contract specifies: other methods get 405. Writes of any other sub-resource get 501
 * (docs/contract/object-storage.md, "Unsupported sub-resources").
 */
const contractOperations: ReadonlySet<string> = new Set([
  ...['attributes', 'delete', 'location', 'uploadId', 'uploads'],
])

/** `mc mirror --watch` asks its source for `?events`, so that it follows a folder or a MinIO, and not this service. */
export const insteadOfReplication =
  'Run mc mirror --overwrite --remove SOURCE TARGET or rclone sync at intervals, or mc mirror --watch with a folder or MinIO as its source (docs/moving-in.md, "Replication").'

const hints: Readonly<Record<string, string>> = {
  replication: insteadOfReplication,
  events:
    'Events go to NOTIFY_WEBHOOK or NOTIFY_REDIS of the gateway. Instead of mc mirror --watch, run mc mirror at intervals.',
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']
const knownMethods: ReadonlySet<string> = new Set(methods)

const rows = Object.entries(operations) as unknown as readonly NamedRow[]

/** The rows by level, method and sub-resource, computed once because every request needs them. */
const rowsOfLevel = {
  service: byMethod(rows.filter(([, { level }]) => level === 'service')),
  bucket: byMethod(rows.filter(([, { level }]) => level === 'bucket' || level === 'newBucket')),
  object: byMethod(rows.filter(([, { level }]) => level === 'object')),
}

function byMethod(ofLevel: readonly NamedRow[]) {
  const grouped = Map.groupBy(ofLevel, ([, { method }]): string => method)
  return new Map([...grouped].map(([method, group]) => [method, bySubresource(group)]))
}

function bySubresource(group: readonly NamedRow[]): Map<string | undefined, NamedRow[]> {
  const pairs = group.flatMap((row) => [row[1].parameter].flat().map((name) => ({ name, row })))
  const grouped = Map.groupBy(pairs, ({ name }) => name)
  return new Map([...grouped].map(([name, found]) => [name, found.map(({ row }) => row)]))
}

/**
 * Rejects methods that S3 does not have, before authentication.
 *
 * @throws S3Error MethodNotAllowed.
 */
export function refuseUnknownMethod(method: string): void {
  if (!knownMethods.has(method)) throw methodNotAllowed(methods)
}

/**
 * Returns the operation that method, address, query and headers request. This is S3's whole URL grammar, derived from
 * the tables of sub-resources and operations.
 *
 * @throws S3Error MethodNotAllowed, NotImplemented, or InvalidArgument for a contradiction.
 */
export function detectOperation(level: Level, request: Detectable): OperationName {
  const name = request.query.size === 0 ? undefined : requestedSubresource(level, request)
  const candidates = rowsOfLevel[level].get(request.method)?.get(name) ?? []
  const found = candidates.find(isMetBy(request))
  if (found !== undefined) return found[0]
  const hint = candidates.find(([, { when }]) => when?.hint !== undefined)?.[1].when?.hint
  if (name !== undefined) throw notImplemented(withThisMethod(name, hint ?? hints[name]))
  throw methodNotAllowed(allowedMethods(level, request, name), hint)
}

/**
 * Returns the sub-resource that the query names, if any. Other parameters are options, or ignored as in S3.
 *
 * @throws S3Error if the query names several, or one that this level or method does not have.
 */
function requestedSubresource(level: Level, request: Detectable): string | undefined {
  const { method, query } = request
  const names = [...query.keys()].filter((name) => Object.hasOwn(subresources, name)).sort()
  const [name] = names
  if (name === undefined) {
    if (level === 'bucket' && method === 'GET') refuseListType(query.get('list-type'))
  } else if (names.length > 1) {
    const message = `Conflicting query string parameters: ${names.join(', ')}`
    throw invalidArgument('ResourceType', name, message)
  } else if (!subresources[name]?.[level]?.split(' ').includes(method)) {
    const hint = `A request of this kind has no ?${name}.`
    const refusal = methodNotAllowed(allowedMethods(level, request, name), hint)
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead || contractOperations.has(name)) throw refusal
    throw notImplemented(withThisMethod(name), { inAws: refusal })
  }
  if (level === 'object') refuseHalfOfPart(method, query)
  return name
}

/** A GET of a part has only its number, and AbortMultipartUpload only the ID of the upload. */
function refuseHalfOfPart(method: string, query: Query): void {
  const isWhole = query.has('uploadId') === query.has('partNumber')
  if (isWhole || !(method === 'PUT' || (method === 'DELETE' && query.has('partNumber')))) return
  const missing = query.has('uploadId') ? 'partNumber' : 'uploadId'
  const message = `A part needs both uploadId and partNumber; ${missing} is missing.`
  throw new S3Error('InvalidArgument', message)
}

function refuseListType(listType: string | undefined): void {
  if (listType === undefined || listType === '2') return
  throw invalidArgument('list-type', listType, `list-type must be 2, got ${quoted(listType)}.`)
}

/** The methods with this sub-resource, or without one (RFC 9110 section 10.2.1, "Allow"). */
function allowedMethods(level: Level, request: Detectable, name: string | undefined): string[] {
  return methods.filter((method) => {
    const ofMethod = rowsOfLevel[level].get(method)?.get(name)
    return ofMethod?.some(isMetBy(request)) === true
  })
}

function isMetBy(request: Detectable): (row: NamedRow) => boolean {
  return ([, { when }]) => when?.isMet(request) !== false
}

function withThisMethod(name: string, hint = ''): string {
  return `the sub-resource ?${name} with this method. ${hint}`
}

function methodNotAllowed(allowed: readonly string[], hint = ''): S3Error {
  const message = `${s3Errors.MethodNotAllowed[1]} ${hint}`
  return new S3Error('MethodNotAllowed', message.trimEnd(), {
    headers: { Allow: allowed.join(', ') },
  })
}
