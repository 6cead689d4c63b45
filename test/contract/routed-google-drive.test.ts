import { drivePartContract } from './drive-contract.ts'
import { googleDriveLacks, makeGoogleDriveWith } from './google-drive-under-test.ts'
import { localDriveWith } from './local-drive-under-test.ts'
import { folders, routed } from './routed-drive-under-test.ts'

drivePartContract('Google Drive with a nested bucket', 'objects', {
  make: async (t, options) => {
    const google = await makeGoogleDriveWith(t, options, folders)
    const main = await localDriveWith(t, {}, ['main'])
    return {
      ...google,
      drive: routed(main.drive, google.drive),
      reopen: async () => routed(await main.reopen(), await google.reopen()),
    }
  },
  lacking: googleDriveLacks,
})
