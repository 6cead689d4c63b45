import type { IncomingHttpHeaders } from 'node:http'
import type { Log } from '../../../platform/process/log.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import type { Attributes } from '../../drives/attributes.ts'
import {
  childText,
  onlyChild,
  parseXmlBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import { headerNotImplemented, invalidArgument, notImplemented, S3Error } from '../errors.ts'
import { owner } from '../reply/xml.ts'

/**
 * ACLS.
 *
 * - `refuse`: an ACL that grants anything is not implemented (docs/contract/object-storage.md, "Bucket operations")
 * - `ignore`: every ACL is accepted and none has an effect
 * - `object`: as `ignore`, but an object whose ACL grants nothing is private, also in a public bucket
 * - `bucket`: as `object`, but the ACL of a bucket also opens and closes it for reading
 */
export type AclMode = 'refuse' | 'ignore' | 'object' | 'bucket'

/** Who has access by an ACL. `other`: what this service does not support. */
export type Reach = 'owner' | 'public-read' | 'other'

export type BucketReach = Exclude<Reach, 'other'>

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

type SentAcl = Pick<Attributes, 'isPrivate'>

/** Applies the setting ACLS. */
export class Acls {
  readonly mode: AclMode
  readonly #areKept: boolean
  readonly #log: Pick<Log, 'warn'>
  #isIgnoranceLogged = false

  constructor(mode: AclMode, log: Pick<Log, 'warn'>) {
    this.mode = mode
    this.#areKept = mode === 'object' || mode === 'bucket'
    this.#log = log
  }

  /** Whether an object can be private although the bucket is public. BucketOwnerEnforced disables ACLs, as on AWS. */
  areKeptIn({ objectOwnership }: Pick<BucketConfiguration, 'objectOwnership'>): boolean {
    return this.#areKept && objectOwnership !== 'BucketOwnerEnforced'
  }

  /** What a write keeps of its ACL. Call checkHeaders first. */
  ofObject(headers: IncomingHttpHeaders): SentAcl {
    return this.#areKept && reachOfHeaders(headers) === 'owner' ? { isPrivate: true } : {}
  }

  /**
   * As ofObject, for a copy. On AWS, a copy without an ACL is private (API reference, CopyObject). Here, it is if its source
   * is, so that renaming an object does not publish it.
   */
  ofCopy(headers: IncomingHttpHeaders, source: SentAcl): SentAcl {
    if (this.#areKept && reachOfHeaders(headers) !== undefined) return this.ofObject(headers)
    return source.isPrivate ? { isPrivate: true } : {}
  }

  /**
   * Checks the ACL of a write. Logs the first one that has no effect.
   *
   * @throws S3Error InvalidArgument, InvalidRequest; NotImplemented with `refuse`
   */
  checkHeaders(headers: IncomingHttpHeaders, bucket: AclBucket): void {
    if (this.mode === 'refuse') refuseGrants(headers, bucket.isPublic)
    else this.#ignore(reachOfHeaders(headers), bucket)
  }

  /**
   * The ACL of a CreateBucket if it takes effect; otherwise as checkHeaders.
   *
   * @throws S3Error as checkHeaders; AccessControlListNotSupported
   */
  ofBucket(headers: IncomingHttpHeaders, bucket: AclBucket): BucketReach | undefined {
    if (this.mode !== 'bucket') {
      this.checkHeaders(headers, bucket)
      return undefined
    }
    const reach = reachOfHeaders(headers)
    return reach && bucketReachOf(reach)
  }

  /**
   * Checks the ACL of a PutBucketAcl or PutObjectAcl, as checkHeaders.
   *
   * @param canClose whether an ACL that grants nothing has an effect
   * @throws S3Error NotImplemented for a private ACL without effect in a public bucket; AccessDenied as assertAclsMayOpen
   */
  check(reach: Reach, bucket: AclBucket, canClose = false): void {
    // Accepted with a write, because rclone and the SDK for PHP send it with each object.
    if (reach === 'owner' && bucket.isPublic && !canClose) throw privateInPublic()
    this.#ignore(reach, bucket)
  }

  /** @throws S3Error AccessDenied as assertAclsMayOpen */
  #ignore(reach: Reach | undefined, bucket: AclBucket): void {
    const { name, isPublic } = bucket
    if (reach !== undefined && reach !== 'owner') assertAclsMayOpen(bucket)
    if (reach === undefined || reach === (isPublic ? 'public-read' : 'owner')) return
    if (this.#isIgnoranceLogged) return
    this.#isIgnoranceLogged = true
    const isKept = reach === 'owner' && this.areKeptIn(bucket)
    this.#log.warn(
      { bucket: name },
      isKept
        ? 'a client set the ACL of an object in a public bucket to private: it cannot be read without a signature. ACLS=ignore makes such ACLs ineffective. Further ones are not logged.'
        : 'a client set an ACL that has no effect: the public access of the bucket decides who may read it. Further ones are not logged.',
    )
  }
}

/**
 * Converts an ACL to that of a bucket.
 *
 * @throws S3Error AccessControlListNotSupported
 */
export function bucketReachOf(reach: Reach): BucketReach {
  if (reach !== 'other') return reach
  throw new S3Error(
    'AccessControlListNotSupported',
    'With ACLS=bucket, the ACL of a bucket is private or public-read.',
  )
}

export type AclBucket = Pick<
  BucketConfiguration,
  'name' | 'isPublic' | 'publicAccessBlock' | 'objectOwnership'
>

/** @throws S3Error AccessDenied if the PublicAccessBlock of the bucket refuses public ACLs */
export function assertAclsMayOpen(bucket: AclBucket | undefined): void {
  if (bucket?.publicAccessBlock?.blockPublicAcls) throw refusedAcl()
}

export function refusedAcl(): S3Error {
  return new S3Error('AccessDenied', 'The PublicAccessBlock of the bucket refuses public ACLs.')
}

/** NotImplemented, because Mastodon and Discourse then stop using ACLs. */
export function privateInPublic(by = 'Everyone may read its objects'): S3Error {
  return notImplemented(`a private ACL in this bucket. ${by}; use a bucket that is not public.`)
}

/** Accepts an ACL only if it grants nothing new, as the contract says. */
function refuseGrants(headers: IncomingHttpHeaders, isPublic: boolean): void {
  const acl = headers['x-amz-acl']
  const reach = acl === undefined ? 'owner' : cannedAcls.get(String(acl))
  if (reach !== 'owner' && !(reach === 'public-read' && isPublic))
    throw headerNotImplemented('x-amz-acl')
  for (const name of grantHeaders.keys())
    if (headers[name] !== undefined) throw headerNotImplemented(name)
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
  /** `id`, `uri` of a group, or `emailaddress`. */
  readonly type: string
  readonly grantee: string
  readonly permission: string
}

/** The types in headers and documents. Only a URI names a group. */
const granteeTypes: ReadonlySet<string> = new Set(['id', 'uri', 'emailaddress'])

/** Such as `id="…", uri="…"`. */
function granteesOf(header: string, value: string, permission: string): Grant[] {
  return value.split(',').map((item) => {
    const [name = '', ...rest] = item.split('=')
    const type = name.trim().toLowerCase()
    const grantee = rest.join('=').trim().replaceAll('"', '')
    if (granteeTypes.has(type) && grantee !== '') return { type, grantee, permission }
    throw invalidArgument(header, value, 'Expected a list of id="…", uri="…" or emailAddress="…".')
  })
}

function reachOfGrants(grants: readonly Grant[]): Reach {
  const others = grants.filter(({ grantee }) => grantee !== owner.ID)
  if (others.length === 0) return 'owner'
  const isRead = ({ type, grantee, permission }: Grant) =>
    type === 'uri' && grantee === everyone && permission === 'READ'
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
    const list = onlyChild(root, 'AccessControlList')
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
  const who = onlyChild(grant, 'Grantee')?.children ?? []
  const [grantee, another] = who.filter(({ name }) => granteeTypes.has(name.toLowerCase()))
  if (!permission || !permissions.has(permission) || !grantee?.text || another !== undefined) {
    throw new S3Error('MalformedXML', 'A Grant needs one Grantee and a Permission.')
  }
  return { type: grantee.name.toLowerCase(), grantee: grantee.text, permission }
}
