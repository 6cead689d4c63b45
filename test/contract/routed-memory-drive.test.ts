import { openMemoryDrive } from '../../src/storage/drives/memory/memory-drive.ts'
import { buckets } from './drive/drive-suite.ts'
import { driveContract } from './drive-contract.ts'
import { nestedVersioning, routed } from './routed-drive-under-test.ts'

driveContract(
  'two memory drives',
  async (t, options) => {
    const nas = openMemoryDrive({ ...options, versioningOf: nestedVersioning(options) })
    const drive = routed(openMemoryDrive(), nas)
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
