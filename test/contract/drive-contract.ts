/**
 * The requirements of src/storage/drives/drive.ts for every drive, sentence by sentence. A drive's test calls
 * `driveContract` and declares what it cannot offer, each with its reason.
 */
import { describe } from 'node:test'
import { attributeCases } from './drive/attributes.ts'
import { bucketCases } from './drive/buckets.ts'
import { byHandCases } from './drive/by-hand.ts'
import { chunkCases } from './drive/chunks.ts'
import { conditionsCases } from './drive/conditions.ts'
import { copyCases } from './drive/copying.ts'
import { DriveSuite, type Lacking, type MakeDrive } from './drive/drive-suite.ts'
import { folderMoveCases } from './drive/folder-moves.ts'
import { fullDriveCases } from './drive/full-drive.ts'
import { keyCases } from './drive/keys.ts'
import { listingCases } from './drive/listing.ts'
import { objectCases } from './drive/objects.ts'
import { overwriteCases } from './drive/overwrites.ts'
import { placedPartCases } from './drive/placed-parts.ts'
import { replacedPartCases } from './drive/replaced-parts.ts'
import { tagCases } from './drive/tags.ts'
import { trashCases } from './drive/trash.ts'
import { uploadCases } from './drive/uploads.ts'
import { versionListingCases } from './drive/version-listing.ts'
import { versionAttributeCases, versionLockCases } from './drive/version-locks.ts'
import { versionRaceCases } from './drive/version-races.ts'
import { versionRandomCases } from './drive/version-random.ts'
import { versionUseCases } from './drive/version-uses.ts'
import { versionCases } from './drive/versions.ts'

type Cases = (suite: DriveSuite) => void

/** The contract in parts of similar duration: a slow drive may run each in a separate file. */
const contractParts = {
  names: [keyCases, listingCases],
  objects: [
    objectCases,
    bucketCases,
    chunkCases,
    conditionsCases,
    overwriteCases,
    attributeCases,
    tagCases,
    copyCases,
    trashCases,
    folderMoveCases,
    uploadCases,
    replacedPartCases,
    placedPartCases,
    byHandCases,
    fullDriveCases,
    versionCases,
    versionUseCases,
    versionListingCases,
    versionAttributeCases,
    versionLockCases,
    versionRaceCases,
    versionRandomCases,
  ],
} as const satisfies Record<string, readonly Cases[]>

export type ContractPart = keyof typeof contractParts

/**
 * The whole contract.
 *
 * @param cases titles of cases that a server of others does not pass, each with its reason
 */
export function driveContract(
  name: string,
  make: MakeDrive,
  lacking: Lacking['abilities'] = {},
  cases: Lacking['cases'] = {},
): void {
  for (const part of Object.keys(contractParts)) {
    drivePartContract(name, part as ContractPart, { make, lacking, cases })
  }
}

/** One part of the contract. */
export function drivePartContract(
  name: string,
  part: ContractPart,
  {
    make,
    lacking,
    cases = {},
  }: {
    readonly make: MakeDrive
    readonly lacking: Lacking['abilities']
    readonly cases?: Lacking['cases']
  },
): void {
  describe(`${name}: ${part}`, () => {
    const suite = new DriveSuite(make, { abilities: lacking, cases })
    for (const declare of contractParts[part]) declare(suite)
    suite.itLacksWhatItSays()
  })
}
