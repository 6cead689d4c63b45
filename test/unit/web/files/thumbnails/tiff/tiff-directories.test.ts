import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  numberOf,
  tags,
  tiffDirectories,
} from '../../../../../../web/src/files/thumbnails/tiff/tiff-directories.ts'
import {
  jpegPreviews,
  largestJpegs,
} from '../../../../../../web/src/files/thumbnails/tiff/tiff-previews.ts'
import { tiffBytes } from '../../../../../support/thumbnail-bytes.ts'

function directoriesOf(file: Buffer) {
  return tiffDirectories(async (start, end) => {
    if (end > file.length) throw new RangeError('behind the end')
    return file.subarray(start, end)
  })
}

const page = { 256: [300], 257: [200], 258: [8, 8, 8], 259: [1], 262: [2], 273: [8], 279: [100] }

test('the pages of a file are read in both byte orders', async () => {
  for (const isLittle of [true, false]) {
    const found = await directoriesOf(tiffBytes([page, { 256: [9] }], undefined, isLittle))
    assert.equal(found.length, 2)
    assert.deepEqual(found[0]?.get(tags.bits), [8, 8, 8])
    assert.equal(found[1] && numberOf(found[1], tags.width), 9)
  }
})

test('directories that refer to each other are read once', async () => {
  const file = tiffBytes([{ ...page, 330: [8, 8, 8, 8] }])
  assert.equal((await directoriesOf(file)).length, 1)
  // The next page is the first one.
  const again = tiffBytes([page])
  again.writeUInt32LE(8, 8 + 2 + 12 * Object.keys(page).length)
  assert.equal((await directoriesOf(again)).length, 1)
})

test('at most 24 directories are read', async () => {
  const pages = Array.from({ length: 100 }, () => ({ 256: [1] }))
  assert.equal((await directoriesOf(tiffBytes(pages))).length, 24)
})

test('claims that are too large are errors, before anything is read', async () => {
  const entries = tiffBytes([page])
  entries.writeUInt16LE(0xffff, 8)
  await assert.rejects(directoriesOf(entries), RangeError)
  const values = tiffBytes([{ 273: [1, 2] }])
  values.writeUInt32LE(0xffffffff, 8 + 2 + 4)
  await assert.rejects(directoriesOf(values), RangeError)
})

test('a file that is cut off, or points anywhere, ends', async () => {
  const file = tiffBytes([{ ...page, 330: [8, 200] }, page])
  for (let length = 0; length < file.length; length++) {
    await directoriesOf(file.subarray(0, length)).catch(assertRange)
  }
  for (let at = 0; at < file.length; at++) {
    const changed = Buffer.from(file)
    changed[at] = 0xff
    await directoriesOf(changed).catch(assertRange)
  }
  assert.deepEqual(await directoriesOf(Buffer.from('no TIFF file')), [])
})

function assertRange(error: unknown): void {
  assert.ok(error instanceof RangeError, String(error))
}

test('the smallest preview that is large enough is the first', async () => {
  const raw = { 259: [7], 262: [32_803], 273: [1], 279: [20_000] }
  const found = await directoriesOf(
    tiffBytes([
      { 259: [6], 273: [1_000], 279: [900_000] },
      { 513: [2_000], 514: [5_000] },
      { 513: [3_000], 514: [80_000] },
      { 513: [4_000], 514: [90_000_000] },
      { 259: [7], 273: [1, 2], 279: [20_000, 20_000] },
      { 259: [7], 273: [1], 279: [20_000], 347: [1] },
      raw,
    ]),
  )
  assert.deepEqual(
    jpegPreviews(found).map(({ at }) => at),
    [3_000, 1_000, 2_000],
  )
})

test('a large picture is the largest JPEG file, or the first page if that is the picture itself', async () => {
  const reduced = { 254: [1], 513: [1_000], 514: [5_000] }
  const large = { 259: [7], 262: [6], 273: [2_000], 279: [20_000_000] }
  const page = { 259: [7], 262: [6], 273: [3_000], 279: [900_000] }
  const orderOf = async (...pages: Parameters<typeof tiffBytes>[0]) =>
    largestJpegs(await directoriesOf(tiffBytes(pages))).map(({ at }) => at)
  assert.deepEqual(await orderOf(reduced, large, page), [2_000, 3_000, 1_000])
  assert.deepEqual(await orderOf(page, large, reduced), [3_000, 1_000])
  assert.deepEqual(await orderOf(reduced, { ...large, 279: [90_000_000] }), [1_000])
})
