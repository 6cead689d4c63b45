import { GoogleError, invalidValue } from './google-error.ts'

const maxProperties = 30
/** UTF-8 bytes of key and value together. */
const maxPropertyBytes = 124

/** The validated metadata of a request. Absent members were not sent. */
export interface FileMetadata {
  readonly id?: string
  readonly name?: string
  readonly mimeType?: string
  readonly description?: string
  readonly parents?: readonly string[]
  readonly isStarred?: boolean
  readonly isTrashed?: boolean
  readonly createdAtMs?: number
  readonly modifiedAtMs?: number
  readonly shortcutTargetId?: string
  /** Null removes a property. */
  readonly appProperties?: PropertyPatch
  readonly properties?: PropertyPatch
}

type PropertyPatch = Readonly<Record<string, string | null>>

/** Members that a client can't set here. */
const unwritable = {
  create: [
    'size',
    'md5Checksum',
    'sha1Checksum',
    'sha256Checksum',
    'trashed',
    'version',
    'driveId',
  ],
  update: ['id', 'parents', 'size', 'md5Checksum', 'sha1Checksum', 'sha256Checksum', 'version'],
} as const

const parentsMessage =
  'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.'

/** @throws GoogleError if a member has an invalid type or size. */
export function readMetadata(
  json: Readonly<Record<string, unknown>>,
  purpose: 'create' | 'update',
): FileMetadata {
  for (const name of unwritable[purpose]) {
    if (!Object.hasOwn(json, name)) continue
    const message =
      name === 'parents'
        ? parentsMessage
        : 'The resource body includes fields which are not directly writable.'
    throw new GoogleError('fieldNotWritable', { message })
  }
  const target = (json.shortcutDetails as Readonly<Record<string, unknown>> | undefined)?.targetId
  return withoutAbsent({
    id: text(json.id, 'id'),
    name: text(json.name, 'name'),
    mimeType: text(json.mimeType, 'mimeType'),
    description: text(json.description, 'description'),
    parents: parents(json.parents),
    isStarred: flag(json.starred, 'starred'),
    isTrashed: flag(json.trashed, 'trashed'),
    createdAtMs: instant(json.createdTime, 'createdTime'),
    modifiedAtMs: instant(json.modifiedTime, 'modifiedTime'),
    shortcutTargetId: text(target, 'shortcutDetails.targetId'),
    appProperties: properties(json.appProperties),
    properties: properties(json.properties),
  })
}

/** The properties after the patch. @throws GoogleError if there are too many. */
export function patchProperties(
  before: Readonly<Record<string, string>>,
  patch: PropertyPatch | undefined,
): Readonly<Record<string, string>> {
  if (patch === undefined) return before
  const entries = Object.entries({ ...before, ...patch })
  const after = entries.filter((entry): entry is [string, string] => entry[1] !== null)
  if (after.length > maxProperties) throw new GoogleError('propertyCountLimitExceeded')
  return Object.fromEntries(after)
}

function properties(value: unknown): PropertyPatch | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidValue('appProperties')
  for (const [key, member] of Object.entries(value)) {
    if (member !== null && typeof member !== 'string') throw invalidValue('appProperties')
    if (key === '') throw invalidValue('appProperties')
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(member ?? '')
    if (bytes > maxPropertyBytes) throw new GoogleError('propertyLengthLimitExceeded')
  }
  return value as PropertyPatch
}

function parents(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  if (!isList) throw invalidValue('parents')
  if (value.length > 1) throw new GoogleError('multipleParents')
  return value
}

function text(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalidValue(name)
  return value
}

function flag(value: unknown, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw invalidValue(name)
  return value
}

/** RFC 3339, with a zone. */
function instant(value: unknown, name: string): number | undefined {
  const written = text(value, name)
  if (written === undefined) return undefined
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(written)
  const atMs = Date.parse(written)
  if (!isInstant || Number.isNaN(atMs)) throw invalidValue(name)
  return atMs
}

type Absentable<T> = { readonly [K in keyof T]: T[K] | undefined }

function withoutAbsent(metadata: Absentable<Required<FileMetadata>>): FileMetadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined))
}
