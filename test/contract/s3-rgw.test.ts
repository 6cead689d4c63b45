import { before, describe } from 'node:test'
import { absenceOfRgw, startRgw } from '../support/s3/rgw.ts'
import type { S3Store } from '../support/s3/s3-store.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import { driveContract } from './drive-contract.ts'
import {
  copiesWithoutPin,
  itDoesAsRecorded,
  s3DriveLacks,
  s3DriveUnderTest,
} from './s3-drive-under-test.ts'

// docs/s3-drive.md, "Stores". Debian's Ceph is 16.
const noIfMatch = 'no If-Match of PutObject: an ETag in quotes never matches'
const noRemoval = 'no If-Match of DeleteObject'
const noComplete = 'no conditions of CompleteMultipartUpload'
const noFewer = 'Complete must list all parts'

describe("an S3 drive whose buckets are those of Ceph's RGW", { skip: absenceOfRgw() }, () => {
  const scope = suiteScope()
  let rgw: S3Store
  before(async () => {
    rgw = await startRgw(scope)
  })
  driveContract(
    'RGW',
    async (t, options) => {
      await rgw.reset()
      return await s3DriveUnderTest(t, rgw, options)
    },
    {
      ...s3DriveLacks,
      versionsAsOnAws: 'they were not tried',
      anyTags: 'it counts their bytes',
      zeroKeys: 'the HTTP server refuses them',
      goneUploads: 'Complete of an aborted upload is an InternalError',
      replaceLast: noFewer,
      truncate: noFewer,
      copyConditions: 'CopyObject ignores them',
      completeIfMatch: noComplete,
      storageClasses: 'it refuses those that its zone does not have',
    },
    {
      'follows the table, and leaves the key unchanged when they fail': noIfMatch,
      'lets one of 32 with ifMatch of the same ETag win': noIfMatch,
      'follows the table, and leaves the object when they fail': noRemoval,
      'compares the time of the last change': noRemoval,
      'leaves the object if the caller may not go on': noRemoval,
      'stays with every object that is written while it is removed':
        'DeleteBucket looks for objects, and then removes',
      'lets one of 32 removals and overwrites win': noRemoval,
      'returns true once for the same object': noRemoval,
      'leaves the upload for another try when its conditions fail': noComplete,
      'may be repeated, and returns the same as the first time': noComplete,
      'is as before when a condition fails, in any list': noComplete,
      'are returned as they were given, by publish, head and open': 'names get - for _',
      'are those of the newest version only': 'names of user metadata get - for _',
      ...copiesWithoutPin,
      'may leave parts out, and have gaps': noFewer,
      'replaces a part, and frees the place of the one before': noFewer,
      'change in place, and nothing else does': 'PutObjectTagging changes the time of the object',
      'are known to the next process': 'refuses storage classes that it does not know',
    },
  )
  itDoesAsRecorded('Ceph RGW', () => rgw)
})
