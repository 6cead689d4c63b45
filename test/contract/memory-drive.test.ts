import { openMemoryDrive } from '../../src/storage/drives/memory/memory-drive.ts'
import { buckets } from './drive/drive-suite.ts'
import { driveContract } from './drive-contract.ts'

driveContract(
  'the memory drive',
  async (t, options) => {
    const drive = openMemoryDrive(options)
    await drive.prepare(buckets)
    t.after(() => drive.close())
    return {
      drive,
      leftovers: async () => Array.from({ length: drive.uploads.count }, () => 'an upload'),
    }
  },
  {
    reopen: 'it forgets everything',
    byHand: 'nobody can put a file into memory',
    removeFolder: 'it has no folders that nobody needs',
  },
)
