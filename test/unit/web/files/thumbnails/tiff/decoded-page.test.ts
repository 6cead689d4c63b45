import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodedPage } from '../../../../../../web/src/files/thumbnails/tiff/decoded-page.ts'
import { tiffDirectories } from '../../../../../../web/src/files/thumbnails/tiff/tiff-directories.ts'
import { tiffBytes } from '../../../../../support/thumbnail-bytes.ts'

// Not for other tests of the process.
after(() => Reflect.deleteProperty(globalThis, 'window'))

async function pixelsOf(file: Uint8Array<ArrayBuffer>) {
  const read = async (start: number, end: number) => new Uint8Array(file.subarray(start, end))
  const [page] = await tiffDirectories(read)
  assert.ok(page !== undefined)
  return decodedPage(file, page)
}

for (const compression of [2, 3, 4]) {
  test(`a row of a fax that does not end is refused (compression ${compression})`, async () => {
    // 1,728 white pixels, again and again.
    const start = compression === 4 ? '001' : ''
    const row = bits(`${start + '010011011'.repeat(400_000)}00110101`)
    const page = {
      ...{ 256: [100], 257: [100], 258: [1], 259: [compression], 262: [0], 266: [1] },
      ...{ 273: 'data' as const, 277: [1], 278: [100], 279: [row.length] },
    }
    await assert.rejects(pixelsOf(tiffBytes([page], row)), /a row of a fax does not end/)
  })
}

function bits(digits: string): Buffer<ArrayBuffer> {
  return Buffer.from(
    (digits.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2)),
  )
}
