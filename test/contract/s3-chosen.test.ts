import { before, describe } from 'node:test'
import { installedNames, startInstalled } from '../support/s3/installed-stores.ts'
import type { S3Store } from '../support/s3/s3-store.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import { driveContract } from './drive-contract.ts'
import { s3DriveLacks, s3DriveUnderTest } from './s3-drive-under-test.ts'

// Runs only if S3_STORE names a store: CONTRIBUTING.md, "Run the drive's tests on other S3 stores".
const name = installedNames.find((one) => one === process.env.S3_STORE)

if (name !== undefined) {
  describe(`an S3 drive on ${name}`, () => {
    const scope = suiteScope()
    let store: S3Store
    before(async () => {
      store = await startInstalled(scope, name)
    })
    driveContract(
      name,
      async (t) => {
        await store.reset()
        return await s3DriveUnderTest(t, store)
      },
      {
        ...s3DriveLacks,
        copyConditions: 'CopyObject ignores them',
        smallParts: 'no part before the last one has less than 5 MiB, as on AWS',
      },
    )
  })
}
