import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest, PendingReply } from '../../platform/http/message.ts'
import type { LeveledLog } from '../../platform/process/log.ts'
import type { AccessKeys } from '../access/access-keys.ts'
import type { Identity, WantedAccess } from '../access/authorize.ts'
import type { BucketOptionsWriter, ObjectLock } from '../buckets/bucket-options.ts'
import type { PolicyAction } from '../buckets/bucket-policy.ts'
import type { BucketUsage } from '../buckets/bucket-usage.ts'
import type { VersioningStatus } from '../buckets/bucket-versioning.ts'
import type { BucketConfiguration, Buckets } from '../buckets/buckets.ts'
import type { LockClock } from '../buckets/lock-clock.ts'
import type { Drive } from '../drives/drive.ts'
import type { Query } from './address/query.ts'
import type { Compatibility } from './compatibility.ts'
import type { AclMode, Acls } from './configuration/acls.ts'
import type { EncryptionMode } from './headers/encryption.ts'
import type { Uploads } from './multipart/uploads.ts'

/** The settings that S3 needs, with the names and units of docs/configuration.md. */
export interface S3Settings {
  readonly region: string
  /** Other regions that clients may sign for; `*`: any. */
  readonly regions: readonly string[]
  /** Whether an unsigned GET may also list a public bucket. */
  readonly publicList: boolean
  /** Without a trailing slash. Signatures for its host are accepted as well. */
  readonly publicUrl: string | undefined
  /** In lower case. A subdomain of one names the bucket. Default: none. */
  readonly virtualHostDomains?: readonly string[]
  /** In lower case. A subdomain of one is the website of a bucket. Default: none. */
  readonly websiteDomains?: readonly string[]
  readonly corsAllowedOrigins: readonly string[]
  readonly serverSideEncryption: EncryptionMode
  /** Where events go. Default: nowhere. */
  readonly notifyWebhook?: string | undefined
  readonly notifyRedis?: string | undefined
  /** Buckets that are public regardless of their ACLs. Default: none. */
  readonly publicReadBuckets?: readonly string[]
  /** Whether buckets have the objects of veeam-objects.ts. Default: no. */
  readonly veeamSosapi?: boolean
  /** The minimum for each part of a multipart upload except the last. */
  readonly minPartMib: number
}

/**
 * - `off`: nothing (docs/contract/object-storage.md, "Bucket operations")
 * - `existing`: create a bucket that is already served
 * - `on`: create, configure and remove buckets
 */
type BucketCreation = 'off' | 'existing' | 'on'

/** Creates and removes buckets. @throws BucketError, DriveError, DatabaseError */
interface BucketCreator {
  create(bucket: string, region: string): Promise<void>
  remove(bucket: string): Promise<void>
}

/** Turns versions on and off, and Object Lock on. @throws BucketError, DriveError, DatabaseError */
interface VersioningSwitch {
  change(bucket: string, status: VersioningStatus, drive: Drive): Promise<void>
  lock(
    bucket: string,
    objectLock: ObjectLock,
    options: { readonly drive: Drive; readonly enablesVersions?: boolean },
  ): Promise<void>
}

interface BucketFreshness {
  /** Undefined if the buckets in memory are current, or cannot be checked. Never rejects. */
  ensureFresh(): Promise<void> | undefined
  /** For an unknown bucket, which another process may just have created. Never rejects. */
  lookAgain(): Promise<void>
}

/** The services and settings that every operation can use. */
export interface S3Service {
  readonly settings: S3Settings
  readonly compatibility: Compatibility
  readonly acls: Acls
  readonly keys: AccessKeys
  /**
   * Whether a request has the token of a valid session of the dashboard in its Authorization header, and was not sent
   * by a page of another origin. Absent if there is no dashboard.
   *
   * @throws KeyValueError
   */
  readonly hasSession?: ((request: HttpRequest) => Promise<boolean>) | undefined
  readonly buckets: Buckets
  /** Absent if S3 clients may not set CORS and lifecycle rules. */
  readonly bucketOptions?: BucketOptionsWriter | undefined
  readonly usage: Pick<BucketUsage, 'reserve' | 'giveBack' | 'exceededBy' | 'wrote' | 'addedParts'>
  /** What S3 clients may do with buckets. Absent: `off`. */
  readonly bucketCreation?: BucketCreation
  /** Present if `bucketCreation` is `on`. */
  readonly bucketMaker?: BucketCreator | undefined
  /** Present if `bucketCreation` is `on`. */
  readonly versioning?: VersioningSwitch | undefined
  /** Keeps `buckets` current. Absent if they never change. */
  readonly cached?: BucketFreshness | undefined
  readonly drive: Drive
  readonly uploads: Uploads
  /** The time of Object Lock. @throws DatabaseError */
  readonly lockTime: LockClock['read']
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: LeveledLog
}

/** Each level adds to the context, so that an operation can't be called without what it needs. */
export interface ServiceContext {
  readonly service: S3Service
  readonly request: HttpRequest
  readonly query: Query
  /** The bucket, if the host name contains it. */
  readonly hostBucket?: string | undefined
  /** The sender. Anonymous: an unsigned read of a public bucket. */
  readonly identity: Identity
}

/** For CreateBucket. */
export interface NewBucketContext extends ServiceContext {
  readonly bucket: string
  /** Absent unless the bucket already exists. */
  readonly configuration: BucketConfiguration | undefined
}

export interface BucketContext extends ServiceContext {
  readonly bucket: string
  readonly configuration: BucketConfiguration
}

export interface ObjectContext extends BucketContext {
  /** Decoded, 1 to 1,024 bytes of UTF-8. */
  readonly key: string
  /** The version in the request. Absent: the newest one, or the bucket never had versions. */
  readonly versionId?: string | undefined
  /** Whether the sender may write an object only where there is none (write-once.ts). */
  readonly createsOnly?: boolean
}

export type Operation<Context extends ServiceContext> = (context: Context) => PendingReply

/** The access that an operation requires: checked once, before it runs. */
export interface Access {
  /** The right to the key; for `list`, to the prefix. `any`: any right in the bucket. */
  readonly action: WantedAccess['action']
  /** Whether it needs the rights for versions. Absent: if the request names one. */
  readonly ofVersions?: boolean
  /**
   * Whether the operation is open to everyone in a public bucket, even unsigned. `read`: yes, as for every GET and
   * HEAD (docs/contract/object-storage.md, "Public buckets"); `list`: if PUBLIC_LIST allows it.
   */
  readonly public?: 'read' | 'list'
  /** The action in a bucket policy that opens the operation to everyone. Absent: no policy can. */
  readonly policy?: PolicyAction
}

/** The parts of a request, besides its address, that determine its operation. */
export interface Detectable {
  readonly method: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly bucketCreation: BucketCreation
  readonly compatibility: Compatibility
  readonly acls: AclMode
  readonly serverSideEncryption: EncryptionMode
  /** Whether there are WEBSITE_DOMAINS. */
  readonly hasWebsites: boolean
  /** Whether the request was made from a form whose policy allows it. */
  readonly isForm: boolean
}

/** A further condition of a row. */
export interface Condition {
  isMet(request: Detectable): boolean
  /** What the operator can set to meet the condition, for the error message. */
  readonly hint?: string
}

interface Row<Level, Context extends ServiceContext> {
  /** `newBucket`: the bucket need not exist. */
  readonly level: Level
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The query parameters that request the operation. Undefined: none. */
  readonly parameter: string | readonly string[] | undefined
  readonly when: Condition | undefined
  readonly access: Access
  readonly handle: Operation<Context>
  /**
   * Its name in the access log: `REST.HTTP_method.resource_type` (AWS, "Amazon S3 server access log format"). AWS
   * publishes no complete list, so the names come from its examples and from real logs; other names follow AWS's
   * pattern, with the name of the sub-resource.
   */
  readonly logName: string | ((query: Query) => string)
}

export type OperationRow =
  | Row<'service', ServiceContext>
  | Row<'newBucket', NewBucketContext>
  | Row<'bucket', BucketContext>
  | Row<'object', ObjectContext>

export type OperationTable = Readonly<Record<string, OperationRow>>

/**
 * Makes the rows of a level. Arguments: `method`, `parameter`, `handle`, `access`, `when`, `logName` of a row. Default
 * for `logName`: REST, the method, and the sub-resource or the level.
 */
export function rowsOf<Level extends string, Context extends ServiceContext>(level: Level) {
  return (
    ...[method, parameter, handle, access, when, logName]: [
      method: Row<Level, Context>['method'],
      parameter: Row<Level, Context>['parameter'],
      handle: Operation<Context>,
      access: Access,
      when?: Row<Level, Context>['when'],
      logName?: Row<Level, Context>['logName'],
    ]
  ): Row<Level, Context> => {
    const resource = String(parameter ?? (level === 'newBucket' ? 'bucket' : level))
    const ownName = `REST.${method}.${resource.replace(/[A-Z]/g, '_$&').toUpperCase()}`
    return { level, method, parameter, handle, access, when, logName: logName ?? ownName }
  }
}
