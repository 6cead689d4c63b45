import { Client } from 'undici'
import type { Log } from '../../../../platform/process/log.ts'
import { TimeLimitError, withinTime } from '../../../../platform/process/time-limit.ts'
import { DriveError, PrivateDriveError } from '../../drive-error.ts'
import { refusedCredentials } from '../client/dav-error.ts'
import { type DavAddress, folderTargetOf } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import { askForFolder, entryIn, xmlHeaders } from '../client/propfind.ts'

/** For DNS, the connection and TLS, so that problems with them are reported within 5 s. */
const connectMs = 3_500
/** After connecting, a server may need longer: PHP compiles, disks spin up. */
const answerMs = 60_000

const noticeMs = 4_500
const nextNoticeMs = 30_000
/** The tests take some 60 short requests: this is three seconds for each. */
const testLimitMs = 180_000

const connectAdvice: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name is unknown. Check the host in DRIVE',
  EAI_AGAIN: 'The name could not be resolved. Check the host in DRIVE, and the DNS of this machine',
  ECONNREFUSED: 'Nothing is listening there. Start the server, or correct the port in DRIVE',
  ECONNRESET:
    'It closed the connection. Check the port in DRIVE, and whether it needs webdav+https or webdav+http',
  EPROTO: 'It does not speak TLS there. Check the port in DRIVE, or use webdav+http',
}
const silentAdvice =
  'No connection could be opened. Check the host and port in DRIVE, and any firewalls in between'
const tlsAdvice =
  'Its certificate is not trusted. Use the host name in it; for a private certificate ' +
  'authority, set NODE_EXTRA_CA_CERTS to its PEM file'
const noHttpAdvice = 'It does not speak HTTP there. Check the port in DRIVE'

const silentCodes =
  /^(UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|ETIMEDOUT|E(HOST|NET)UNREACH)$/
/** Error codes of Node's TLS: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO/

/** Statuses of a usable server: the folder is created later, or the server is busy. */
const hopefulStatuses: ReadonlySet<number> = new Set([207, 404, 409, 423, 425, 429])

interface StartParts {
  readonly address: Pick<DavAddress, 'origin'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Requests the drive's folder once, before any other request and without retries, so that a mistake in
 * DRIVE is reported immediately, with the server's name.
 *
 * @returns the folder; undefined when it does not exist, or the answer is unclear
 * @throws DriveError with a user-facing message
 */
export async function makeFirstContact(
  address: DavAddress,
  log: Pick<Log, 'warn'>,
): Promise<DavEntry | undefined> {
  const { origin } = address
  const client = new Client(origin, {
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
  })
  try {
    return await noticingDelay({ address, log }, () => askOnce(client, address))
  } catch (error) {
    throw error instanceof DriveError ? error : withoutAnswer(error, address)
  } finally {
    await client.destroy()
  }
}

async function askOnce(client: Client, address: DavAddress): Promise<DavEntry | undefined> {
  const { root, user, password } = address
  const { statusCode, headers, body } = await client.request({
    method: 'PROPFIND' as 'GET',
    path: folderTargetOf(root, []),
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      ...xmlHeaders,
      depth: '0',
      'user-agent': 'Bucketry',
    },
    body: askForFolder,
  })
  const text = await body.text()
  judge(statusCode, String(headers.location ?? ''), address)
  return statusCode === 207 ? folderIn(text, address) : undefined
}

/** A DriveError with the server's name in front; other errors are unchanged. */
export function namingHost(error: unknown, address: Pick<DavAddress, 'origin'>): unknown {
  const host = hostOf(address)
  if (!(error instanceof DriveError) || error.message.includes(host)) return error
  return new PrivateDriveError(error.kind, `${host}: ${error.message}`, { cause: error })
}

function judge(status: number, location: string, address: DavAddress): void {
  if (status === 401) throw namingHost(refusedCredentials(), address)
  if (hopefulStatuses.has(status) || (status >= 500 && status !== 501)) return
  const host = hostOf(address)
  if (status >= 300 && status < 400) {
    const to = URL.canParse(location, address.origin)
      ? new URL(location, address.origin)
      : undefined
    const where = to === undefined ? 'elsewhere' : `to ${to.origin}${to.pathname}`
    const message = `${host} redirects requests ${where} (${status}). Set DRIVE to that address.`
    throw new PrivateDriveError('denied', message)
  }
  const path = folderTargetOf(address.root, [])
  const message =
    status === 403
      ? `${host} denies access to ${path} (403). Check the permissions of the account in DRIVE.`
      : `${host} has no WebDAV at ${path}: it answered PROPFIND with ${status}. Check the path in ` +
        'DRIVE (Nextcloud: /remote.php/dav/files/USER), and whether it needs webdav+https.'
  throw new PrivateDriveError('denied', message)
}

/** Undefined for an invalid answer, which a later request reports. */
function folderIn(text: string, address: DavAddress): DavEntry | undefined {
  let entry: DavEntry | undefined
  try {
    entry = entryIn(text, 'kind')
  } catch {
    return undefined
  }
  if (entry?.isFolder !== false) return entry
  const path = folderTargetOf(address.root, [])
  const message = `${hostOf(address)} has a file at ${path}, not a folder. Correct the path in DRIVE.`
  throw new PrivateDriveError('denied', message)
}

function withoutAnswer(error: unknown, address: DavAddress): DriveError {
  // undici's HTTPParserError has a name, and not always a code.
  const { name, code = name } = error as NodeJS.ErrnoException
  const message = `${hostOf(address)} cannot be reached as a WebDAV server (${code}).`
  return new PrivateDriveError('unavailable', `${message} ${adviceFor(code)}.`, { cause: error })
}

function adviceFor(code: string): string {
  if (silentCodes.test(code)) return silentAdvice
  if (certificateCodes.test(code)) return tlsAdvice
  if (/^(HPE_|HTTPParser|UND_ERR)/.test(code)) return noHttpAdvice
  const isTls = code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')
  return connectAdvice[isTls ? 'EPROTO' : code] ?? silentAdvice
}

/** The server's host name in DRIVE, with the port if it is not the default. */
function hostOf({ origin }: Pick<DavAddress, 'origin'>): string {
  return new URL(origin).host
}

/** Logs that the start waits for the server, again and again until `work` settles. */
export async function noticingDelay<Result>(
  { address, log }: StartParts,
  work: () => Promise<Result>,
): Promise<Result> {
  let timer = setTimeout(notice, noticeMs)
  function notice() {
    log.warn({ server: hostOf(address) }, 'the start is still waiting for the WebDAV server')
    timer = setTimeout(notice, nextNoticeMs)
  }
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/**
 * As `noticingDelay`, for the tests of a server, with a time limit. After it, the work continues until the client is
 * closed.
 *
 * @throws DriveError `unavailable`, and what `work` throws
 */
export async function testingWithinTime<Result>(
  parts: StartParts,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await noticingDelay(parts, () => withinTime(work(), testLimitMs))
  } catch (cause) {
    if (!(cause instanceof TimeLimitError)) throw cause
    const message =
      `${hostOf(parts.address)} responds too slowly: the tests of the start took longer than ${testLimitMs / 1_000} s. ` +
      'Check the load of the server and the line to it (rclone: use --dir-cache-time 1s, not 0s).'
    throw new PrivateDriveError('unavailable', message, { cause })
  }
}
