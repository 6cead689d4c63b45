import { callMs, linkBytesPerSecond, type RunningEmulator } from '../google-emulator.ts'
import { runUploadClient } from '../load.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import {
  type BenchContext,
  inMebibytes,
  mebibyte,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import { bucket, type RunningServer } from '../servers.ts'
import { withGoogle } from './google-drive.ts'

const objectBytes = 1024 * mebibyte
const partSizes = [8, 16, 32, 64].map((size) => size * mebibyte)
const leastBusy = 0.8
const mostMemoryBytes = 128 * mebibyte

interface Measurement {
  readonly busy: number
  readonly aboveBytes: number
  readonly row: readonly string[]
}

async function upload(context: BenchContext): Promise<Table> {
  const google = { name: 'google-upload', files: 0 }
  return withGoogle(context, google, async (server, emulator) => {
    const floorMs = await emulator.fill(objectBytes)
    const floor = [
      'one request, no gateway',
      (floorMs / 1000).toFixed(1),
      percent(busyOf(objectBytes, floorMs)),
    ]
    const measured: Measurement[] = []
    for (const partBytes of partSizes) {
      const one = await uploadOne(server, emulator, partBytes)
      context.progress(`google-upload: ${one.row.join(', ')}`)
      measured.push(one)
    }
    const busy = Math.min(...measured.map((one) => one.busy))
    const aboveBytes = Math.max(...measured.map((one) => one.aboveBytes))
    return {
      columns: [
        ...['1 GiB in parts of', 'seconds', 'link busy', 'calls to Google'],
        ...['gateway CPU s', 'client CPU s', 'peak MiB above idle'],
      ],
      rows: [[...floor, '2', '', '', ''], ...measured.map(({ row }) => row)],
      verdict: verdict(
        `busy ${percent(busy)}, ${inMebibytes(aboveBytes)} MiB above idle`,
        busy >= leastBusy && aboveBytes <= mostMemoryBytes,
      ),
    }
  })
}

async function uploadOne(
  server: RunningServer,
  emulator: RunningEmulator,
  partBytes: number,
): Promise<Measurement> {
  const { port, pid, kind } = server
  const { credentials } = kind
  const name = `${partBytes / mebibyte} MiB`
  await emulator.forgetCounters()
  const idleBytes = residentBytes(pid)
  resetPeak(pid)
  const cpuBefore = cpuSeconds(pid)
  const job = { port, bucket, key: name, credentials, bytes: objectBytes, partBytes }
  const client = await runUploadClient(job)
  const cpu = cpuSeconds(pid) - cpuBefore
  const aboveBytes = peakBytes(pid) - idleBytes
  const { total, bytesIn } = await emulator.counters()
  if (bytesIn < objectBytes) throw new Error(`Google was sent ${bytesIn} bytes`)
  const busy = busyOf(bytesIn, client.elapsedMs)
  const seconds = (client.elapsedMs / 1000).toFixed(1)
  const figures = [cpu.toFixed(1), client.cpuSeconds.toFixed(1), inMebibytes(aboveBytes)]
  return { busy, aboveBytes, row: [name, seconds, percent(busy), String(total), ...figures] }
}

function busyOf(bytes: number, milliseconds: number): number {
  return bytes / linkBytesPerSecond / (milliseconds / 1000)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

export const googleUploadScenarios: readonly Scenario[] = [
  {
    name: 'google-upload',
    question: `How busy does an upload of 1 GiB keep a link of 100 MB/s to Google Drive, ${callMs} ms away?`,
    target: `at least ${percent(leastBusy)} with every part size; at most ${inMebibytes(mostMemoryBytes)} MiB above idle, all processes`,
    run: upload,
  },
]
