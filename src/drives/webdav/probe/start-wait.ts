import { TimeLimitError, withinTime } from '../../../process/time-limit.ts'
import type { DriveLog } from '../../cloud/drive-log.ts'
import { DriveError } from '../../drive.ts'
import type { DavAddress } from '../client/dav-path.ts'

type Address = Pick<DavAddress, 'origin'>

const noticeMs = 4_500
const nextNoticeMs = 30_000
/** The tests take some 60 short requests: this is three seconds for each. */
const testLimitMs = 180_000

/** The server's host name in DRIVE, with the port if it is not the default. */
export function hostOf({ origin }: Address): string {
  return new URL(origin).host
}

/** Logs that the start waits for the server, again and again until `work` settles. */
export async function noticingDelay<Result>(
  { address, log }: { readonly address: Address; readonly log: Pick<DriveLog, 'warn'> },
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
 * As `noticingDelay`, for the tests of a server: gives up when they take too long. The work goes on until the client
 * is closed.
 *
 * @throws DriveError `unavailable`, and what `work` throws
 */
export async function testingWithinTime<Result>(
  parts: Parameters<typeof noticingDelay>[0],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await noticingDelay(parts, () => withinTime(work(), testLimitMs))
  } catch (cause) {
    if (!(cause instanceof TimeLimitError)) throw cause
    const message =
      `${hostOf(parts.address)} responds too slowly: the tests of the start took longer than ${testLimitMs / 1_000} s. ` +
      'Check the load of the server and the line to it (rclone: use --dir-cache-time 1s, not 0s).'
    throw new DriveError('unavailable', message, { cause })
  }
}
