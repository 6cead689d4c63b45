import { describe } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { DriveSuite } from './drive/drive-suite.ts'
import { versionListingCases } from './drive/version-listing.ts'
import { versionAttributeCases, versionLockCases } from './drive/version-locks.ts'
import { versionRaceCases } from './drive/version-races.ts'
import { versionUseCases } from './drive/version-uses.ts'
import { versionCases } from './drive/versions.ts'
import { s3DriveLacks, s3DriveUnderTest } from './s3-drive-under-test.ts'

/** Retentions end by the clock of the store. */
const storeClock = 'the store has its own clock'

describe('an S3 drive whose buckets are those of Bucketry, with versions', () => {
  const suite = new DriveSuite(
    async (t, options) => {
      // A locked version cannot be removed for the next case.
      const settings = { COMPATIBILITY: 'aws', BUCKET_CREATION: 'on' }
      const { url, credentials } = await startGatewayInProcess(t, settings)
      return await s3DriveUnderTest(t, { url, ...credentials }, options)
    },
    {
      abilities: s3DriveLacks,
      cases: {
        '(COMPLIANCE, from the beginning) stays until it has ended': storeClock,
        '(COMPLIANCE, added later) stays until it has ended': storeClock,
        'and a retention needs both to end': storeClock,
        'may be locked as the version null, and is not replaced then':
          'a store does not suspend versions that can be locked',
        'remove a version once, and promote the next one once':
          'a store does not tell which of several removals of a version has removed it',
      },
    },
  )
  versionCases(suite)
  versionUseCases(suite)
  versionListingCases(suite)
  versionAttributeCases(suite)
  versionLockCases(suite)
  versionRaceCases(suite)
})
