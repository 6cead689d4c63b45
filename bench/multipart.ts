import { md5Of } from './body.ts'
import { generateLoad, prepareRequest, sendRequest } from './load.ts'
import { raw, rawDurable } from './server-kinds.ts'
import type { RunningServer } from './servers.ts'

export interface UploadPlan {
  readonly key: string
  readonly parts: number
  readonly partBytes: number
  /** Parts that are sent at once; 1 by default. */
  readonly atOnce?: number
  /** The pace of each part; as fast as the server reads if absent. */
  readonly bytesPerSecond?: number
}

export interface UploadTimes {
  /** From Create to the reply of Complete. */
  readonly totalMs: number
  readonly completeMs: number
}

/** Uploads an object in parts. The raw servers get the same bytes as one file for each part. */
export async function uploadInParts(server: RunningServer, plan: UploadPlan): Promise<UploadTimes> {
  if (server.kind === raw || server.kind === rawDurable) {
    return {
      totalMs: await sendParts(server, plan, (number) => `${plan.key}-${number}`),
      completeMs: 0,
    }
  }
  const startedAtMs = performance.now()
  const uploadId = await begin(server, plan.key)
  const createMs = performance.now() - startedAtMs
  const sendMs = await sendParts(
    server,
    plan,
    (number) => `${plan.key}?partNumber=${number}&uploadId=${uploadId}`,
  )
  const completeMs = await complete(server, uploadId, plan)
  return { totalMs: createMs + sendMs + completeMs, completeMs }
}

export async function begin(server: RunningServer, key: string): Promise<string> {
  const reply = await sendRequest(server, { method: 'POST', key, query: 'uploads=' })
  const uploadId = /<UploadId>([^<]+)/.exec(await reply.text())?.[1]
  if (uploadId === undefined) throw new Error(`CreateMultipartUpload answered ${reply.status}`)
  return uploadId
}

/** Milliseconds from the first byte to the last reply. */
export async function sendParts(
  server: RunningServer,
  plan: UploadPlan,
  keyOf: (number: number) => string,
): Promise<number> {
  const { parts, partBytes, atOnce = 1, bytesPerSecond } = plan
  const requests = Array.from({ length: parts }, (_, index) =>
    prepareRequest(server, { method: 'PUT', key: keyOf(index + 1), bodyBytes: partBytes }),
  )
  const { elapsedMs } = await generateLoad({
    ...{ port: server.port, connections: atOnce, requests, totalRequests: parts },
    ...(bytesPerSecond !== undefined && { bytesPerSecond }),
  })
  return elapsedMs
}

/** Milliseconds that Complete takes. */
export async function complete(
  server: RunningServer,
  uploadId: string,
  { key, parts, partBytes }: UploadPlan,
): Promise<number> {
  const etag = md5Of(partBytes)
  const list = Array.from(
    { length: parts },
    (_, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  const startedAtMs = performance.now()
  const query = `uploadId=${uploadId}`
  const reply = await sendRequest(server, { method: 'POST', key, query, body })
  const xml = await reply.text()
  if (reply.status !== 200 || xml.includes('<Error>')) throw new Error(`${reply.status}: ${xml}`)
  return performance.now() - startedAtMs
}
