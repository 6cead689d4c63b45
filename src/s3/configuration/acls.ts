import type { IncomingHttpHeaders } from 'node:http'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import { childText, parseXmlBody, type XmlElement } from '../body/xml-body.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { S3Log } from '../log.ts'
import { owner } from '../reply/xml-reply.ts'
import { refuseOtherElements } from './document-elements.ts'

/**
 * ACLS.
 *
 * - `refuse`: an ACL that grants anything is not implemented (docs/contract/object-storage.md, "Bucket operations")
 * - `ignore`: every ACL is accepted and none has an effect
 * - `bucket`: as `ignore`, but the ACL of a bucket opens and closes it for reading
 */
export type AclMode = 'refuse' | 'ignore' | 'bucket'

/** What an ACL grants, as far as this service can do it. */
export type Reach = 'owner' | 'public-read' | 'other'

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl. There is one owner. */
const cannedAcls: ReadonlyMap<string, Reach> = new Map([
  ['private', 'owner'],
  ['bucket-owner-read', 'owner'],
  ['bucket-owner-full-control', 'owner'],
  ['public-read', 'public-read'],
  ['public-read-write', 'other'],
  ['authenticated-read', 'other'],
  ['aws-exec-read', 'other'],
  ['log-delivery-write', 'other'],
])

const grantHeaders: ReadonlyMap<string, string> = new Map([
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
])

const everyone = 'http://acs.amazonaws.com/groups/global/AllUsers'

/** What ACLs do here. */
export class Acls {
  readonly mode: AclMode
  readonly #log: Pick<S3Log, 'warn'>
  #isIgnoranceLogged = false

  constructor(mode: AclMode, log: Pick<S3Log, 'warn'>) {
    this.mode = mode
    this.#log = log
  }

  /**
   * Checks the ACL that comes with a write. Logs the first one that has no effect.
   *
   * @throws S3Error InvalidArgument, InvalidRequest; NotImplemented with `refuse`
   */
  checkHeaders(headers: IncomingHttpHeaders, bucket: AclBucket): void {
    if (this.mode === 'refuse') refuseGrants(headers, bucket.isPublic)
    else this.ignore(reachOfHeaders(headers), bucket)
  }

  /**
   * The ACL of a new bucket, if it takes effect; else as checkHeaders.
   *
   * @throws S3Error as checkHeaders
   */
  ofBucket(headers: IncomingHttpHeaders, bucket: AclBucket): Reach | undefined {
    if (this.mode === 'bucket') return reachOfHeaders(headers)
    this.checkHeaders(headers, bucket)
    return undefined
  }

  /** Logs it if it is the first ACL without effect. */
  ignore(reach: Reach | undefined, { name, isPublic }: AclBucket): void {
    if (reach === undefined || reach === (isPublic ? 'public-read' : 'owner')) return
    if (this.#isIgnoranceLogged) return
    this.#isIgnoranceLogged = true
    this.#log.warn(
      { bucket: name },
      'a client set an ACL that has no effect; the public access of a bucket decides who may read it. Further ones are not logged.',
    )
  }
}

export type AclBucket = Pick<BucketConfiguration, 'name' | 'isPublic'>

/** As the contract says: an ACL that grants nothing new is harmless. */
function refuseGrants(headers: IncomingHttpHeaders, isPublic: boolean): void {
  const acl = headers['x-amz-acl']
  const reach = acl === undefined ? 'owner' : cannedAcls.get(String(acl))
  if (reach !== 'owner' && !(reach === 'public-read' && isPublic)) throw notKept('x-amz-acl')
  for (const name of grantHeaders.keys()) if (headers[name] !== undefined) throw notKept(name)
}

function notKept(header: string): S3Error {
  return new S3Error(
    'NotImplemented',
    'A header you provided implies functionality that is not implemented.',
    { elements: { Header: header } },
  )
}

/**
 * What the ACL in header fields grants. Undefined if there is none.
 *
 * @throws S3Error InvalidArgument, InvalidRequest
 */
export function reachOfHeaders(headers: IncomingHttpHeaders): Reach | undefined {
  const acl = headers['x-amz-acl']
  const grants = [...grantHeaders].flatMap(([name, permission]) => {
    const value = headers[name]
    return value === undefined ? [] : granteesOf(name, String(value), permission)
  })
  if (acl === undefined) return grants.length === 0 ? undefined : reachOfGrants(grants)
  if (grants.length > 0) {
    throw new S3Error(
      'InvalidRequest',
      'Specifying both Canned ACLs and Header Grants is not allowed.',
    )
  }
  const reach = cannedAcls.get(String(acl))
  if (reach === undefined) {
    throw invalidArgument(
      'x-amz-acl',
      String(acl),
      `Expected one of ${[...cannedAcls.keys()].join(', ')}.`,
    )
  }
  return reach
}

interface Grant {
  /** A URI of a group, or an ID or email address. */
  readonly grantee: string
  readonly permission: string
}

const granteeTypes: ReadonlySet<string> = new Set(['id', 'uri', 'emailaddress'])

/** Such as `id="…", uri="…"`. */
function granteesOf(name: string, value: string, permission: string): Grant[] {
  return value.split(',').map((item) => {
    const [type = '', ...rest] = item.split('=')
    const grantee = rest.join('=').trim().replaceAll('"', '')
    if (granteeTypes.has(type.trim().toLowerCase()) && grantee !== '')
      return { grantee, permission }
    throw invalidArgument(name, value, 'Expected a list of id="…", uri="…" or emailAddress="…".')
  })
}

function reachOfGrants(grants: readonly Grant[]): Reach {
  const others = grants.filter(({ grantee }) => grantee !== owner.ID)
  if (others.length === 0) return 'owner'
  const isRead = ({ grantee, permission }: Grant) => grantee === everyone && permission === 'READ'
  return others.every(isRead) ? 'public-read' : 'other'
}

/**
 * What an AccessControlPolicy grants (https://docs.aws.amazon.com/AmazonS3/latest/API/API_AccessControlPolicy.html).
 *
 * @throws S3Error MalformedACLError
 */
export function reachOfDocument(body: Uint8Array): Reach {
  try {
    const root = parseXmlBody(body, 'AccessControlPolicy')
    refuseOtherElements(root, ['Owner', 'AccessControlList'])
    const list = root.children.find(({ name }) => name === 'AccessControlList')
    return reachOfGrants((list?.children ?? []).map(grantOf))
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'MalformedXML') throw error
    throw new S3Error('MalformedACLError', error.message, { cause: error })
  }
}

const permissions: ReadonlySet<string | undefined> = new Set(grantHeaders.values())

function grantOf(grant: XmlElement): Grant {
  refuseOtherElements(grant, ['Grantee', 'Permission'])
  const permission = childText(grant, 'Permission')
  const who = grant.children.find(({ name }) => name === 'Grantee')
  const grantee = who && ['ID', 'URI', 'EmailAddress'].flatMap((name) => childText(who, name) ?? [])
  if (!permission || !permissions.has(permission) || grantee?.length !== 1) {
    throw new S3Error('MalformedXML', 'A Grant needs one Grantee and a Permission.')
  }
  return { grantee: grantee[0] ?? '', permission }
}
