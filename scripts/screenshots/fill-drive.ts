import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { DemoContent, DemoFile } from './demo-files.ts'

/** Writes the demo files into the folder of the drive. The browser renders images and PDFs. */
export async function fillDrive(
  folder: string,
  files: readonly DemoFile[],
  browser: Browser,
): Promise<void> {
  const drawn = new Map<string, Buffer>()
  for (const { path, daysOld, time, content } of files) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, await bytesOf(content, browser, drawn))
    // Image decoders ignore the padding.
    if ('bytes' in content) truncateSync(target, content.bytes)
    const changed = momentOf(daysOld, time)
    utimesSync(target, changed, changed)
  }
}

function momentOf(daysOld: number, time: string): Date {
  const day = new Date(Date.now() - daysOld * 24 * 3_600_000)
  return new Date(`${day.toISOString().slice(0, 10)}T${time}:00Z`)
}

async function bytesOf(
  content: DemoContent,
  browser: Browser,
  drawn: Map<string, Buffer>,
): Promise<string | Buffer> {
  if ('text' in content) return content.text
  if ('page' in content) return await print(content.page, browser)
  if (!('picture' in content)) return ''
  const picture = drawn.get(content.picture) ?? (await draw(content.picture, browser))
  drawn.set(content.picture, picture)
  return picture
}

async function draw(background: string, browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 2400, height: 1600 } })
  await page.setContent(`<style>html { height: 100%; background: ${background} }</style>`)
  const picture = await page.screenshot({ type: 'jpeg', quality: 84 })
  await page.close()
  return picture
}

async function print(title: string, browser: Browser): Promise<Buffer> {
  const page = await browser.newPage()
  await page.setContent(`<h1>${title}</h1><p>A document of the demo drive.</p>`)
  const document = await page.pdf({ format: 'A4' })
  await page.close()
  return document
}
