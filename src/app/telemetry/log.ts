import { type DestinationStream, destination, type Logger, pino } from 'pino'
import type { Refusal } from '../../platform/http/server.ts'
import type { RequestRecord } from './requests.ts'

export type Log = Logger

/**
 * Lines are collected up to this many bytes before they are written: a system call for each line would
 * cost a small GET a tenth of its time. Whole lines of at most 4,096 bytes (PIPE_BUF, pipe(7)) keep the
 * lines of several processes from mixing on one pipe.
 */
const gatheredBytes = 3 * 1024
const atomicBytes = 4 * 1024

/** Maximum time that a line waits, milliseconds. */
const flushEveryMs = 100

/** Lines that can't be written are buffered up to this many bytes. Further lines are dropped. */
const maxWaitingBytes = 1024 * 1024

/** A log, and a way to flush its last lines. */
export interface OpenLog {
  readonly log: Log
  flush(): void
}

/** JSON lines on a descriptor: standard output or standard error. */
export function openLog(level: string, descriptor: 1 | 2 = 1): OpenLog {
  const output = openOutput(descriptor)
  return { log: createLog(level, output), flush: () => output.flush() }
}

/** The destination of lines. */
export interface LogOutput extends DestinationStream {
  flush(): void
  /** Opens the file again. Not available for a descriptor. */
  reopen(): void
}

/**
 * Collects lines for a descriptor or a file, which is created if missing. If the disk is full or the
 * reader is gone, lines are dropped, but nothing else fails.
 *
 * @throws the system's error when the file can't be opened.
 */
export function openOutput(dest: number | string, mode?: number): LogOutput {
  const output = destination({
    dest,
    sync: true,
    minLength: gatheredBytes,
    maxWrite: atomicBytes,
    maxLength: maxWaitingBytes,
    ...(mode === undefined ? {} : { mode }),
  })
  output.on('error', () => undefined)
  // Not flushSync, which retries forever when it can't write.
  setInterval(() => output.flush(), flushEveryMs).unref()
  process.on('exit', () => output.flush())
  return output
}

export function createLog(level: string, output: DestinationStream): Log {
  return pino({ level, base: { pid: process.pid }, timestamp: timestampOfNow }, output)
}

let lastTimestamp = { ms: 0, text: '' }

/** Same as pino's isoTime, but formatted only once for all lines of a millisecond. */
function timestampOfNow(): string {
  const ms = Date.now()
  if (ms !== lastTimestamp.ms) {
    lastTimestamp = { ms, text: `,"time":"${new Date(ms).toISOString()}"` }
  }
  return lastTimestamp.text
}

/**
 * Writes the line of a request. A successful liveness probe is logged only at debug, because every open page of the
 * dashboard sends one every 2 s. An object of a virtual host may have the same path, but its request has an operation.
 */
export function logRequest(log: Log, record: RequestRecord): void {
  const { request, outcome } = record
  const { status, bytesReceived, bytesSent, durationMs, isAborted, logFields, failure } = outcome
  const isProbe = request.rawPath === '/-/livez' && status === 200
  const level = isProbe && logFields?.operation === undefined ? 'debug' : 'info'
  if (failure === undefined && !log.isLevelEnabled(level)) return
  const fields = {
    requestId: request.id,
    method: request.method,
    ...logFields,
    status,
    bytesIn: bytesReceived,
    bytesOut: bytesSent,
    durationMs: Math.round(durationMs * 100) / 100,
    remoteAddress: record.clientAddress,
    ...(isAborted ? { aborted: true } : {}),
  }
  if (failure === undefined) log[level](fields, 'request')
  else log.error({ ...fields, err: failure }, 'request failed before its response was complete')
}

/** Faults that require a change in a client or in the settings. */
const misconfigured: ReadonlySet<Refusal['fault']> = new Set([
  'tls-on-http-port',
  'http-on-tls-port',
])

const misconfigurationWarningMs = 60_000

/**
 * Writes the line of an invalid request, with the id from the reply. A client that uses the wrong protocol causes a
 * warning, at most once a minute.
 */
export function refusalLogger(log: Log): (refusal: Refusal) => void {
  let level: 'info' | 'warn' = 'info'
  const warn = throttled(misconfigurationWarningMs, () => {
    level = 'warn'
  })
  return ({ fault, requestId, remoteAddress, reply: { status, logFields } }) => {
    level = 'info'
    if (misconfigured.has(fault)) warn()
    log[level]({ requestId, ...logFields, status, remoteAddress }, 'invalid HTTP request')
  }
}

/**
 * Limits how often something is reported. The returned function calls `report` at most once in `everyMs`, with the number
 * of calls since the last report, including this one.
 */
export function throttled(
  everyMs: number,
  report: (calls: number) => void,
  now: () => number = () => performance.now(),
): () => void {
  let calls = 0
  let reportedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    calls += 1
    if (now() - reportedAtMs < everyMs) return
    reportedAtMs = now()
    report(calls)
    calls = 0
  }
}
