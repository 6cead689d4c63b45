import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
} from '../../../../platform/checksums/checksum.ts'
import type {
  AttributeChange,
  Attributes,
  KeptHeader,
  StoredChecksum,
  WriterAttributes,
} from '../../attributes.ts'
import { bareEtag } from '../requests/store.ts'

/** User metadata that identifies the write, to resolve a lost reply. Clients of the gateway do not see it. */
const markName = 'bucketry-write'
/** User metadata of an object whose ACL is private. */
const aclName = 'bucketry-acl'
/** Metadata that a client gives such a name gets another `-x` in the store, to tell it from ours. */
const likeMark = /^bucketry-(?:write|acl)(?:-x)*$/

/** S3's type for an object that was written without one. The SDK would send a different one. */
const noType = 'binary/octet-stream'

/** The SDK's names for the headers that S3 stores. Its `Expires` is a date: see `expiresText` in Store. */
const members = {
  'cache-control': 'CacheControl',
  'content-disposition': 'ContentDisposition',
  'content-encoding': 'ContentEncoding',
  'content-language': 'ContentLanguage',
  'content-type': 'ContentType',
  expires: 'ExpiresString',
} as const satisfies Record<KeptHeader, string>

/** The fields of a command that write attributes. @param mark see `markName` */
export function fieldsOf(attributes: WriterAttributes, mark: string | undefined) {
  const { headers, metadata, tags = {}, isPrivate, storageClass, retention, legalHold } = attributes
  const tagging = Object.entries(tags).map((tag) => tag.map(encodeURIComponent).join('='))
  return {
    CacheControl: wordOf(headers['cache-control']),
    ContentDisposition: wordOf(headers['content-disposition']),
    ContentEncoding: wordOf(headers['content-encoding']),
    ContentLanguage: wordOf(headers['content-language']),
    ContentType: wordOf(headers['content-type']) ?? noType,
    expiresText: wordOf(headers.expires),
    Metadata: Object.fromEntries([
      ...Object.entries(metadata).map(([name, value]) => {
        return [likeMark.test(name) ? `${name}-x` : name, wordOf(value)] as const
      }),
      ...(mark === undefined ? [] : [[markName, mark] as const]),
      ...(isPrivate ? [[aclName, 'private'] as const] : []),
    ]),
    ...(tagging.length > 0 && { Tagging: tagging.join('&') }),
    ...(storageClass !== undefined && { StorageClass: storageClass as 'STANDARD' }),
    ...(retention && {
      ObjectLockMode: retention.mode,
      ObjectLockRetainUntilDate: new Date(retention.untilMs),
    }),
    ...(legalHold && { ObjectLockLegalHoldStatus: 'ON' as const }),
  }
}

/** Whether the attributes need Object Lock in the store. */
export function areLocked({ retention, legalHold }: AttributeChange | WriterAttributes): boolean {
  return Boolean(retention ?? legalHold)
}

/** What HeadObject and GetObject return, with the SDK's names. */
export interface ObjectFields
  extends Partial<Record<(typeof members)[KeptHeader], string | undefined>>,
    ChecksumFields {
  readonly ETag?: string | undefined
  readonly Metadata?: Readonly<Record<string, string>> | undefined
  readonly StorageClass?: string | undefined
  readonly ObjectLockMode?: string | undefined
  readonly ObjectLockRetainUntilDate?: Date | undefined
  readonly ObjectLockLegalHoldStatus?: string | undefined
}

type ChecksumFields = {
  readonly [Algorithm in ChecksumAlgorithm as `Checksum${Algorithm}`]?: string | undefined
} & { readonly ChecksumType?: string | undefined }

/** The attributes of an object, without its tags. */
export function attributesIn(fields: ObjectFields): Attributes {
  const headers = Object.entries(members).flatMap(([name, member]) => {
    const value = fields[member]
    return value === undefined || value === noType ? [] : [[name, textOf(value)] as const]
  })
  const own = new Set([markName, aclName])
  const metadata = Object.entries(fields.Metadata ?? {}).filter(([name]) => !own.has(name))
  const { StorageClass: storageClass = 'STANDARD' } = fields
  const written = {
    headers: Object.fromEntries(headers),
    metadata: Object.fromEntries(
      metadata.map(([name, value]) => {
        return [likeMark.test(name) ? name.slice(0, -2) : name, textOf(value)]
      }),
    ),
    ...(fields.Metadata?.[aclName] === 'private' && { isPrivate: true as const }),
    ...(storageClass !== 'STANDARD' && { storageClass }),
    ...locksIn(fields),
  }
  return writtenAttributes(written, fields)
}

function locksIn(fields: ObjectFields): Pick<Attributes, 'retention' | 'legalHold'> {
  const { ObjectLockMode: mode, ObjectLockRetainUntilDate: until } = fields
  const { ObjectLockLegalHoldStatus: hold } = fields
  return {
    ...((mode === 'GOVERNANCE' || mode === 'COMPLIANCE') &&
      until && { retention: { mode, untilMs: until.getTime() } }),
    ...(hold && { legalHold: hold === 'ON' }),
  }
}

/** These attributes, with the ETag and checksum that the store returned. */
export function writtenAttributes(
  { headers, metadata, tags, isPrivate, storageClass, retention, legalHold }: WriterAttributes,
  reply: Pick<ObjectFields, 'ETag'> & ChecksumFields,
): Attributes {
  const checksum = checksumIn(reply)
  return {
    ...{ etag: bareEtag(reply.ETag), headers, metadata },
    ...(tags && { tags }),
    ...(isPrivate && { isPrivate }),
    ...(storageClass && { storageClass }),
    ...(retention && { retention }),
    ...(legalHold !== undefined && { legalHold }),
    ...(checksum && { checksum }),
  }
}

/** Whether what a writer sends is the same. */
export function areSame(one: WriterAttributes, other: WriterAttributes): boolean {
  const written = ({ headers, metadata, tags, retention, ...rest }: WriterAttributes) => [
    ...[headers, metadata, tags, retention].map((values = {}) => ({ ...values })),
    ...[rest.isPrivate, rest.storageClass, rest.legalHold],
  ]
  return isDeepStrictEqual(written(one), written(other))
}

/** The mark of the write that created the object. */
export function markIn({ Metadata }: ObjectFields): string | undefined {
  return Metadata?.[markName]
}

function checksumIn(fields: ChecksumFields): StoredChecksum | undefined {
  for (const algorithm of checksumAlgorithms) {
    const value = fields[`Checksum${algorithm}`]
    if (value === undefined) continue
    const isComposite = fields.ChecksumType === 'COMPOSITE' || value.includes('-')
    return { algorithm, value, type: isComposite ? 'COMPOSITE' : 'FULL_OBJECT' }
  }
  return undefined
}

const ourWord = /^=\?(utf-8|iso-8859-1)\?b\?([A-Za-z0-9+/=]*)\?=$/
/** Text that a header field carries unchanged (RFC 9110 section 5.5), and that does not look like our encoding. */
const plainText = /^(?!=\?(?:utf-8|iso-8859-1)\?b\?)(?:[!-~](?:[ -~]*[!-~])?)$/

/**
 * A value in ASCII, because stores sign other characters differently and HTTP drops spaces around a value. Other text
 * becomes an encoded word (RFC 2047) in lower case, which only this drive writes.
 */
function wordOf(value: string): string
function wordOf(value: string | undefined): string | undefined
function wordOf(value: string | undefined): string | undefined {
  if (value === undefined || plainText.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  const charset = isUtf8(bytes) ? 'utf-8' : 'iso-8859-1'
  return `=?${charset}?b?${bytes.toString('base64')}?=`
}

function textOf(value: string): string {
  const [, , base64] = ourWord.exec(value) ?? []
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('latin1')
}
