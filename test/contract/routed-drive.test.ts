import type { Drive } from '../../src/drives/drive.ts'
import { openMemoryDrive } from '../../src/drives/memory/memory-drive.ts'
import type { Mount } from '../../src/drives/several/mount.ts'
import { RoutedDrive } from '../../src/drives/several/routed-drive.ts'
import { buckets } from './drive/drive-suite.ts'
import { driveContract, drivePartContract } from './drive-contract.ts'
import { googleDriveLacks, makeGoogleDriveWith } from './google-drive-under-test.ts'
import { localDriveLacks, localDriveWith } from './local-drive-under-test.ts'

/** The folders of the buckets under test on the drive NAS. */
const folders = ['Music/Lossless', 'Music/Lossy'] as const

/** The buckets under test are nested folders of the drive NAS; those added later are on the default drive. */
function routed(main: Drive, nas: Drive): RoutedDrive {
  const mounts = [mountOf('', main), mountOf('NAS', nas)] as const
  const places = buckets.map((bucket, index) => {
    return [bucket, { mount: mounts[1], folder: folders[index] ?? '', isReadOnly: false }] as const
  })
  return new RoutedDrive({ mounts, places: new Map(places) })
}

function mountOf(name: string, drive: Drive): Mount {
  return { name, drive, isReadOnly: false }
}

driveContract(
  'two local drives',
  async (t, options) => {
    const main = await localDriveWith(t, {}, ['main'])
    const nas = await localDriveWith(t, options, folders)
    return {
      ...nas,
      drive: routed(main.drive, nas.drive),
      reopen: async () => routed(await main.reopen(), await nas.reopen()),
      leftovers: async () => [
        ...((await main.leftovers?.()) ?? []),
        ...((await nas.leftovers?.()) ?? []),
      ],
    }
  },
  localDriveLacks,
)

driveContract(
  'two memory drives',
  async (t, options) => {
    const drive = routed(openMemoryDrive(), openMemoryDrive(options))
    await drive.prepare(buckets)
    t.after(() => drive.close())
    return { drive }
  },
  {
    reopen: 'it forgets everything',
    byHand: 'nobody can put a file into memory',
    leftovers: 'the memory drive is tested for them',
  },
)

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
