import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heicFile } from '../../../../../../web/src/files/thumbnails/heic/heic-file.ts'
import { heicItems, pixelsOf } from '../../../../../../web/src/files/thumbnails/heic/heic-items.ts'
import { heicWithThumbnail, plainHeic } from '../../../../../support/sample-heic.ts'

function itemsOf(file: Uint8Array) {
  return heicItems(async (start, end) => {
    if (!(start >= 0 && start <= end && end <= file.length)) throw new RangeError('behind the end')
    return new Uint8Array(file.subarray(start, end))
  })
}

test('the thumbnail of a file is found, with its place, form and size', async () => {
  const items = await itemsOf(heicWithThumbnail())
  assert.equal(items?.maxPixels, 640 * 320)
  assert.equal(items.primary.type, 'hvc1')
  const [thumbnail, second] = items.thumbnails
  assert.ok(thumbnail !== undefined && second === undefined)
  assert.deepEqual(
    thumbnail.properties.map(({ type }) => type),
    ['hvcC', 'ispe', 'pixi'],
  )
  assert.deepEqual(thumbnail.properties.map(pixelsOf), [0, 240 * 120, 0])
  assert.deepEqual(thumbnail.parts, [{ at: 0x2ba, length: 0x4f }])
})

test('a file without a thumbnail has the size of its picture', async () => {
  const items = await itemsOf(plainHeic())
  assert.deepEqual(items?.thumbnails, [])
  assert.equal(items.maxPixels, 300 * 150)
})

test('the file that is made of a thumbnail has the same item', async () => {
  const file = heicWithThumbnail()
  const [thumbnail] = (await itemsOf(file))?.thumbnails ?? []
  assert.ok(thumbnail?.parts[0])
  const { at, length } = thumbnail.parts[0]
  const coded = new Uint8Array(file.subarray(at, at + length))
  const made = heicFile(thumbnail, coded)
  const { primary } = (await itemsOf(made)) ?? {}
  assert.equal(primary?.type, 'hvc1')
  assert.deepEqual(
    primary.properties.map(({ bytes, isEssential }) => [Buffer.from(bytes), isEssential]),
    thumbnail.properties.map(({ bytes, isEssential }) => [Buffer.from(bytes), isEssential]),
  )
  const [place] = primary.parts
  assert.ok(place)
  assert.deepEqual(made.subarray(place.at, place.at + place.length), coded)
})

test('a file that is cut off, claims anything or is of another kind ends', async () => {
  const file = heicWithThumbnail()
  for (let length = 0; length < 600; length++) {
    await itemsOf(file.subarray(0, length)).catch(assertRange)
  }
  for (let at = 0; at < 600; at++) {
    for (const value of [0, 0x7f, 0xff]) {
      const changed = Buffer.from(file)
      changed[at] = value
      await itemsOf(changed).catch(assertRange)
    }
  }
  assert.equal(await itemsOf(Buffer.from('\0\0\0\x10moov\0\0\0\0\0\0\0\0', 'latin1')), undefined)
})

test('items that claim many parts of no length are refused at once', {
  timeout: 20_000,
}, async () => {
  // Numbers of no bytes: each item has 65,535 parts in six bytes.
  const item = Buffer.from([0, 1, 0, 0, 0xff, 0xff])
  const places = Buffer.from([0, 0, 0, 0, 0, 0, 10_000 >> 8, 10_000 & 255])
  const list = sizedBox('iloc', places, Buffer.alloc(10_000 * item.length, item))
  const file = Buffer.concat([
    sizedBox('ftyp', Buffer.from('heic')),
    sizedBox('meta', Buffer.alloc(4), list),
  ])
  await assert.rejects(itemsOf(file), RangeError)
})

test('a list of items above 1 MiB is not read', async () => {
  const file = Buffer.alloc(100)
  file.writeUInt32BE(16, 0)
  file.write('ftypheic', 4)
  file.writeUInt32BE(2 ** 21, 16)
  file.write('meta', 20)
  assert.equal(await itemsOf(file), undefined)
})

function sizedBox(type: string, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content])
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.write(type, 4)
  return bytes
}

function assertRange(error: unknown): void {
  assert.ok(error instanceof RangeError, String(error))
}
