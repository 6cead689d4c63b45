import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  CreateBucketCommand,
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type GatewayInProcess, startGatewayInProcess } from './gateway-in-process.ts'
import type { Credentials } from './signed-request.ts'

export const dayMs = 24 * 60 * 60 * 1000

/** The start of this second: SDKs send whole seconds. */
export const today = Math.floor(Date.now() / 1000) * 1000
export const soon = (days = 1) => new Date(today + days * dayMs)

export type LockMode = 'GOVERNANCE' | 'COMPLIANCE'

/** The AWS SDK on a bucket with Object Lock. */
export class LockClient {
  readonly s3: S3Client
  readonly Bucket: string

  constructor(
    t: TestContext,
    { url, credentials }: Pick<GatewayInProcess, 'url' | 'credentials'>,
    { bucket = 'locked', as = credentials }: { bucket?: string; as?: Credentials } = {},
  ) {
    this.Bucket = bucket
    this.s3 = new S3Client({
      ...{ endpoint: url, region: credentials.region, forcePathStyle: true, maxAttempts: 1 },
      credentials: { accessKeyId: as.accessKey, secretAccessKey: as.secretKey },
    })
    t.after(() => this.s3.destroy())
  }

  async create(): Promise<this> {
    const { Bucket } = this
    await this.s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
    return this
  }

  /** Resolves with the version's ID. */
  async put(Key: string, more: Partial<PutObjectCommand['input']> = {}): Promise<string> {
    const { Bucket } = this
    const command = new PutObjectCommand({ Bucket, Key, Body: 'bytes', ...more })
    const { VersionId } = await this.s3.send(command)
    assert.ok(VersionId)
    return VersionId
  }

  /** Puts an object that is locked until `untilMs`. */
  async lock(Key: string, mode: LockMode, untilMs = Date.now() + dayMs): Promise<string> {
    const ObjectLockRetainUntilDate = new Date(untilMs)
    return await this.put(Key, { ObjectLockMode: mode, ObjectLockRetainUntilDate })
  }

  /** The lock in the reply of HEAD. */
  async headLock(Key: string, VersionId?: string) {
    const { Bucket } = this
    const head = await this.s3.send(new HeadObjectCommand({ Bucket, Key, VersionId }))
    const { ObjectLockMode, ObjectLockRetainUntilDate, ObjectLockLegalHoldStatus } = head
    return {
      ...{ mode: ObjectLockMode, hold: ObjectLockLegalHoldStatus },
      untilMs: ObjectLockRetainUntilDate?.getTime(),
      modifiedAtMs: head.LastModified?.getTime(),
    }
  }

  async setDefault(Mode: LockMode, period: { Days?: number; Years?: number }): Promise<void> {
    const { Bucket } = this
    const Rule = { DefaultRetention: { Mode, ...period } }
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const
    const input = { Bucket, ObjectLockConfiguration }
    await this.s3.send(new PutObjectLockConfigurationCommand(input))
  }

  async retain(
    Key: string,
    Retention: { Mode?: LockMode; RetainUntilDate?: Date },
    more: { VersionId?: string; BypassGovernanceRetention?: boolean } = {},
  ): Promise<void> {
    const { Bucket } = this
    await this.s3.send(new PutObjectRetentionCommand({ Bucket, Key, Retention, ...more }))
  }

  async retention(Key: string, VersionId?: string) {
    const { Bucket } = this
    const command = new GetObjectRetentionCommand({ Bucket, Key, VersionId })
    return (await this.s3.send(command)).Retention
  }

  async hold(Key: string, Status: 'ON' | 'OFF', VersionId?: string): Promise<void> {
    const { Bucket } = this
    const LegalHold = { Status }
    await this.s3.send(new PutObjectLegalHoldCommand({ Bucket, Key, LegalHold, VersionId }))
  }

  async holdStatus(Key: string, VersionId?: string) {
    const { Bucket } = this
    const command = new GetObjectLegalHoldCommand({ Bucket, Key, VersionId })
    return (await this.s3.send(command)).LegalHold?.Status
  }
}

/** Asserts that a request is refused. */
export async function refuses(
  request: Promise<unknown>,
  status: number,
  code: string,
  message?: string,
): Promise<void> {
  await assert.rejects(request, (error) => {
    assert.ok(error instanceof S3ServiceException, String(error))
    assert.deepEqual([error.$metadata.httpStatusCode, error.name], [status, code])
    if (message !== undefined) assert.equal(error.message, message)
    return true
  })
}

/** A gateway with the bucket `locked`. @param now the database's time */
export async function startLocked(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  now = Date.now,
) {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on', ...settings }, { now })
  return { gateway, client: await new LockClient(t, gateway).create() }
}
