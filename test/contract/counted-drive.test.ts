import { MemoryDrive } from '../../src/drives/memory/memory-drive.ts'
import { countedDrive } from '../../src/wiring/metrics/counted-drive.ts'
import { DriveCalls } from '../../src/wiring/metrics/drive-calls.ts'
import { buckets } from './drive/drive-suite.ts'
import { driveContract } from './drive-contract.ts'

driveContract(
  'a drive whose calls are counted',
  async (t, options) => {
    const memory = new MemoryDrive(options)
    const drive = countedDrive(memory, new DriveCalls())
    await drive.prepare(buckets)
    t.after(() => drive.close())
    return {
      drive,
      leftovers: async () => Array.from({ length: memory.uploads.count }, () => 'an upload'),
    }
  },
  {
    reopen: 'it forgets everything',
    byHand: 'nobody can put a file into memory',
    removeFolder: 'it has no folders that nobody needs',
  },
)
