import { BucketError } from '../../storage/buckets/bucket-changes.ts'
import type { BucketMaker } from '../../storage/buckets/bucket-maker.ts'
import { policyOfAccess } from '../../storage/s3/configuration/policy-document.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Creates those of DEFAULT_BUCKETS that do not exist, each together with its access: a start that is killed between two
 * steps leaves no bucket without it. A bucket that exists keeps what its users have set since.
 *
 * @throws DriveError, DatabaseError
 */
export async function makeDefaultBuckets(
  { defaultBuckets }: Pick<Settings, 'defaultBuckets'>,
  maker: Pick<BucketMaker, 'create'>,
  log: Log,
): Promise<void> {
  for (const { bucket, access } of defaultBuckets) {
    try {
      await maker.create(bucket, '', policyOfAccess(access, bucket))
      const isOpen = access === 'upload' || access === 'public'
      const note = 'created a bucket of DEFAULT_BUCKETS'
      if (isOpen)
        log.warn({ bucket, access }, `${note}: everyone may write to it and delete from it`)
      else log.info({ bucket, access }, note)
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      // A folder with content, for example. The other buckets do not depend on it.
      if (error.kind !== 'exists') {
        log.error({ bucket, reason: error.message }, 'could not create a bucket of DEFAULT_BUCKETS')
      }
    }
  }
}
