import { closeSync, constants, openSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import type { Settings } from '../../settings/read-settings.ts'
import { shown } from '../../settings/setting.ts'
import { createLog, type Log, type LogOutput, logRequest, openOutput } from '../log.ts'
import type { RequestRecord, RequestSink } from '../requests.ts'
import { isS3Operation, s3Line } from './s3-line.ts'

export interface AccessLog extends RequestSink {
  /** Whether its lines need RequestRecord.begun. */
  readonly notesReplies: boolean
  /** Continues in a new file of the same name, after logrotate has moved the old one. */
  reopen(): void
}

export interface AccessLogParts {
  readonly settings: Pick<Settings, 'accessLogFormat' | 'accessLogFile'>
  /** The log for everything except requests. */
  readonly log: Log
}

/** The folder's default ACL may allow others to read the file, but not everybody. */
const fileMode = 0o640

/**
 * Opens the access log: JSON lines in the log, or the format of ACCESS_LOG_FORMAT in ACCESS_LOG_FILE. A request that
 * failed halfway is always also an error in the log.
 *
 * @throws SettingsError when the file can't be opened.
 */
export function openAccessLog({ settings, log }: AccessLogParts): AccessLog {
  const { accessLogFormat, accessLogFile: path } = settings
  const notesReplies = accessLogFormat === 's3'
  if (path === undefined && !notesReplies) {
    return { onRequest: (record) => logRequest(log, record), notesReplies, reopen: () => undefined }
  }
  const output = path === undefined ? openOutput(1) : openFile(path)
  const fileLog = createLog('info', output)
  const onRequest = (record: RequestRecord) => {
    const isHere = !notesReplies || isS3Request(record)
    if (isHere && notesReplies) output.write(s3Line(record))
    else if (isHere) logRequest(fileLog, record)
    if (!isHere || record.outcome.failure !== undefined) logRequest(log, record)
  }
  const reopen = () => {
    if (path !== undefined) reopenFile(path, output, log)
  }
  return { onRequest, notesReplies, reopen }
}

/**
 * The descriptor of the log: standard error if an access log in another format is written to standard
 * output, which the two must not share.
 */
export function logDescriptor(
  settings: Pick<Settings, 'accessLogFormat' | 'accessLogFile'>,
): 1 | 2 {
  return settings.accessLogFormat === 's3' && settings.accessLogFile === undefined ? 2 : 1
}

function isS3Request(record: RequestRecord): boolean {
  const { operation, hostBucket } = record.outcome.logFields ?? {}
  if (operation !== undefined) return isS3Operation(operation)
  return hostBucket !== undefined || record.part === 's3'
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
    // `reopen` can't be repeated after a failure, so the file is checked first.
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

/**
 * Checks that the access log can be written, without creating it.
 *
 * @returns a user-facing line; undefined if ACCESS_LOG_FILE is not set
 * @throws SettingsError with a user-facing message.
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
