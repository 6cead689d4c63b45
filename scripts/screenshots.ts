import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { currentEnvironment } from '../src/app/settings/setting.ts'
import { demoFiles, uploadedFiles } from './screenshots/demo-files.ts'
import { demoPassword, startDemoGateway } from './screenshots/demo-gateway.ts'
import { fillDrive } from './screenshots/fill-drive.ts'
import { seedKeys } from './screenshots/seed-keys.ts'
import { seedModels } from './screenshots/seed-models.ts'
import { seedTraffic } from './screenshots/seed-traffic.ts'
import { type Shot, shots } from './screenshots/shots.ts'
import { steadyReplies } from './screenshots/steady-replies.ts'

/**
 * `npm run screenshots` takes the pictures of README.md and docs/dashboard.md: it runs a gateway over
 * a demo drive and opens its dashboard in Debian's Chromium (CHROMIUM names another browser). Names
 * after `--` select pictures: `npm run screenshots -- overview phone`.
 */

/** A fixed path, because the overview shows it. */
const folder = '/tmp/bucketry-demo'
const images = join(import.meta.dirname, '../docs/images')

const environment = currentEnvironment()
const wanted = process.argv.slice(2)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const browser = await chromium.launch({
  executablePath: environment.CHROMIUM ?? '/usr/bin/chromium',
  env: {
    ...environment,
    FONTCONFIG_FILE: join(import.meta.dirname, 'screenshots/fonts.conf'),
  },
})
try {
  await fillDrive(join(folder, 'drive'), demoFiles, browser)
  const gateway = await startDemoGateway(folder)
  try {
    await seedModels(gateway.url)
    await seedKeys(gateway.url)
    await seedTraffic(gateway.url)
    const uploaded = writeUploadedFiles()
    for (const shot of shots) {
      if (wanted.length === 0 || wanted.includes(shot.name)) {
        await take(shot, { browser, url: gateway.url, uploaded })
      }
    }
  } finally {
    await gateway.stop()
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

/** @returns their paths. */
function writeUploadedFiles(): string[] {
  const desk = join(folder, 'desk')
  mkdirSync(desk)
  return uploadedFiles.map(([name, bytes]) => {
    const path = join(desk, name)
    writeFileSync(path, '')
    truncateSync(path, Math.round(bytes))
    return path
  })
}

interface Studio {
  readonly browser: Browser
  readonly url: string
  readonly uploaded: readonly string[]
}

async function take(shot: Shot, { browser, url, uploaded }: Studio): Promise<void> {
  const { name, viewport, colorScheme, path, isPhone = false } = shot
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: 2,
    isMobile: isPhone,
    hasTouch: isPhone,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  const page = await context.newPage()
  await steadyReplies(page)
  await page.goto(`${url}/-${path}`)
  await signIn(page)
  await shot.prepare(page, uploaded)
  const picturePath = join(images, `${name}.png`)
  const { length } = await page.screenshot({ animations: 'disabled', path: picturePath })
  await context.close()
  process.stdout.write(`${name}.png, ${Math.round(length / 1024)} KiB\n`)
}

async function signIn(page: Page): Promise<void> {
  const field = page.getByLabel('Password', { exact: true })
  await field.fill(demoPassword)
  await field.press('Enter')
  await field.waitFor({ state: 'detached' })
}
