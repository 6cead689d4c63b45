/**
 * What every drive must do, sentence by sentence of src/drives/drive.ts. A drive's own test calls
 * `driveContract` and declares what it can't offer, each with its reason.
 */
import { describe } from 'node:test'
import { attributeCases } from './drive/attributes.ts'
import { byHandCases } from './drive/by-hand.ts'
import { conditionsCases } from './drive/conditions.ts'
import { copyCases } from './drive/copying.ts'
import { type Ability, DriveSuite, type MakeDrive } from './drive/drive-suite.ts'
import { fullDriveCases } from './drive/full-drive.ts'
import { keyCases } from './drive/keys.ts'
import { listingCases } from './drive/listing.ts'
import { objectCases } from './drive/objects.ts'
import { replacedPartCases } from './drive/replaced-parts.ts'
import { uploadCases } from './drive/uploads.ts'
import { versionCases } from './drive/versions.ts'

export function driveContract(
  name: string,
  make: MakeDrive,
  lacking: Partial<Record<Ability, string>> = {},
): void {
  describe(name, () => {
    const suite = new DriveSuite(make, lacking)
    objectCases(suite)
    keyCases(suite)
    listingCases(suite)
    conditionsCases(suite)
    versionCases(suite)
    attributeCases(suite)
    copyCases(suite)
    uploadCases(suite)
    replacedPartCases(suite)
    byHandCases(suite)
    fullDriveCases(suite)
    suite.itLacksWhatItSays()
  })
}
