import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagementClient } from '../../test/support/management-client.ts'
import { photoBytes } from '../../test/support/thumbnail-bytes.ts'
import type { BarePage } from '../bare-chromium.ts'
import { bucket } from '../server-kinds.ts'
import {
  type Figure,
  inBrowser,
  loadedBytes,
  longestTask,
  type Opened,
  open,
  password,
  signIn,
} from './opened.ts'

const photos = 500
/** Each is written several times, with another comment: then it is another object. */
const motifs = 8
const firstTiles = 24
const mostFirstMs = 1_500
const mostAllMs = 40_000
const mostTaskMs = 50
const mostPageMegabytes = 3
const mostMemoryMegabytes = 150
/** Threads that make thumbnails end after 5 s without work (web/src/files/thumbnails/make-thumbnail.ts). */
const threadsEndMs = 6_000

const kinds = [
  ['camera', 'photos of a camera'],
  ['plain', 'photos without a preview'],
] as const

/**
 * A photo of 12 megapixels and one of 160 × 120, of the same motif: shapes with the noise of a sensor over them. Both, and
 * thumbnails of it, have about as many bytes as those of photos that people take.
 */
const drawn = (motif: number) => `(async () => {
  let state = ${motif} + 1
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648
  const whole = new OffscreenCanvas(4000, 3000)
  const brush = whole.getContext('2d')
  const sky = brush.createLinearGradient(0, 0, 4000, 3000)
  for (const at of [0, 0.5, 1]) sky.addColorStop(at, 'hsl(' + (${motif} * 45 + at * 120) + ' 50% 60%)')
  brush.fillStyle = sky
  brush.fillRect(0, 0, 4000, 3000)
  for (let index = 0; index < 1_500; index++) {
    brush.fillStyle = \`hsl(\${random() * 360} \${random() * 60}% \${20 + random() * 60}% / \${random()})\`
    const size = 10 + random() ** 4 * 500
    brush.fillRect(random() * 4000, random() * 3000, size, size * (0.3 + random()))
  }
  const grain = new OffscreenCanvas(500, 500)
  const noise = new ImageData(500, 500)
  for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = random() * 40
  grain.getContext('2d').putImageData(noise, 0, 0)
  brush.fillStyle = brush.createPattern(grain, 'repeat')
  brush.fillRect(0, 0, 4000, 3000)
  const small = new OffscreenCanvas(160, 120)
  small.getContext('2d').drawImage(whole, 0, 0, 160, 120)
  const base64 = async (canvas, quality) => {
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality })
    const url = await new Promise((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result)
      reader.readAsDataURL(blob)
    })
    return url.split(',')[1]
  }
  return [await base64(whole, 0.92), await base64(small, 0.7)]
})()`

/** The tiles in sight that have no picture yet. */
const missing = `(() => {
  const area = document.querySelector('[data-files-grid] > [role="presentation"]').getBoundingClientRect()
  const tiles = [...document.querySelectorAll('[data-files-grid] [data-entry]')].filter((tile) => {
    const { top, bottom } = tile.getBoundingClientRect()
    return bottom > area.top && top < area.bottom
  })
  return tiles.filter((tile) => !(tile.querySelector('canvas')?.width > 0)).length
})()`

/** Resolves when so many tiles have a picture, and says when. */
const picturesShown = (count: number) => `new Promise((resolve) => {
  const look = () =>
    [...document.querySelectorAll('[data-files-grid] canvas')].filter((one) => one.width > 0).length >= ${count}
      ? resolve(performance.now())
      : requestAnimationFrame(look)
  look()
})`

/** Scrolls through all tiles as fast as they get their pictures, and says when the last has one. */
const scrolledThrough = `(async () => {
  const area = document.querySelector('[data-files-grid] > [role="presentation"]')
  const frame = () => new Promise(requestAnimationFrame)
  for (;;) {
    while (${missing} > 0) await frame()
    if (area.scrollTop + area.clientHeight >= area.scrollHeight - 1) return performance.now()
    area.scrollTop += area.clientHeight
    await frame()
    await frame()
  }
})()`

/** Scrolls the page of a link through, as fast as the pictures in sight are shown. */
const pageScrolled = `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  const pictures = [...document.querySelectorAll('.gallery canvas')]
  const isMissing = (picture) => {
    const { top, bottom } = picture.getBoundingClientRect()
    return bottom > 0 && top < innerHeight && !(picture.width > 0)
  }
  for (let top = 0; top < document.documentElement.scrollHeight; top += 300) {
    scrollTo(0, top)
    for (let count = 0; count < 3; count++) await frame()
    while (pictures.some(isMissing)) await frame()
  }
  return pictures.length
})()`

async function writePhotos({ folder, bucketFolder }: Opened): Promise<void> {
  for (const kind of ['plain', 'camera']) mkdirSync(join(bucketFolder, kind))
  await inBrowser(folder, async (page) => {
    for (let motif = 0; motif < motifs; motif++) {
      const [whole, small] = (await page.value(drawn(motif))) as [string, string]
      const [photo, preview] = [Buffer.from(whole, 'base64'), Buffer.from(small, 'base64')]
      const ofCamera = photoBytes(preview, { photo })
      for (let index = motif; index < photos; index += motifs) {
        // Decoders ignore what is behind the end of the picture.
        const comment = Buffer.from(String(index))
        const name = `IMG_${1_000 + index}.jpg`
        writeFileSync(join(bucketFolder, 'plain', name), Buffer.concat([photo, comment]))
        writeFileSync(join(bucketFolder, 'camera', name), Buffer.concat([ofCamera, comment]))
      }
    }
  })
}

async function gridFigures(opened: Opened, folder: string, name: string): Promise<Figure[]> {
  const { page } = opened
  await open(opened, `/files/${bucket}`)
  await signIn(opened)
  await page.untilText(folder)
  await page.value(`localStorage.setItem('bucketry.layout', '"grid"')`)
  await open(opened, `/files/${bucket}?prefix=${folder}/`)
  const first = Number(await page.value(picturesShown(firstTiles)))
  await page.value(longestTask)
  const all = Number(await page.value(scrolledThrough))
  const task = Number(await page.value(longestTask))
  const title = `${photos} ${name}`
  return [
    {
      name: `${title}: first ${firstTiles} in the grid`,
      value: first,
      most: mostFirstMs,
      unit: 'ms',
    },
    { name: `${title}: all in the grid`, value: all / 1e3, most: mostAllMs / 1e3, unit: 's' },
    { name: 'longest task meanwhile', value: task, most: mostTaskMs, unit: 'ms' },
    await memoryFigure(page, 'memory of the page after that'),
  ]
}

async function shareFigures(opened: Opened, folder: string, name: string): Promise<Figure[]> {
  const { page, server } = opened
  const client = await ManagementClient.signIn(`http://127.0.0.1:${server.port}`, password)
  const share = { bucket, kind: 'folder', path: `${folder}/` }
  const { url } = await client.done('POST', '/shares', share)
  await open(opened, new URL(url).pathname.slice('/-'.length))
  await page.untilText('Download all')
  const shown = Number(await page.value(pageScrolled))
  if (shown !== photos) throw new Error(`the link shows ${shown} photos`)
  const bytes = Number(await page.value(loadedBytes))
  const title = `a link to ${photos} ${name}, scrolled through`
  return [
    { name: `${title}: loaded`, value: bytes / 1e6, most: mostPageMegabytes, unit: 'MB' },
    await memoryFigure(page, 'memory of the page after that'),
  ]
}

async function memoryFigure(page: BarePage, name: string): Promise<Figure> {
  await sleep(threadsEndMs)
  await page.send('HeapProfiler.collectGarbage')
  return { name, value: page.rendererBytes() / 1e6, most: mostMemoryMegabytes, unit: 'MB' }
}

/** Photos in the grid, with and without previews of a camera, and on the page of a link. */
export async function measurePhotos(opened: Opened): Promise<readonly Figure[]> {
  const { folder } = opened
  await writePhotos(opened)
  const figures: Figure[] = []
  for (const measure of [gridFigures, shareFigures]) {
    for (const [kind, name] of kinds) {
      figures.push(...(await inBrowser(folder, (page) => measure({ ...opened, page }, kind, name))))
    }
  }
  return figures
}
