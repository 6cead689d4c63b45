import { OwnerKey } from '../../../../src/storage/access/access-keys.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { compatibilityOf } from '../../../../src/storage/s3/compatibility.ts'
import { Acls } from '../../../../src/storage/s3/configuration/acls.ts'
import type { S3Service, S3Settings } from '../../../../src/storage/s3/context.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { silentLog } from '../../../support/silent-log.ts'

interface Overrides extends Partial<Omit<S3Service, 'settings'>> {
  readonly settings?: Partial<S3Settings>
}

/**
 * The service with default settings, the buckets `b` and `other`, and an empty memory drive. Reading `uploads` throws
 * unless the test passes them, because they need a database.
 */
export function serviceFor({ settings, ...others }: Overrides = {}): S3Service {
  const log = others.log ?? silentLog
  return {
    compatibility: compatibilityOf.contract,
    acls: new Acls('refuse', log),
    keys: new OwnerKey({ accessKey: 'AK', secretKey: 'SK' }),
    buckets: servedBuckets(['b', 'other']),
    usage: {
      reserve: async () => undefined,
      exceededBy: async () => undefined,
      giveBack: () => undefined,
      wrote: () => undefined,
      addedParts: () => undefined,
    },
    drive: openMemoryDrive(),
    get uploads(): never {
      throw new Error('this test has no uploads')
    },
    now: Date.now,
    lockTime: async () => ({ endedMs: Date.now(), startMs: Date.now() }),
    log,
    ...others,
    settings: {
      region: 'us-east-1',
      regions: [],
      publicList: true,
      publicUrl: undefined,
      corsAllowedOrigins: [],
      serverSideEncryption: 'refuse',
      minPartMib: 0,
      ...settings,
    },
  }
}
