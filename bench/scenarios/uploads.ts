import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { generateLoad, prepareRequest, sendRequest } from '../load.ts'
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
import { type RunningServer, startServer } from '../servers.ts'

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
    const uploadId = await beginUpload(server)
    const etags: string[] = []
    for (let number = 1; number <= parts; number++) {
      etags.push(await uploadPart(server, uploadId, number))
      context.progress(`complete-large: part ${number} of ${parts}`)
    }
    const writtenBefore = writtenBytes(server.pid)
    const startedAtMs = performance.now()
    await complete(server, uploadId, etags)
    const completeMs = performance.now() - startedAtMs
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

async function beginUpload(server: RunningServer): Promise<string> {
  const reply = await sendRequest(server, { method: 'POST', key: 'large', query: 'uploads=' })
  const uploadId = /<UploadId>([^<]+)/.exec(await reply.text())?.[1]
  if (uploadId === undefined) throw new Error(`CreateMultipartUpload answered ${reply.status}`)
  return uploadId
}

/** Sent by the generator, which streams the part; the ETag is read from ListParts. */
async function uploadPart(
  server: RunningServer,
  uploadId: string,
  number: number,
): Promise<string> {
  const key = `large?partNumber=${number}&uploadId=${uploadId}`
  const request = prepareRequest(server, { method: 'PUT', key, bodyBytes: partBytes })
  await generateLoad({ port: server.port, connections: 1, requests: [request], totalRequests: 1 })
  const query = `uploadId=${uploadId}&part-number-marker=${number - 1}`
  const reply = await sendRequest(server, { method: 'GET', key: 'large', query })
  const etag = /<ETag>(?:"|&quot;)?([0-9a-f]{32})/.exec(await reply.text())?.[1]
  if (etag === undefined) throw new Error(`ListParts does not show part ${number}`)
  return etag
}

async function complete(
  server: RunningServer,
  uploadId: string,
  etags: readonly string[],
): Promise<void> {
  const list = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  const reply = await sendRequest(server, {
    method: 'POST',
    key: 'large',
    query: `uploadId=${uploadId}`,
    body,
  })
  const xml = await reply.text()
  if (reply.status !== 200 || xml.includes('<Error>')) throw new Error(`${reply.status}: ${xml}`)
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
