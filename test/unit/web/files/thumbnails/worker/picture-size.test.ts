import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictureSize } from '../../../../../../web/src/files/thumbnails/worker/picture-size.ts'
import { hugePng } from '../../../../../support/sample-media.ts'
import { jpegBytes, webpBytes } from '../../../../../support/thumbnail-bytes.ts'

/** Two and four bytes, the lowest first. */
const u16 = (value: number) => [value & 255, value >>> 8]
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)]

function bmp(width: number, height: number): Buffer {
  return Buffer.from([...Buffer.from('BM'), ...Array(16).fill(0), ...u32(width), ...u32(height)])
}

/** A GIF with a palette of four colours, an extension, and one frame. */
function gif(screen: readonly number[], frame: readonly number[]): Buffer {
  const [width = 0, height = 0] = screen
  return Buffer.from([
    ...Buffer.from('GIF89a'),
    ...[...u16(width), ...u16(height), 0x81, 0, 0, ...Array(12).fill(7)],
    ...[0x21, 0xf9, 4, 0, 0, 0, 0, 2, 9, 9, 0],
    ...[0x2c, ...frame.flatMap(u16), 0],
  ])
}

function avif(...sizes: readonly (readonly [number, number])[]): Buffer {
  const properties = sizes.map(([width, height]) => {
    const box = Buffer.alloc(20)
    box.writeUInt32BE(20, 0)
    box.write('ispe', 4)
    box.writeUInt32BE(width, 12)
    box.writeUInt32BE(height, 16)
    return box
  })
  return Buffer.concat([Buffer.from('\0\0\0\x14ftypavif\0\0\0\0mif1', 'latin1'), ...properties])
}

const pictures: Readonly<Record<string, readonly [Uint8Array, number, number]>> = {
  'a PNG that claims too much': [hugePng(), 60_000, 60_000],
  'a JPEG': [jpegBytes(4_000, 3_000), 4_000, 3_000],
  'a JPEG of arithmetic coding': [jpegBytes(65_535, 1, 0xffca), 65_535, 1],
  'a WebP with loss': [webpBytes('VP8 ', 16_383, 2), 16_383, 2],
  'a WebP without loss': [webpBytes('VP8L', 16_384, 3), 16_384, 3],
  'a WebP with more': [webpBytes('VP8X', 70_000, 80_000), 70_000, 80_000],
  'a BMP': [bmp(300, 200), 300, 200],
  'a BMP whose first line comes first': [bmp(300, -200), 300, 200],
  'a GIF': [gif([30, 20], [0, 0, 30, 20]), 30, 20],
  'a GIF whose frame is larger than its screen': [
    gif([1, 1], [5, 6, 65_000, 64_000]),
    65_005,
    64_006,
  ],
  'an AVIF of several pictures': [avif([160, 90], [9_000, 7_000]), 9_000, 7_000],
}

for (const [name, [file, width, height]] of Object.entries(pictures)) {
  test(`reads the size of ${name}, and none of its beginning`, () => {
    const within = Buffer.concat([Buffer.alloc(3), file, Buffer.alloc(3)])
    assert.deepEqual(pictureSize(within.subarray(3, -3)), { width, height })
    for (let length = 0; length < 12; length++) {
      assert.equal(pictureSize(file.subarray(0, length)), undefined, `${length} bytes`)
    }
  })
}

test('knows no size of what is no picture, and ends', () => {
  const refused = [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
    Buffer.from('\xff\xd8\xff\xda\0\0\0\0\0\0\0\0', 'latin1'),
    Buffer.from('\xff\xd8\xff\xe0\0\0\xff\xe0\0\0', 'latin1'),
    Buffer.alloc(100_000, 0xff),
    Buffer.concat([Buffer.from('\xff\xd8', 'latin1'), Buffer.alloc(100_000, 0xff)]),
    Buffer.from('\0\0\0\x14ftypmp42\0\0\0\0mp42ispe', 'latin1'),
    avif(),
    webpBytes('XMP ', 9, 9),
  ]
  for (const file of refused) assert.equal(pictureSize(file), undefined, file.toString('latin1'))
})
