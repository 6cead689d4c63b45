import type { Page } from 'playwright-core'
import type { KeysReply } from '../../src/console/management/key-schemas.ts'
import type { FailuresReply, StatusReply } from '../../src/console/management/replies.ts'

const gibibyte = 1024 ** 3
const room = { freeBytes: 1_346 * gibibyte, totalBytes: 3_667 * gibibyte }
const uptimeSeconds = (12 * 24 + 5) * 3_600

/** The ages of the failed requests, latest first. */
const failureAgesMinutes = [4, 18, 190] as const

/**
 * Replaces values that depend on the machine and the time, so that the pictures are the same
 * everywhere: the free space, the uptime and the times of failed requests.
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
  await replaceReplies<FailuresReply>(page, 'failures', ({ failures }) => ({
    failures: failures.map((failure, index) => ({ ...failure, at: timeOf(index) })),
  }))
}

async function replaceReplies<Reply>(page: Page, name: string, replace: (reply: Reply) => Reply) {
  await page.route(`**/-/api/${name}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: replace((await response.json()) as Reply) })
  })
}

function timeOf(index: number): string {
  const minutes = failureAgesMinutes[index] ?? 0
  return new Date(Date.now() - minutes * 60_000).toISOString()
}
