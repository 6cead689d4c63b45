import { chooseDrive, type DriveName, storeAbilities } from '../support/chosen-drive.ts'

/** The tests of docs/contract that depend on what the drive does. */
const files = [
  'contract-bucket',
  'contract-conditions',
  'contract-copy',
  'contract-integrity',
  'contract-multipart',
  'contract-object',
  'contract-presigned',
] as const

/** Runs these acceptance tests against gateways on that drive. */
export async function acceptanceOn(name: DriveName): Promise<void> {
  chooseDrive(name)
  for (const file of files) {
    // It lists `a/a` beside `a`.
    if (file === 'contract-bucket' && !storeAbilities().besideFolders) continue
    await import(`../acceptance/${file}.test.ts`)
  }
}
