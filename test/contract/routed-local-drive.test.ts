import { driveContract } from './drive-contract.ts'
import { localDriveLacks, localDriveWith } from './local-drive-under-test.ts'
import { folders, nestedVersioning, routed } from './routed-drive-under-test.ts'

driveContract(
  'two local drives',
  async (t, options) => {
    const main = await localDriveWith(t, {}, ['main'])
    const versioningOf = nestedVersioning(options)
    const nas = await localDriveWith(t, { ...options, versioningOf }, folders)
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
