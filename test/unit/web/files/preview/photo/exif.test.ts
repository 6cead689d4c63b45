import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { photoFacts } from '../../../../../../web/src/files/preview/photo/exif.ts'

type Value = string | readonly number[] | readonly (readonly [number, number])[]
type Directory = readonly (readonly [tag: number, value: Value])[]

interface Encoded {
  readonly type: number
  readonly count: number
  readonly bytes: Buffer
}

function encoded(value: Value, isLittle: boolean): Encoded {
  if (typeof value === 'string') {
    return { type: 2, count: value.length + 1, bytes: Buffer.from(`${value}\0`) }
  }
  const numbers = value.flat()
  const view = new DataView(new ArrayBuffer(numbers.length * 4))
  for (const [index, number] of numbers.entries()) view.setUint32(index * 4, number, isLittle)
  const type = Array.isArray(value[0]) ? 5 : 4
  return { type, count: value.length, bytes: Buffer.from(view.buffer) }
}

/** A TIFF structure with a main directory, and those of Exif and GPS. */
function tiff(main: Directory, exif: Directory, gps: Directory, isLittle: boolean) {
  const file = Buffer.alloc(1_500)
  const view = new DataView(file.buffer, file.byteOffset)
  const short = (at: number, value: number) => view.setUint16(at, value, isLittle)
  const long = (at: number, value: number) => view.setUint32(at, value, isLittle)
  view.setUint16(0, isLittle ? 0x4949 : 0x4d4d)
  short(2, 42)
  long(4, 8)
  let free = 600
  const write = (at: number, directory: Directory) => {
    short(at, directory.length)
    for (const [index, [tag, value]] of directory.entries()) {
      const entry = at + 2 + 12 * index
      const { type, count, bytes } = encoded(value, isLittle)
      short(entry, tag)
      short(entry + 2, type)
      long(entry + 4, count)
      if (bytes.length > 4) long(entry + 8, free)
      bytes.copy(file, bytes.length > 4 ? free : entry + 8)
      free += bytes.length
    }
  }
  write(8, [...main, [0x8769, [200]], [0x8825, [400]]])
  write(200, exif)
  write(400, gps)
  return file
}

const photo = (isLittle = true) =>
  tiff(
    [
      [0x010f, 'Canon'],
      [0x0110, 'Canon EOS R5'],
    ],
    [
      [0x829a, [[1, 250]]],
      [0x829d, [[28, 10]]],
      [0x8827, [400]],
      [0x9003, '2024:05:03 14:03:07'],
      [0x920a, [[50, 1]]],
      [0xa434, 'RF50mm F1.2 L USM'],
    ],
    [
      [1, 'S'],
      [
        2,
        [
          [33, 1],
          [51, 1],
          [3540, 100],
        ],
      ],
      [3, 'E'],
      [
        4,
        [
          [151, 1],
          [12, 1],
          [0, 1],
        ],
      ],
    ],
    isLittle,
  )

function fileOf(structure: Uint8Array, mark = 'Exif\0\0') {
  return new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from(mark), structure]))
}

describe('the Exif data of a photo', () => {
  for (const isLittle of [true, false]) {
    test(`is read with the ${isLittle ? 'little' : 'big'} end first`, () => {
      assert.deepEqual(photoFacts(fileOf(photo(isLittle))), {
        camera: 'Canon EOS R5',
        lens: 'RF50mm F1.2 L USM',
        exposure: '1/250 s, f/2.8, ISO 400, 50 mm',
        taken: '2024-05-03 14:03:07',
        place: [-(33 + 51 / 60 + 35.4 / 3_600), 151.2],
      })
    })
  }

  test('is found in a PNG, and nothing in other files', () => {
    assert.equal(photoFacts(fileOf(photo(), 'eXIf'))?.camera, 'Canon EOS R5')
    assert.equal(photoFacts(fileOf(photo(), 'Exif??')), undefined)
    assert.equal(photoFacts(new Uint8Array(0)), undefined)
  })

  test('that is damaged or cut off throws nothing', () => {
    const whole = fileOf(photo())
    for (let length = 0; length < whole.length; length += 1) photoFacts(whole.slice(0, length))
    for (let at = 8; at < 700; at += 1) {
      const damaged = whole.slice()
      damaged[at] = 0xff
      photoFacts(damaged)
    }
    // A count of four billion characters.
    const endless = whole.slice()
    endless.fill(0xff, 8 + 14, 8 + 18)
    photoFacts(endless)
  })
})
