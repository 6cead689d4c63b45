import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { Browser, Request } from 'playwright-core'
import {
  absenceOfChromium,
  absenceOfFirefox,
  startChromium,
  startFirefox,
} from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { FileBrowser, propertyOf, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { colorAt, shownPicture } from '../support/picture-color.ts'
import { heicWithThumbnail, plainHeic } from '../support/sample-heic.ts'
import { sampleJpeg, samplePdf } from '../support/sample-media.ts'
import { tiffBytes } from '../support/thumbnail-bytes.ts'
import { tipped } from '../support/tipped.ts'

const home = mkdtempSync(join(tmpdir(), 'bucketry-firefox-'))
after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

const browsers: readonly (readonly [string, string | false, () => Promise<Browser>])[] = [
  ['Chromium', absenceOfChromium(), startChromium],
  ['Firefox', absenceOfFirefox(), () => startFirefox(home)],
]

for (const [browserName, absence, start] of browsers) {
  describe(`Thumbnails of files that ${browserName} does not decode`, { skip: absence }, () => {
    const dashboard = useDashboard({}, start)
    let seen: Request[] = []
    before(async () => {
      const chromium = await startChromium()
      const preview = await sampleJpeg(chromium, 320, 160)
      await chromium.close()
      writeTree(join(dashboard().gateway.driveFolder, testBucket), {
        'scans/plain.tif': tiffBytes([twoColours()], redAndBlue),
        'scans/zip.tiff': tiffBytes([zipped()], deflateSync(redAndBlue), false),
        'scans/lzw.tif': Buffer.from(lzw, 'base64'),
        'scans/fax.tif': Buffer.from(fax, 'base64'),
        'scans/raw.dng': rawPhoto(preview),
        'scans/huge.tif': tiffBytes([{ ...twoColours(), 256: [60_000], 257: [60_000] }]),
        'scans/cyclic.tif': cyclic(),
        'scans/broken.tif': 'II*\0\xff\xff\xff\x7f',
        'phone/thumb.heic': withLongEnd(heicWithThumbnail()),
        'phone/plain.HEIF': plainHeic(),
        'phone/broken.heic': plainHeic().subarray(0, 400),
        'phone/huge.heic': hugeHeic(),
        'papers/page.pdf': samplePdf(),
        'papers/long.pdf': longPdf(),
        'papers/bomb.pdf': bombPdf(),
        'papers/broken.pdf': '%PDF-1.7\n',
      })
    })

    async function openGrid(prefix: string): Promise<FileBrowser> {
      const page = await dashboard().openSignedIn('/files')
      seen = []
      page.on('request', (request) => void seen.push(request))
      await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=${prefix}`)
      await page.getByRole('button', { name: /Show as (?:grid|list)/ }).waitFor()
      const grid = page.getByRole('button', { name: 'Show as grid' })
      if ((await grid.count()) > 0) await grid.click()
      await page.getByRole('gridcell').first().waitFor()
      return new FileBrowser(page)
    }

    const pictureOf = ({ page }: FileBrowser, name: string) =>
      page
        .getByRole('gridcell')
        .filter({ has: page.locator(tipped(name)) })
        .locator(shownPicture)
    const answered = (part: string) =>
      seen.filter((one) => one.url().includes(part) && one.method() === 'GET')

    /** The number of thumbnails that this page has stored. */
    async function storedCount(): Promise<number> {
      const sent = seen.filter((one) => one.method() === 'PUT')
      const replies = await Promise.all(sent.map((one) => one.response()))
      return replies.filter((reply) => reply?.ok()).length
    }

    test('scans in the usual compressions, and the preview in a raw photo', async () => {
      const files = await openGrid('scans/')
      for (const name of ['plain.tif', 'zip.tiff', 'lzw.tif']) {
        await pictureOf(files, name).waitFor()
        assert.match(await colorAt(pictureOf(files, name), 2, 5), /red/, name)
        assert.match(await colorAt(pictureOf(files, name), 37, 5), /blue/, name)
      }
      // White and black.
      await pictureOf(files, 'fax.tif').waitFor()
      assert.equal(await colorAt(pictureOf(files, 'fax.tif'), 20, 20), '255,255,255')
      assert.equal(await colorAt(pictureOf(files, 'fax.tif'), 190, 20), '0,0,0')
      // Turned by the orientation of the photo.
      const raw = pictureOf(files, 'raw.dng')
      await raw.waitFor()
      assert.equal(await propertyOf(raw, 'height'), 208)
      assert.match(await colorAt(raw, 50, 20), /red/)
      assert.match(await colorAt(raw, 50, 190), /blue/)
      for (const name of ['huge.tif', 'cyclic.tif', 'broken.tif']) {
        await until(() => answered(`/scans/${name}`).length > 0)
        assert.equal(await pictureOf(files, name).count(), 0, name)
      }
      assert.deepEqual(dashboard().complaints(), [])
    })

    test('photos of phones: the thumbnail in the file, or the photo', async () => {
      const files = await openGrid('phone/')
      for (const [name, long, high] of [
        ['thumb.heic', 208, 104],
        ['plain.HEIF', 208, 104],
      ] as const) {
        const picture = pictureOf(files, name)
        await picture.waitFor()
        assert.equal(await propertyOf(picture, 'width'), long, name)
        assert.equal(await propertyOf(picture, 'height'), high, name)
        assert.match(await colorAt(picture, 20, 50), /red/, name)
        assert.match(await colorAt(picture, 190, 50), /blue/, name)
      }
      if (browserName === 'Chromium') {
        const ranges = answered('/phone/thumb.heic').map((one) => one.headers().range)
        assert.deepEqual(ranges, ['bytes=0-65535'])
      }
      for (const name of ['broken.heic', 'huge.heic']) {
        await until(() => answered(`/phone/${name}`).length > 0)
        assert.equal(await pictureOf(files, name).count(), 0, name)
      }
      assert.deepEqual(dashboard().complaints(), [])
    })

    test('the first page of a PDF file, of which only the parts are read that it needs', async () => {
      const files = await openGrid('papers/')
      await pictureOf(files, 'page.pdf').waitFor()
      assert.equal(await propertyOf(pictureOf(files, 'page.pdf'), 'width'), 208)
      assert.equal(await propertyOf(pictureOf(files, 'page.pdf'), 'height'), 139)
      await pictureOf(files, 'long.pdf').waitFor()
      assert.match(await colorAt(pictureOf(files, 'long.pdf'), 20, 20), /red/)
      if (browserName === 'Chromium') {
        const ranges = answered('/papers/long.pdf').map((one) => one.headers().range)
        assert.ok(ranges.length > 0 && ranges.length < 8, ranges.join())
        assert.ok(!ranges.includes(undefined), ranges.join())
      }
      // Its page would be some gigabytes.
      await until(() => answered('/papers/bomb.pdf').length > 0)
      await pictureOf(files, 'page.pdf').waitFor()
      for (const name of ['bomb.pdf', 'broken.pdf']) {
        assert.equal(await pictureOf(files, name).count(), 0, name)
      }
      // The next test finds them on the server.
      await until(async () => (await storedCount()) === 2)
      assert.deepEqual(dashboard().complaints(), [])
    })

    test('what was made is in the list, and not read again', async () => {
      const files = await openGrid('papers/')
      await pictureOf(files, 'page.pdf').waitFor()
      await files.page.getByRole('button', { name: 'Show as list' }).click()
      await files.row('page.pdf').locator(shownPicture).waitFor()
      assert.deepEqual(answered(`/${testBucket}/papers/page.pdf`), [])
    })
  })
}

const [width, height] = [40, 20]

const redAndBlue = Buffer.from(
  Array.from({ length: width * height }, (_, index) =>
    index % width < width / 2 ? [255, 0, 0] : [0, 0, 255],
  ).flat(),
)

function twoColours() {
  return {
    ...{ 256: [width], 257: [height], 258: [8, 8, 8], 259: [1], 262: [2], 273: 'data' as const },
    ...{ 277: [3], 278: [height], 279: [redAndBlue.length] },
  }
}

function zipped() {
  return { ...twoColours(), 259: [8], 279: [deflateSync(redAndBlue).length] }
}

/** The preview is that of a photo which is turned by 90° to the right. */
function rawPhoto(preview: Buffer): Buffer {
  return tiffBytes(
    [
      { 254: [0], 256: [4_000], 257: [2_500], 259: [7], 262: [32_803], 273: [8], 274: [6] },
      { 254: [1], 259: [7], 262: [6], 273: 'data', 279: [preview.length] },
    ],
    preview,
  )
}

/** The second directory is the first one again. */
function cyclic(): Buffer {
  const page = { ...twoColours(), 259: [99], 330: [8, 8] }
  const file = tiffBytes([page], redAndBlue)
  file.writeUInt32LE(8, 8 + 2 + 12 * Object.keys(page).length)
  return file
}

/** By libtiff, with the picture above, and a white and a black half. */
const lzw =
  'SUkqAMoAAACAP8AACBQSBwWEQeFQaGQmGwuHQ51gAKBQAROHxmIxCORqOxGNx6RSGSR+BxOKxeTSOVyWWQSXTGWzOMyiLRiZS+czGdzSeyKbSqdT6iSOf0eiwWgzik02hzCnUin0uo1WdVKsTSqU+s1yu1+O1uwVyW2OzSeKTerWeG2yx2K13G23K2XCyXed265Xa9Xi+12+XS13+rYG8YKoYfFS7DYSr4i32mhY6j5SnY3IUnLXfMYvB5nPSqU0zQ2bNz/O6eIQEAoAAAEDAAEAAAAoAAAAAQEDAAEAAAAUAAAAAgEDAAMAAABIAQAAAwEDAAEAAAAFAAAABgEDAAEAAAACAAAAEQEEAAEAAAAIAAAAFQEDAAEAAAADAAAAFgEDAAEAAAAUAAAAFwEEAAEAAADCAAAAHAEDAAEAAAABAAAAAAAAAAgACAAIAA=='
const fax =
  'SUkqAEgAAAAmoZAN///////////////////////////////////////////////////////////////////////////ABABACQAAAQMAAQAAACwBAAABAQMAAQAAAJYAAAACAQMAAQAAAAEAAAADAQMAAQAAAAQAAAAGAQMAAQAAAAEAAAARAQQAAQAAAAgAAAAWAQMAAQAAAJYAAAAXAQQAAQAAAEAAAAAcAQMAAQAAAAEAAAAAAAAA'

/** As if it were the photo of a phone, of which little has to be read. */
function withLongEnd(file: Buffer): Buffer {
  return Buffer.concat([file, Buffer.alloc(3_000_000)])
}

/** Claims to have 3.6 billion pixels. */
function hugeHeic(): Buffer {
  const file = plainHeic()
  const size = file.indexOf('ispe') + 8
  file.writeUInt32BE(60_000, size)
  file.writeUInt32BE(60_000, size + 4)
  return file
}

function pdfOf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let at = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    offsets.push(at)
    const written = [`${index + 1} 0 obj`, object, 'endobj\n'].map((one) => Buffer.from(one))
    parts.push(...written)
    at += written.reduce((sum, { length }) => sum + length, 0)
  }
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${lines.join('')}`
  const trailer = `trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(table + trailer)])
}

function streamOf(bytes: Buffer, more = ''): Buffer {
  const head = Buffer.from(`<</Length ${bytes.length}${more}>>stream\n`)
  return Buffer.concat([head, bytes, Buffer.from('\nendstream ')])
}

const catalog = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>']
const onePage = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<<>>>>'

/** A red page, and 20 MB that belong to nothing on it. */
function longPdf(): Buffer {
  const content = streamOf(Buffer.from('1 0 0 rg 0 0 300 200 re f'))
  return pdfOf([...catalog, onePage, content, streamOf(Buffer.alloc(20_000_000, 32))])
}

/** A page of 600 KB that becomes 600 MB. */
function bombPdf(): Buffer {
  const content = deflateSync(Buffer.alloc(600_000_000, '0 0 m 9 9 l S\n'), { level: 9 })
  return pdfOf([...catalog, onePage, streamOf(content, '/Filter/FlateDecode')])
}
