import { drivePartContract } from './drive-contract.ts'
import { googleDriveLacks, makeGoogleDrive } from './google-drive-under-test.ts'

drivePartContract('the Google drive', 'names', { make: makeGoogleDrive, lacking: googleDriveLacks })
