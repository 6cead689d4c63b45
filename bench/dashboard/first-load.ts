import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bucket } from '../server-kinds.ts'
import { type Figure, loadedBytes, type Opened, open, signIn } from './opened.ts'

const mostSignInKilobytes = 150
const mostFolderKilobytes = 260
const mostRequests = 25
const mostSignInMs = 2_500

const requests = `performance.getEntriesByType('resource').length + 1`

/** What a browser with an empty cache loads to sign in, and then to a folder; and the first on slow 4G. */
export async function measureFirstLoad(opened: Opened): Promise<readonly Figure[]> {
  const { page, bucketFolder } = opened
  writeFileSync(join(bucketFolder, 'file.txt'), 'x')
  await page.send('Network.enable')
  await open(opened, `/files/${bucket}`)
  await page.untilText('Password', 20)
  await page.value(`new Promise((resolve) => setTimeout(resolve, 500))`)
  const signInBytes = Number(await page.value(loadedBytes))
  await signIn(opened)
  await page.untilText('file.txt', 20)
  // What is loaded when the page has time.
  await page.value(`new Promise((resolve) => setTimeout(resolve, 1_500))`)
  const folderBytes = Number(await page.value(loadedBytes))
  const count = Number(await page.value(requests))
  const slow = await slowLoad(opened)
  const kilobytes = { unit: 'KB' } as const
  return [
    { name: 'to sign in', value: signInBytes / 1e3, most: mostSignInKilobytes, ...kilobytes },
    { name: 'to a folder', value: folderBytes / 1e3, most: mostFolderKilobytes, ...kilobytes },
    { name: 'requests to a folder', value: count, most: mostRequests, unit: '' },
    { name: 'sign-in on slow 4G, 4 × CPU', value: slow, most: mostSignInMs, unit: 'ms' },
  ]
}

/** Slow 4G as DevTools have it (1.6 Mbit/s, 150 ms), with a processor of a quarter of the speed. */
async function slowLoad(opened: Opened): Promise<number> {
  const { page } = opened
  await page.value('localStorage.clear()')
  await page.send('Network.clearBrowserCache')
  await page.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 150 },
    ...{ downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
  })
  await page.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await open(opened, '/')
  await page.untilText('Password', 20)
  return Number(await page.value('performance.now()'))
}
