import type { IncomingHttpHeaders } from 'node:http'
import type { WantedAccess } from '../access/authorize.ts'
import type { PolicyAction } from '../buckets/bucket-policy.ts'
import type { Query } from './address/query.ts'
import type { Compatibility } from './compatibility.ts'
import type { AclMode } from './configuration/acls.ts'
import type {
  BucketContext,
  BucketCreation,
  NewBucketContext,
  ObjectContext,
  Operation,
  ServiceContext,
} from './context.ts'
import type { EncryptionMode } from './headers/encryption.ts'

/** The access that an operation requires: checked once, before it runs. */
export interface Access {
  /** The right to the key; for `list` to the prefix. `any`: some right in the bucket. */
  readonly action: WantedAccess['action']
  /**
   * Who may do it in a public bucket without that right, also unsigned. `read`: everyone, as every
   * GET and HEAD (docs/contract/object-storage.md, "Public buckets"); `list`: everyone if
   * PUBLIC_LIST allows it.
   */
  readonly public?: 'read' | 'list'
  /** What a bucket policy that allows it to everyone calls it. Absent: no policy can. */
  readonly policy?: PolicyAction
}

/** What identifies the operation of a request, beside its address. */
export interface Detectable {
  readonly method: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly bucketCreation: BucketCreation
  readonly compatibility: Compatibility
  readonly acls: AclMode
  readonly serverSideEncryption: EncryptionMode
  /** Made of a form whose policy allows it. */
  readonly isForm: boolean
}

/** A further condition of a row. */
export interface Condition {
  isMet(request: Detectable): boolean
  /** What the operator can set so that it is met, for the message of the refusal. */
  readonly hint?: string
}

interface Row<Level, Context extends ServiceContext> {
  /** `newBucket`: of a bucket that need not exist. */
  readonly level: Level
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The query parameter that requests it, or each of several. Undefined: no parameter does. */
  readonly parameter: string | readonly string[] | undefined
  readonly when: Condition | undefined
  readonly access: Access
  readonly handle: Operation<Context>
  /**
   * Its name in the access log: `REST.HTTP_method.resource_type` (AWS, "Amazon S3 server access log format"). AWS
   * publishes no complete list: the names are those of its examples and of real logs, and where there is none, its
   * pattern with the name of the sub-resource.
   */
  readonly logName: string | ((query: Query) => string)
}

export type OperationRow =
  | Row<'service', ServiceContext>
  | Row<'newBucket', NewBucketContext>
  | Row<'bucket', BucketContext>
  | Row<'object', ObjectContext>

export type OperationTable = Readonly<Record<string, OperationRow>>

/** Makes the rows of a level. Arguments: `method`, `parameter`, `handle`, `access`, `logName`, `when` of a row. */
export function rowsOf<Level, Context extends ServiceContext>(level: Level) {
  return (
    ...[method, parameter, handle, access, logName, when]: [
      method: Row<Level, Context>['method'],
      parameter: Row<Level, Context>['parameter'],
      handle: Operation<Context>,
      access: Access,
      logName: Row<Level, Context>['logName'],
      when?: Row<Level, Context>['when'],
    ]
  ): Row<Level, Context> => ({ level, method, parameter, handle, access, logName, when })
}
