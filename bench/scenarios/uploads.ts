import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { generateLoad, prepareRequest } from '../load.ts'
import { begin, complete, sendParts } from '../multipart.ts'
import { peakBytes, resetPeak, residentBytes, writtenBytes } from '../process-usage.ts'
import {
  type BenchContext,
  inMebibytes,
  mebibyte,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { startServer } from '../servers.ts'

const clients = 64
const clientBytes = 100 * mebibyte
const mostMemoryBytes = 128 * mebibyte
const parts = 20
const partBytes = 512 * mebibyte
const mostCompleteMs = 50

async function uploadMemory(context: BenchContext): Promise<Table> {
  const folder = join(context.folder, 'upload-memory')
  const server = await startServer(bucketry, { folder })
  try {
    const requests = Array.from({ length: clients }, (_, index) =>
      prepareRequest(server, { method: 'PUT', key: `client-${index}`, bodyBytes: clientBytes }),
    )
    const idleBytes = residentBytes(server.pid)
    resetPeak(server.pid)
    const job = { port: server.port, connections: clients, requests, totalRequests: clients }
    const { elapsedMs } = await generateLoad(job)
    const aboveBytes = peakBytes(server.pid) - idleBytes
    const rate = (clients * clientBytes) / (elapsedMs / 1000)
    const figures = [idleBytes, aboveBytes, rate].map(inMebibytes)
    return {
      columns: ['clients × MiB', 'idle MiB', 'peak MiB above idle', 'MiB/s'],
      rows: [[`${clients} × ${inMebibytes(clientBytes)}`, ...figures]],
      verdict: verdict(`${inMebibytes(aboveBytes)} MiB above idle`, aboveBytes <= mostMemoryBytes),
    }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function completeLarge(context: BenchContext): Promise<Table> {
  const folder = join(context.folder, 'complete-large')
  const server = await startServer(bucketry, { folder })
  try {
    const plan = { key: 'large', parts, partBytes }
    const uploadId = await begin(server, plan.key)
    await sendParts(server, plan, (number) => `large?partNumber=${number}&uploadId=${uploadId}`)
    const writtenBefore = writtenBytes(server.pid)
    const completeMs = await complete(server, uploadId, plan)
    const written = writtenBytes(server.pid) - writtenBefore
    const { size } = statSync(join(folder, bucket, 'large'))
    if (size !== parts * partBytes) throw new Error(`the object has ${size} bytes`)
    return {
      columns: ['object GiB', 'parts', 'Complete ms', 'KiB written meanwhile'],
      rows: [
        [
          String(size / mebibyte / 1024),
          String(parts),
          completeMs.toFixed(1),
          (written / 1024).toFixed(0),
        ],
      ],
      verdict: verdict(
        `${completeMs.toFixed(1)} ms`,
        completeMs < mostCompleteMs && written < mebibyte,
      ),
    }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const uploadScenarios: readonly Scenario[] = [
  {
    name: 'upload-memory',
    question: 'How much memory do uploads of 100 MiB by 64 clients need?',
    target: `at most ${inMebibytes(mostMemoryBytes)} MiB above idle, all processes`,
    run: uploadMemory,
  },
  {
    name: 'complete-large',
    question: 'How long does Complete of a 10 GiB upload take?',
    target: `under ${mostCompleteMs} ms, no byte copied`,
    run: completeLarge,
  },
]
