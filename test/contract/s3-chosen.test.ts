import { before, describe } from 'node:test'
import { chosenStore, type InstalledName, startInstalled } from '../support/s3/installed-stores.ts'
import type { S3Store } from '../support/s3/s3-store.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import type { Lacking } from './drive/drive-suite.ts'
import { driveContract } from './drive-contract.ts'
import { itDoesAsRecorded, s3DriveLacks, s3DriveUnderTest } from './s3-drive-under-test.ts'

const likeFiles = { anyKeys: 'it keeps objects as files, or looks at them so' }
const noClasses = { storageClasses: 'it refuses or forgets those that it does not know' }
const smallParts = 'no part before the last one has less than 5 MiB, as on AWS'
const fewTags = 'ten long tags get 500'
const anyTags = 'it counts their bytes'
const ifMatchOfRemoval = 'no If-Match of DeleteObject'
const noConditions = 'no conditions of writes'
const noSlash = 'no slash before a key'
const noEmptyPart = 'no part is empty'
const overtaken = 'an upload ends when its key is written'
const removedTogether = 'two removals of an object at the same moment may both succeed'

/** What docs/s3-drive.md says under "Stores". */
const differences: Readonly<Record<InstalledName, Lacking>> = {
  SeaweedFS: {
    abilities: {
      ...likeFiles,
      versionsAsOnAws: 'they were not tried',
      folderEnds: 'it removes an empty folder after two minutes',
      anyExpires: 'it refuses what is not a date',
      smallParts,
    },
    cases: {
      'stays with every object that is written while it is removed':
        'DeleteBucket looks for objects, and then removes',
    },
  },
  MinIO: {
    abilities: {
      ...likeFiles,
      ...noClasses,
      anyTags,
      versionsAsOnAws: 'a DELETE of an absent object makes no marker',
      anyExpires: 'it changes what is not a date',
      copyConditions: 'CopyObject ignores them',
      smallParts,
    },
    cases: {
      'stays with every object that is written while it is removed':
        'DeleteBucket looks for objects, and then removes',
      'follows the table, and leaves the object when they fail': ifMatchOfRemoval,
      'compares the time of the last change': ifMatchOfRemoval,
      'leaves the object if the caller may not go on': ifMatchOfRemoval,
      'lets one of 32 removals and overwrites win': ifMatchOfRemoval,
      'returns true once for the same object': removedTogether,
    },
  },
  versitygw: {
    abilities: {
      ...likeFiles,
      ...noClasses,
      anyTags,
      versions: 'it is started without a folder for them',
      locks: 'there are no versions',
      controlKeys: 'its listings are not encoded, and XML has none of them',
      copyConditions: 'CopyObject ignores them',
      smallParts,
    },
    cases: {
      'returns true once for the same object': removedTogether,
      'lets one of 32 removals and overwrites win': removedTogether,
      'is a separate object beside all the others': 'names of 254 bytes cannot be overwritten',
      'stays with every object that is written while it is removed':
        'a folder may be left that is not listed',
      'is removed (f/g/h/x) while f/g/h/y is written': 'the write may be refused',
      'are those of the version that was tagged, never of another one':
        'PutObjectTagging may tag the next version',
      'change in place, and nothing else does': fewTags,
      'are known to the next process': fewTags,
    },
  },
  Garage: {
    abilities: {
      storageClasses: 'it forgets them',
      versions: 'it has none',
      locks: 'there are no versions',
      tags: 'it has none',
      atomicWrites: noConditions,
      copyConditions: noConditions,
      completeIfMatch: noConditions,
    },
    cases: {
      'is a separate object beside all the others': noSlash,
      'works alone, and its folders are removed with it': noSlash,
      'lists after any other': noSlash,
      'agrees with a naive model for any keys, prefix, after and delimiter': noSlash,
      'agrees with a naive model with any calls of seek': noSlash,
      'stays with every object that is written while it is removed':
        'DeleteBucket looks for objects, and then removes',
      'follows the table, and leaves the key unchanged when they fail': noConditions,
      'checks them at the moment of publishing': noConditions,
      'follows the table, and leaves the object when they fail': noConditions,
      'compares the time of the last change': noConditions,
      'leaves the object if the caller may not go on': noConditions,
      'returns true once for the same object': removedTogether,
      'may be repeated, and returns the same as the first time': noConditions,
      'is as before when a condition fails, in any list': noConditions,
      'overwrites the existing object, and open readers do not mix the two': overtaken,
      'leaves the upload for another try when its conditions fail': overtaken,
      'publishes nothing when another process has taken it': overtaken,
      'may leave out the last parts (0 bytes)': noEmptyPart,
      'may have no bytes, or no bytes in a part': noEmptyPart,
      'puts other bytes (empty) in place of the last part': noEmptyPart,
      '(empty) may be followed by parts and by another': noEmptyPart,
      '(empty) whose state was never stored loses neither part': noEmptyPart,
      '(empty) survives an append whose state was never stored': noEmptyPart,
    },
  },
}

// Runs only if S3_STORE names a store: CONTRIBUTING.md, "Run the drive's tests on other S3 stores".
const name = chosenStore

if (name !== undefined) {
  describe(`an S3 drive on ${name}`, () => {
    const scope = suiteScope()
    let store: S3Store
    before(async () => {
      store = await startInstalled(scope, name)
    })
    const { abilities, cases } = differences[name]
    driveContract(
      name,
      async (t, options) => {
        await store.reset()
        return await s3DriveUnderTest(t, store, options)
      },
      { ...s3DriveLacks, ...abilities },
      cases,
    )
    itDoesAsRecorded(name, () => store)
  })
}
