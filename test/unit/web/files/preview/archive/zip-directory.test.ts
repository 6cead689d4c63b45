import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  NoZip,
  readZipDirectory,
} from '../../../../../../web/src/files/preview/archive/zip-directory.ts'
import type { ByteRange } from '../../../../../../web/src/files/s3/byte-range.ts'

interface Sample {
  readonly name: string | Buffer
  readonly size?: number
  readonly extra?: Buffer
}

function record({ name, size = 5, extra = Buffer.alloc(0) }: Sample): Buffer {
  const bytes = Buffer.from(name)
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE((10 << 11) | (30 << 5), 12)
  head.writeUInt16LE(((2026 - 1980) << 9) | (11 << 5) | 26, 14)
  head.writeUInt32LE(size, 20)
  head.writeUInt32LE(size, 24)
  head.writeUInt16LE(bytes.length, 28)
  head.writeUInt16LE(extra.length, 30)
  return Buffer.concat([head, bytes, extra])
}

interface Ends {
  readonly count?: number
  readonly first?: number
  readonly length?: number
  readonly comment?: string
}

function zip(samples: readonly Sample[], ends: Ends = {}): Buffer {
  const content = Buffer.from('content')
  const directory = Buffer.concat(samples.map(record))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(ends.count ?? samples.length, 10)
  end.writeUInt32LE(ends.length ?? directory.length, 12)
  end.writeUInt32LE(ends.first ?? content.length, 16)
  end.writeUInt16LE(ends.comment?.length ?? 0, 20)
  return Buffer.concat([content, directory, end, Buffer.from(ends.comment ?? '')])
}

/** Reads as S3 does, and fails for a range that no client may ask for. */
function directoryOf(file: Buffer) {
  const asked: ByteRange[] = []
  const read = async (range: ByteRange) => {
    assert.ok(range.first >= 0 && range.last >= range.first && range.last < file.length)
    asked.push(range)
    return new Uint8Array(file.subarray(range.first, range.last + 1))
  }
  return { asked, reading: readZipDirectory(read, file.length) }
}

const long = 2 ** 32 - 1

describe('readZipDirectory', () => {
  test('reads names, sizes and times, behind a comment that looks like an end', async () => {
    const comment = 'a comment with PK\u0005\u0006 in it'
    const { reading } = directoryOf(
      zip([{ name: 'é/' }, { name: 'é/b.txt', size: 9 }], { comment }),
    )
    assert.deepEqual(await reading, {
      count: 2,
      entries: [
        { name: 'é/', size: 5, packedSize: 5, modified: '2026-11-26 10:30' },
        { name: 'é/b.txt', size: 9, packedSize: 9, modified: '2026-11-26 10:30' },
      ],
    })
  })

  test('reads sizes and places of ZIP64', async () => {
    const extra = Buffer.alloc(20)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(16, 2)
    extra.writeBigUInt64LE(5_000_000_000n, 4)
    extra.writeBigUInt64LE(4_500_000_000n, 12)
    const directory = record({ name: 'big', size: long, extra })
    const end64 = Buffer.alloc(56)
    end64.writeUInt32LE(0x06064b50, 0)
    end64.writeBigUInt64LE(1n, 32)
    end64.writeBigUInt64LE(BigInt(directory.length), 40)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(BigInt(directory.length), 8)
    const end = zip([], { count: 0xffff, first: long, length: long }).subarray(-22)
    const { entries } = await directoryOf(Buffer.concat([directory, end64, locator, end])).reading
    assert.deepEqual(
      entries.map(({ name, size, packedSize }) => [name, size, packedSize]),
      [['big', 5_000_000_000, 4_500_000_000]],
    )
  })

  test('reads a name that is not UTF-8', async () => {
    const { entries } = await directoryOf(zip([{ name: Buffer.from([0x61, 0xe9]) }])).reading
    assert.equal(entries[0]?.name, 'aé')
  })

  test('is empty for an empty archive', async () => {
    assert.deepEqual(await directoryOf(zip([])).reading, { entries: [], count: 0 })
  })

  test('reads no more than 4 MiB of a directory, and says how many entries there are', async () => {
    const name = 'x'.repeat(60_000)
    const { asked, reading } = directoryOf(zip(Array.from({ length: 200 }, () => ({ name }))))
    const { entries, count } = await reading
    assert.equal(count, 200)
    assert.ok(entries.length > 50 && entries.length < 100)
    const bytes = asked.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    assert.ok(bytes < 5 * 1024 * 1024)
  })

  test('lists no more entries than the archive says, and no more than there are', async () => {
    const samples = [{ name: 'a' }, { name: 'b' }]
    assert.equal((await directoryOf(zip(samples, { count: 1 })).reading).entries.length, 1)
    assert.equal((await directoryOf(zip(samples, { count: 60_000 })).reading).entries.length, 2)
  })

  for (const [what, file] of [
    ['no archive', Buffer.from('some text')],
    ['an empty directory with entries', zip([{ name: 'a' }], { length: 0 })],
    ['a directory beyond the end', zip([{ name: 'a' }], { first: 5_000 })],
    ['a directory that is longer than the file', zip([{ name: 'a' }], { length: long - 1 })],
    ['a directory that is something else', zip([{ name: 'a' }], { first: 0, length: 60 })],
    [
      'ZIP64 without its record',
      Buffer.concat([zip([]).subarray(0, 7), locatorTo(0n), zip([], { count: 0xffff })]),
    ],
    [
      'ZIP64 with a record beyond every file',
      Buffer.concat([locatorTo(2n ** 64n - 1n), zip([], { count: 0xffff }).subarray(7)]),
    ],
    [
      'ZIP64 with a record that is something else',
      Buffer.concat([Buffer.alloc(60), locatorTo(0n), zip([], { count: 0xffff }).subarray(7)]),
    ],
  ] as const) {
    test(`refuses ${what}`, () => assert.rejects(directoryOf(Buffer.from(file)).reading, NoZip))
  }
})

function locatorTo(place: bigint): Buffer {
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(place, 8)
  return locator
}
