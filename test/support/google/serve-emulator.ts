import { parseArgs } from 'node:util'
import { startGoogleEmulator } from './google-emulator.ts'

/**
 * The emulator in a process of its own, for benchmarks: `node serve-emulator.ts --latency-ms 80
 * --bytes-per-second 100000000 --shared-drive Team`. The first line of its output is JSON with what
 * a gateway needs. GET /emulator/counters tells of calls, DELETE forgets them. SIGTERM ends it.
 */
const { values } = parseArgs({
  options: {
    'latency-ms': { type: 'string', default: '0' },
    'bytes-per-second': { type: 'string', default: 'Infinity' },
    'shared-drive': { type: 'string' },
    port: { type: 'string', default: '0' },
  },
})

const name = values['shared-drive']
const emulator = await startGoogleEmulator({
  latencyMs: Number(values['latency-ms']),
  bytesPerSecond: Number(values['bytes-per-second']),
  port: Number(values.port),
  ...(name === undefined ? {} : { sharedDrive: name }),
})
const { url, endpoints, credentials, serviceAccount, rootFolderId, sharedDriveId } = emulator
const facts = { url, endpoints, credentials, serviceAccount, rootFolderId, sharedDriveId }
console.log(JSON.stringify(facts))
process.once('SIGTERM', () => void emulator.close())
