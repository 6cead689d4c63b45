import { drivePartContract } from './drive-contract.ts'
import { localDriveLacks, makeLocalDrive } from './local-drive-under-test.ts'

drivePartContract('the local drive', 'names', { make: makeLocalDrive, lacking: localDriveLacks })
