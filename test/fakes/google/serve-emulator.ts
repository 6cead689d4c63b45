import { parseArgs } from 'node:util'
import type { ByHand } from './by-hand.ts'
import { startGoogleEmulator } from './google-emulator.ts'

/**
 * The emulator in a separate process, for benchmarks: `node serve-emulator.ts --latency-ms 80
 * --bytes-per-second 100000000 --shared-drive Team`. With `--fill Bucketry/photos --files 1000` there are
 * that many files of 1 KiB in that folder of My Drive: file-0000000 and so on. The first line of its
 * output is JSON with what a gateway needs. GET /emulator/counters returns the calls, DELETE resets them. SIGTERM ends it.
 */
const { values } = parseArgs({
  options: {
    'latency-ms': { type: 'string', default: '0' },
    'bytes-per-second': { type: 'string', default: 'Infinity' },
    'shared-drive': { type: 'string' },
    fill: { type: 'string', default: '' },
    files: { type: 'string', default: '0' },
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
await fill(emulator.byHand, values.fill.split('/'), Number(values.files))
const { url, endpoints, credentials, serviceAccount, rootFolderId, sharedDriveId } = emulator
const facts = { url, endpoints, credentials, serviceAccount, rootFolderId, sharedDriveId }
console.log(JSON.stringify(facts))
process.once('SIGTERM', () => void emulator.close())

async function fill(byHand: ByHand, names: readonly string[], files: number): Promise<void> {
  if (files === 0) return
  const parent = names.reduce<string | undefined>((id, name) => byHand.folder(name, id), undefined)
  if (parent === undefined) return
  const bytes = Buffer.alloc(1024, 'bucketry ')
  for (let index = 0; index < files; index++) {
    await byHand.file(`file-${String(index).padStart(7, '0')}`, bytes, { parent })
  }
}
