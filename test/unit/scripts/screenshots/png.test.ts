import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { withPalette } from '../../../../scripts/screenshots/palette.ts'
import { readPng, writePng } from '../../../../scripts/screenshots/png.ts'

/** An RGB image of one pixel's width, whose rows are filtered as their first byte says. */
function pngOf(width: number, rows: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows.length, 4)
  header.set([8, 2], 8)
  const chunk = (type: string, data: Buffer) => {
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])))
    return Buffer.concat([length, Buffer.from(type), data, check])
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Uint8Array.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('readPng undoes every filter of PNG', () => {
  const rows = [
    [0, 10, 20, 30, 40, 50, 60],
    [1, 10, 20, 30, 1, 1, 1],
    [2, 1, 1, 1, 1, 1, 1],
    [3, 5, 5, 5, 5, 5, 5],
    [4, 1, 1, 1, 1, 1, 1],
  ]
  const { width, height, rgb } = readPng(pngOf(2, rows))
  assert.deepEqual({ width, height }, { width: 2, height: 5 })
  assert.deepEqual(
    [...rgb],
    [
      ...[10, 20, 30, 40, 50, 60],
      ...[10, 20, 30, 11, 21, 31],
      ...[11, 21, 31, 12, 22, 32],
      ...[10, 15, 20, 16, 23, 31],
      ...[11, 16, 21, 17, 24, 32],
    ],
  )
})

test('readPng refuses what it does not know', () => {
  assert.throws(() => readPng(Buffer.from('GIF89a')), /not a PNG/)
  const palette = writePng({ width: 1, height: 1, palette: [0], indexes: Uint8Array.of(0) })
  assert.throws(() => readPng(palette), /another form/)
})

test('withPalette leaves images of up to 256 colours as they are', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff })
  fc.assert(
    fc.property(fc.array(colour, { minLength: 1, maxLength: 256 }), (colours) => {
      const rgb = Uint8Array.from(colours.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))
      const { palette, indexes } = withPalette({ width: colours.length, height: 1, rgb })
      assert.deepEqual(
        Array.from(indexes, (index) => palette[index]),
        colours,
      )
    }),
  )
})

test('withPalette keeps the commonest colours of an image that has more', () => {
  const white = [255, 255, 255]
  const greys = Array.from({ length: 600 }, (_, index) => [index >> 2, index >> 3, index & 63])
  const pixels = [...greys, ...Array.from({ length: 5_000 }, () => white)]
  const rgb = Uint8Array.from(pixels.flat())
  const { palette, indexes } = withPalette({ width: pixels.length, height: 1, rgb })
  assert.equal(palette.length, 256)
  assert.equal(palette[indexes.at(-1) ?? -1], 0xffffff)
})

test('writePng writes rows of places in the palette', () => {
  const file = writePng({
    width: 2,
    height: 2,
    palette: [0x102030, 0xffffff],
    indexes: Uint8Array.of(0, 1, 1, 0),
  })
  const start = file.indexOf('IDAT')
  const data = file.subarray(start + 4, start + 4 + file.readUInt32BE(start - 4))
  assert.deepEqual([...inflateSync(data)], [0, 0, 1, 0, 1, 0])
  assert.ok(file.includes(Buffer.from('504c5445102030ffffff', 'hex')))
})
