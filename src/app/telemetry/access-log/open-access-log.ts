import { closeSync, constants, openSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Outcome } from '../../../platform/http/exchange.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { declaredSize, hasBody } from '../../../storage/s3/body/payload.ts'
import { partOf } from '../../gateway/gateway.ts'
import type { Settings } from '../../settings/read-settings.ts'
import { shown } from '../../settings/setting.ts'
import { createLog, type Log, type LogOutput, openOutput, requestLogger } from '../log.ts'
import { isS3Operation } from './aws-operation.ts'
import { type Measured, s3Line } from './s3-line.ts'

export interface AccessLog {
  /** Writes the line of a finished request. */
  readonly onFinish: (request: HttpRequest, outcome: Outcome) => void
  /** The handler with what the lines need to know. */
  readonly watched: (handler: HttpHandler) => HttpHandler
  /** Continues in a new file of the same name: logrotate has moved the old one. */
  reopen(): void
}

export interface AccessLogParts {
  readonly settings: Pick<Settings, 'accessLogFormat' | 'accessLogFile'>
  /** The log of everything else. */
  readonly log: Log
  readonly addressOf: (request: HttpRequest) => string
}

/** Others may be allowed to read it by the folder's default ACL, but not everybody. */
const fileMode = 0o640

/**
 * Opens where the lines of requests go: JSON lines in the log, or what ACCESS_LOG_FORMAT and
 * ACCESS_LOG_FILE say. A request that failed halfway is an error in the log in every case.
 *
 * @throws SettingsError when the file can't be opened.
 */
export function openAccessLog({ settings, log, addressOf }: AccessLogParts): AccessLog {
  const { accessLogFormat, accessLogFile: path } = settings
  const logRequest = requestLogger(log, addressOf)
  const watched = (handler: HttpHandler) => handler
  if (path === undefined && accessLogFormat === 'json') {
    return { onFinish: logRequest, watched, reopen: () => undefined }
  }
  const output = path === undefined ? openOutput(1) : openFile(path)
  const reopen = () => {
    if (path !== undefined) reopenFile(path, output, log)
  }
  if (accessLogFormat === 'json') {
    const writeLine = requestLogger(createLog('info', output), addressOf)
    const onFinish: AccessLog['onFinish'] = (request, outcome) => {
      writeLine(request, outcome)
      if (outcome.failure !== undefined) logRequest(request, outcome)
    }
    return { onFinish, watched, reopen }
  }
  const measuring = new Measuring()
  const onFinish: AccessLog['onFinish'] = (request, outcome) => {
    const isS3 = isS3Request(request, outcome)
    if (isS3) {
      const remoteAddress = addressOf(request)
      output.write(s3Line(request, outcome, { remoteAddress, measured: measuring.of(request) }))
    }
    if (!isS3 || outcome.failure !== undefined) logRequest(request, outcome)
  }
  return { onFinish, watched: (handler) => measuring.around(handler), reopen }
}

/**
 * Where the log goes when it shares nothing with the access log: standard error, if the lines of
 * another format have standard output.
 */
export function logDescriptor(
  settings: Pick<Settings, 'accessLogFormat' | 'accessLogFile'>,
): 1 | 2 {
  return settings.accessLogFormat === 's3' && settings.accessLogFile === undefined ? 2 : 1
}

function isS3Request({ rawPath }: HttpRequest, { logFields = {} }: Outcome): boolean {
  const { operation, hostBucket } = logFields
  if (operation !== undefined) return isS3Operation(operation)
  return hostBucket !== undefined || partOf(rawPath) === 's3'
}

function openFile(path: string): LogOutput {
  try {
    return openOutput(path, fileMode)
  } catch (error) {
    const { message } = error as Error
    throw new SettingsError([
      `ACCESS_LOG_FILE is ${shown(path)}: expected a file that can be written (${message})`,
    ])
  }
}

function reopenFile(path: string, output: LogOutput, log: Log): void {
  try {
    // `reopen` can't be repeated after it has failed, so that is found out first.
    closeSync(openSync(path, 'a', fileMode))
    output.flush()
    output.reopen()
    log.info({ path }, 'access log reopened')
  } catch (error) {
    log.error(
      { path, err: error },
      'the access log could not be reopened; lines go to the old file. Send SIGHUP again when the file can be created',
    )
  }
}

/** Takes the times and sizes of requests that only the S3 format has. */
class Measuring {
  readonly #measured = new WeakMap<HttpRequest, Measured>()

  /** The handler, measured. */
  around(handler: HttpHandler): HttpHandler {
    return async (request) => {
      let receivedAt = performance.now()
      if (hasBody(request.headers)) {
        request.body.once('end', () => {
          receivedAt = performance.now()
        })
      }
      const reply = await handler(request)
      this.#measured.set(request, {
        turnAroundMs: performance.now() - receivedAt,
        objectSize: objectSizeOf(request, reply),
      })
      return reply
    }
  }

  /** Undefined for a request that did not reach the handler. */
  of(request: HttpRequest): Measured | undefined {
    return this.#measured.get(request)
  }
}

/** What "Object Size" is for reads and writes of bytes; other requests do not show it. */
function objectSizeOf(request: HttpRequest, reply: HttpReply): number | undefined {
  const { operation } = reply.logFields ?? {}
  if (operation === 'GetObject' || operation === 'HeadObject') return sizeRead(reply)
  const isWrite = operation === 'PutObject' || operation === 'UploadPart'
  return isWrite && reply.status === 200 ? declaredSize(request) : undefined
}

function sizeRead({ status, headers, body }: HttpReply): number | undefined {
  if (status === 206) return numberBehind(/\/(\d+)$/, fieldOf(headers, 'content-range'))
  if (status !== 200) return undefined
  if (body !== undefined) return typeof body === 'string' ? Buffer.byteLength(body) : body.length
  return numberBehind(/^(\d+)$/, fieldOf(headers, 'content-length'))
}

function fieldOf(headers: HttpReply['headers'], name: string): string | undefined {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1]
}

function numberBehind(pattern: RegExp, text = ''): number | undefined {
  const digits = pattern.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Checks that the access log can be written, without creating it.
 *
 * @returns a line for people; undefined if ACCESS_LOG_FILE is not set
 * @throws SettingsError, for people.
 */
export async function checkAccessLog({
  accessLogFile: path,
  dataDir,
}: Pick<Settings, 'accessLogFile' | 'dataDir'>): Promise<string | undefined> {
  if (path === undefined) return undefined
  const folder = dirname(path)
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
  if (folder === dataDir && statSync(folder, { throwIfNoEntry: false }) === undefined) {
    return `access log: ${path} does not exist yet; the first start creates it`
  }
  try {
    if (!isNew && statSync(path).isDirectory()) throw new Error('it is a folder')
    await access(isNew ? folder : path, constants.W_OK)
  } catch (error) {
    const { message } = error as Error
    throw new SettingsError([
      `ACCESS_LOG_FILE is ${shown(path)}: expected a file that can be written (${message})`,
    ])
  }
  return `access log: ${path} can be written`
}
