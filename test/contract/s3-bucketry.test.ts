import { before, describe, type TestContext } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import type { S3Store } from '../support/s3/s3-store.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import { driveContract } from './drive-contract.ts'
import { newFolder, s3DriveLacks, s3DriveUnderTest } from './s3-drive-under-test.ts'

describe('an S3 drive whose buckets are folders in a bucket of Bucketry', () => {
  const scope = suiteScope()
  let store: Omit<S3Store, 'reset'> & { readonly bucket: string }
  before(async () => {
    const gateway = await startGatewayInProcess(scope as TestContext, { COMPATIBILITY: 'aws' })
    store = { ...gateway, ...gateway.credentials }
  })
  driveContract(
    'Bucketry',
    (t) => s3DriveUnderTest(t, { ...store, path: newFolder(store.bucket) }),
    {
      ...s3DriveLacks,
      removeBucket: 'a folder cannot be removed in one step',
      smallParts: 'with COMPATIBILITY=aws, as on AWS',
      longKeys: 'the folder is a part of the key',
      versions: 'they would change for all folders of the bucket',
      locks: 'there are no versions',
    },
  )
})
