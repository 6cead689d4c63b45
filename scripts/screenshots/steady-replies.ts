import type { Page } from 'playwright-core'
import type { KeysReply } from '../../src/dashboard/management/key-routes.ts'
import type { StatusReply } from '../../src/dashboard/management/management-schemas.ts'
import type { TrafficReply } from '../../src/dashboard/management/traffic-route.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3
const room = { freeBytes: 1_346 * gibibyte, totalBytes: 3_667 * gibibyte }
const uptimeSeconds = (12 * 24 + 5) * 3_600

/**
 * Replaces values that depend on the machine and the time, so that the pictures are the same
 * everywhere: the free space, the uptime and the traffic.
 */
export async function steadyReplies(page: Page): Promise<void> {
  await replaceReplies<StatusReply>(page, 'status', (status) => ({
    ...status,
    uptimeSeconds,
    drive: { ...status.drive, ...room },
    settings: status.settings.filter(({ name }) => name !== 'PORT' && name !== 'WORKERS'),
  }))
  await replaceReplies<KeysReply>(page, 'keys', ({ keys }) => ({
    keys: keys.map((key, index) => ({
      ...key,
      accessKeyId: `BKDEMO${'ABC'.charAt(index).repeat(4)}KEY${index + 1}0000000`.slice(0, 20),
      lastUsedAt: new Date(Date.now() - (index + 1) ** 3 * 7 * 60_000).toISOString(),
    })),
  }))
  await replaceReplies<TrafficReply>(page, 'traffic?range=hour', ({ points, ...reply }) => ({
    ...reply,
    points: points.map((point, minute) => ({ ...point, ...demoTraffic(minute) })),
  }))
}

async function replaceReplies<Reply>(page: Page, name: string, replace: (reply: Reply) => Reply) {
  await page.route(`**/-/api/${name}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: replace((await response.json()) as Reply) })
  })
}

/** An hour in which an app synchronizes, and a backup begins after half of it. */
function demoTraffic(minute: number): Partial<TrafficReply['points'][number]> {
  const wave = 1 + Math.sin(minute / 4) / 3 + Math.sin(minute * 1.7) / 6
  const isBackup = minute >= 32 && minute < 52
  const requests = Math.round(wave * (isBackup ? 260 : 90))
  return {
    ...{ requests, refused: minute % 17 === 4 ? 2 : 0, failed: 0, driveCalls: requests },
    receivedBytes: Math.round(wave * (isBackup ? 190 : 4) * mebibyte),
    sentBytes: Math.round(wave * 22 * mebibyte),
    ...{ driveMs: wave * (isBackup ? 1.9 : 0.7), slowestDriveMs: wave * (isBackup ? 21 : 6) },
  }
}
