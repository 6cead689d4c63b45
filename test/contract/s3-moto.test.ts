import { before, describe } from 'node:test'
import { absenceOfMoto, startMoto } from '../support/s3/moto.ts'
import type { S3Store } from '../support/s3/s3-store.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import { driveContract } from './drive-contract.ts'
import {
  copiesWithoutPin,
  itDoesAsRecorded,
  s3DriveLacks,
  s3DriveUnderTest,
} from './s3-drive-under-test.ts'

describe('an S3 drive whose buckets are those of moto', { skip: absenceOfMoto() }, () => {
  const scope = suiteScope()
  let moto: S3Store
  before(async () => {
    moto = await startMoto(scope)
  })
  driveContract(
    'moto',
    async (t, options) => {
      await moto.reset()
      return await s3DriveUnderTest(t, moto, options)
    },
    {
      ...s3DriveLacks,
      versionsAsOnAws: 'it lists delete markers last, and has none of an absent object',
      controlKeys: 'moto answers 404 to a line feed',
      atomicWrites: 'moto looks and then writes',
      copyConditions: 'moto ignores them',
      completeIfMatch: 'moto ignores it',
      goneUploads: 'moto fails with 500',
    },
    copiesWithoutPin,
  )
  itDoesAsRecorded('moto', () => moto)
})
