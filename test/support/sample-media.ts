import { crc32 } from 'node:zlib'
import type { Browser } from 'playwright-core'

/** Small files of the kinds that browsers show. */

/** A PNG of one color: a screenshot of an empty page. */
export async function samplePng(
  browser: Browser,
  width: number,
  height: number,
): Promise<Buffer<ArrayBuffer>> {
  const page = await browser.newPage({ viewport: { width, height } })
  const picture = Buffer.from(await page.screenshot())
  await page.close()
  return picture
}

/** A PNG of a few bytes that claims to have 3.6 billion pixels. */
export function hugePng(): Buffer<ArrayBuffer> {
  const chunk = (type: string, data: Buffer) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
    bytes.writeUInt32BE(data.length, 0)
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
    return bytes
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(60_000, 0)
  header.writeUInt32BE(60_000, 4)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const ends = [
    chunk('IHDR', header),
    chunk('IDAT', Buffer.of(0x78, 0x9c)),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...ends])
}

/** A JPEG file, red at the left and blue at the right. */
export async function sampleJpeg(
  browser: Browser,
  width: number,
  height: number,
): Promise<Buffer<ArrayBuffer>> {
  const page = await browser.newPage()
  const base64 = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} })
    const brush = canvas.getContext('2d')
    brush.fillStyle = '#f00'
    brush.fillRect(0, 0, ${width / 2}, ${height})
    brush.fillStyle = '#00f'
    brush.fillRect(${width / 2}, 0, ${width / 2}, ${height})
    return canvas.toDataURL('image/jpeg').split(',')[1]
  })()`)
  await page.close()
  return Buffer.from(base64, 'base64')
}

/** The same, whose EXIF says to turn it by 90° to the right. */
export async function turnedJpeg(
  browser: Browser,
  width: number,
  height: number,
): Promise<Buffer<ArrayBuffer>> {
  const jpeg = await sampleJpeg(browser, width, height)
  // One entry: tag 0x0112, a short, once, 6.
  const tiff = Buffer.from(
    'MM\0*\0\0\0\b\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0',
    'latin1',
  )
  const exif = Buffer.concat([Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1'), tiff])
  exif.writeUInt16BE(exif.length - 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])
}

const samplesPerSecond = 8_000

/** Silence as WAV. */
export function sampleWav(seconds: number): Buffer<ArrayBuffer> {
  const data = Buffer.alloc(samplesPerSecond * seconds * 2)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(samplesPerSecond, 24)
  header.writeUInt32LE(samplesPerSecond * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  return Buffer.concat([header, data])
}

/** A page with a line of text. */
export function samplePdf(): Buffer<ArrayBuffer> {
  const content = 'BT /F1 24 Tf 40 100 Td (Hello) Tj ET'
  return Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length ${content.length}>>stream
${content}
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`)
}

/** A film of a few frames, recorded by the browser itself. */
export async function sampleWebm(browser: Browser): Promise<Buffer<ArrayBuffer>> {
  const page = await browser.newPage()
  const base64 = await page.evaluate<string>(`new Promise((resolve) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
    const brush = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
    const chunks = []
    let frames = 0
    recorder.ondataavailable = ({ data }) => chunks.push(data)
    recorder.onstop = () => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result.split(',')[1])
      reader.readAsDataURL(new Blob(chunks))
    }
    const draw = () => {
      frames += 1
      brush.fillStyle = 'hsl(' + frames * 20 + ' 80% 50%)'
      brush.fillRect(0, 0, 64, 48)
      if (frames < 12) setTimeout(draw, 40)
      else recorder.stop()
    }
    recorder.start()
    draw()
  })`)
  await page.close()
  return Buffer.from(base64, 'base64')
}
