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
import { bucket } from '../server-kinds.ts'
import type { RunningServer } from '../servers.ts'
import type { UploadJob } from '../upload-client.ts'
import { withGoogle } from './google-drive.ts'

const objectBytes = 1024 * mebibyte
const leastBusy = 0.8
const mostMemoryBytes = 128 * mebibyte

interface Shape {
  readonly name: string
  readonly parts?: UploadJob['parts']
  /** For the link to be as busy as wanted, enough bytes must be on their way at once. */
  readonly isJudged: boolean
}

/** What common clients do. */
const shapes: readonly Shape[] = [
  { name: 'one PUT', isJudged: true },
  // s3transfer: https://docs.aws.amazon.com/boto3/latest/guide/s3.html#s3-transfers
  { name: '8 MiB × 10 (boto3, aws-cli)', parts: partsOf(8, 10), isJudged: true },
  { name: '8 MiB × 4 (lib-storage)', parts: partsOf(8, 4), isJudged: false },
  { name: '64 MiB × 4 (lib-storage)', parts: partsOf(64, 4), isJudged: true },
]

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
    for (const shape of shapes) {
      const one = await uploadOne(server, emulator, shape)
      context.progress(`google-upload: ${one.row.join(', ')}`)
      measured.push(one)
    }
    const judged = measured.filter((_, index) => shapes[index]?.isJudged)
    const busy = Math.min(...judged.map((one) => one.busy))
    const aboveBytes = Math.max(...measured.map((one) => one.aboveBytes))
    return {
      columns: [
        ...['1 GiB as', 'seconds', 'link busy', 'calls to Google'],
        ...['gateway CPU s', 'client CPU s', 'emulator CPU s', 'peak MiB above idle'],
      ],
      rows: [[...floor, '2', '', '', '', ''], ...measured.map(({ row }) => row)],
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
  { name, parts }: Shape,
): Promise<Measurement> {
  const { port, pid, kind } = server
  const { credentials } = kind
  await emulator.forgetCounters()
  const idleBytes = residentBytes(pid)
  resetPeak(pid)
  const cpuBefore = cpuSeconds(pid)
  const emulatorCpuBefore = cpuSeconds(emulator.pid)
  const job = { port, bucket, key: name, credentials, bytes: objectBytes }
  const client = await runUploadClient(parts === undefined ? job : { ...job, parts })
  const cpu = cpuSeconds(pid) - cpuBefore
  const aboveBytes = peakBytes(pid) - idleBytes
  const { total, bytesIn } = await emulator.counters()
  if (bytesIn < objectBytes) throw new Error(`Google was sent ${bytesIn} bytes`)
  const busy = busyOf(bytesIn, client.elapsedMs)
  const seconds = (client.elapsedMs / 1000).toFixed(1)
  const emulatorCpu = cpuSeconds(emulator.pid) - emulatorCpuBefore
  const cpus = [cpu, client.cpuSeconds, emulatorCpu].map((one) => one.toFixed(1))
  const figures = [...cpus, inMebibytes(aboveBytes)]
  return { busy, aboveBytes, row: [name, seconds, percent(busy), String(total), ...figures] }
}

function partsOf(mebibytes: number, atOnce: number): UploadJob['parts'] {
  return { bytes: mebibytes * mebibyte, atOnce }
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
    target: `at least ${percent(leastBusy)} where enough is on its way at once (bench/README.md); at most ${inMebibytes(mostMemoryBytes)} MiB above idle, all processes`,
    run: upload,
  },
]
