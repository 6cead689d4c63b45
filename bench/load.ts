import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { signedFetch } from '../test/support/signed-fetch.ts'
import { signHeaders } from '../test/support/signed-request.ts'
import { chunkedPiece, piece, trailerOf } from './body.ts'
import type { LoadJob, LoadResult, PreparedRequest } from './load-generator.ts'
import type { OpenLoopJob, OpenLoopResult } from './open-loop.ts'
import { bucket } from './server-kinds.ts'
import type { RunningServer } from './servers.ts'
import type { StreamJob, StreamResult } from './stream-client.ts'
import type { UploadJob, UploadResult } from './upload-client.ts'

/** Runs a job in a separate load generator. `prefix` goes before its command (`MachineProfile`). */
export async function generateLoad(
  job: LoadJob,
  prefix: readonly string[] = [],
): Promise<LoadResult> {
  const result = await runScript<LoadResult>('load-generator.ts', job, prefix)
  if (result.failures > 0) {
    throw new Error(`${result.failures} of ${result.requests} failed: ${result.firstFailure}`)
  }
  return result
}

/** Sends at a fixed rate from a separate process. */
export async function generateOpenLoop(job: OpenLoopJob): Promise<OpenLoopResult> {
  const result = await runScript<OpenLoopResult>('open-loop.ts', job)
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} failed`)
  return result
}

/** Uploads with lib-storage from a separate process. */
export async function runUploadClient(job: UploadJob): Promise<UploadResult> {
  return await runScript<UploadResult>('upload-client.ts', job)
}

/** Reads streams of models from a separate process. */
export async function readStreams(job: StreamJob): Promise<StreamResult> {
  const result = await runScript<StreamResult>('stream-client.ts', job)
  if (result.failures > 0) throw new Error(`${result.failures} of ${job.streams} streams failed`)
  return result
}

async function runScript<Result>(
  name: string,
  job: object,
  prefix: readonly string[] = [],
): Promise<Result> {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const [program = '', ...parameters] = [...prefix, process.execPath, script]
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(job))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(output) as Result
}

export interface RequestShape {
  readonly method: string
  /** Behind the bucket; with a query where there is one. */
  readonly key: string
  readonly bodyBytes?: number
  readonly headers?: Readonly<Record<string, string>>
  /** As SDKs send a stream: aws-chunked, with the CRC32 in a trailer. */
  readonly isChunked?: boolean
}

const bodiless = new Set(['GET', 'HEAD'])
const chunkedHeaders = {
  'content-encoding': 'aws-chunked',
  'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'x-amz-trailer': 'x-amz-checksum-crc32',
}

/** The request as bytes, signed for this server with a signature that is good for 15 minutes. */
export function prepareRequest(server: RunningServer, shape: RequestShape): PreparedRequest {
  const { method, key, bodyBytes = 0, isChunked = false } = shape
  const target = `/${bucket}/${key}`
  const host = `127.0.0.1:${server.port}`
  const trailer = isChunked ? trailerOf(bodyBytes) : undefined
  const request = { method, target, host, headers: { ...shape.headers } }
  if (isChunked) Object.assign(request.headers, chunkedHeaders, decodedLength(bodyBytes))
  const headers = {
    ...signHeaders(request, server.kind.credentials),
    ...(bodiless.has(method) ? {} : { 'content-length': sentLength(bodyBytes, trailer) }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return { head: `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, bodyBytes, trailer }
}

function decodedLength(bodyBytes: number): Record<string, string> {
  return { 'x-amz-decoded-content-length': String(bodyBytes) }
}

function sentLength(bodyBytes: number, trailer: string | undefined): number {
  if (trailer === undefined) return bodyBytes
  return (bodyBytes / piece.length) * chunkedPiece.length + trailer.length
}

export interface SmallRequest {
  readonly method: string
  readonly key?: string
  readonly query?: string
  readonly body?: string
}

/** One signed request from this process, for listings and the calls around multipart uploads. */
export async function sendRequest(server: RunningServer, request: SmallRequest): Promise<Response> {
  const { key, query = '', ...rest } = request
  const path = key === undefined ? `/${bucket}` : `/${bucket}/${key}`
  const target = query === '' ? path : `${path}?${query}`
  const { credentials } = server.kind
  return await signedFetch({ host: `127.0.0.1:${server.port}`, credentials }, { ...rest, target })
}
