import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { ZipWriter } from '../../../../src/storage/archive/zip-writer.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { hole, readZip, zipTarget } from './zip-folder.ts'

const gib = 1024 ** 3
const modifiedAtMs = Date.UTC(2026, 10, 26, 18, 30, 10)

function added(zip: ZipWriter, name: string, text: string, atMs = modifiedAtMs): Promise<void> {
  const bytes = Buffer.from(text)
  const file = { name: Buffer.from(name), modifiedAtMs: atMs, size: bytes.length }
  return zip.add(file, (borrow) => borrow(bytes))
}

describe('ZipWriter', () => {
  test('writes what other programs read, with names in UTF-8', async (t) => {
    const { path, write } = await zipTarget(t)
    const zip = new ZipWriter(write)
    await added(zip, 'ж/文.txt', 'text')
    await added(zip, 'empty/', '')
    await added(zip, 'old.txt', 'x', Date.UTC(1960, 0, 1))
    await added(zip, 'late.txt', 'x', Date.UTC(2200, 0, 1))
    await zip.end()
    const { bad, entries } = readZip(path)
    assert.equal(bad, null)
    assert.deepEqual(entries, [
      ['ж/文.txt', 4, [2026, 11, 26, 18, 30, 10], 0, 'text'],
      ['empty/', 0, [2026, 11, 26, 18, 30, 10], 0, ''],
      ['old.txt', 1, [1980, 1, 1, 0, 0, 0], 0, 'x'],
      ['late.txt', 1, [2107, 12, 31, 23, 59, 58], 0, 'x'],
    ])
    assert.match(execFileSync('unzip', ['-t', path]).toString(), /No errors detected/)
  })

  test('an archive without files is one', async (t) => {
    const { path, write } = await zipTarget(t)
    await new ZipWriter(write).end()
    assert.deepEqual(readZip(path).entries, [])
  })

  test('writes a file of more than 4 GiB, and files behind it', async (t) => {
    const { path, write } = await zipTarget(t)
    const zip = new ZipWriter(write)
    const size = 4.25 * gib
    const file = { name: Buffer.from('large.bin'), modifiedAtMs, size }
    await zip.add(file, async (borrow) => {
      for (let sent = 0; sent < size; sent += hole.length) await borrow(hole)
    })
    await added(zip, 'behind.txt', 'behind')
    await zip.end()
    const { entries } = readZip(path, 'names')
    assert.deepEqual(
      entries.map(([name, bytes, , , text]) => [name, bytes, text]),
      [
        ['large.bin', size, null],
        ['behind.txt', 6, 'behind'],
      ],
    )
    // Info-ZIP reads the directory, and not 4 GiB.
    const behind = execFileSync('unzip', ['-p', path, 'behind.txt'])
    assert.equal(behind.toString(), 'behind')
  })

  test('writes 100,000 files in the memory of their names', async (t) => {
    const { path, write } = await zipTarget(t)
    const zip = new ZipWriter(write)
    collectGarbage()
    const before = process.memoryUsage()
    for (let index = 0; index < 100_000; index += 1) {
      await added(zip, `a folder/with a folder/file-${index}.txt`, `text ${index}`)
    }
    collectGarbage()
    const after = process.memoryUsage()
    const kept = after.arrayBuffers - before.arrayBuffers
    assert.ok(kept < 40 * 1024 * 1024, `${kept} bytes`)
    await zip.end()
    const { bad, entries } = readZip(path)
    assert.equal(bad, null)
    assert.equal(entries.length, 100_000)
  })

  test('rejects when a file has other bytes than it should', async () => {
    const zip = new ZipWriter(async () => undefined)
    const file = { name: Buffer.from('a'), modifiedAtMs, size: 3 }
    await assert.rejects(
      zip.add(file, (borrow) => borrow(Buffer.from('four'))),
      /4 bytes/,
    )
  })

  test('rejects when its names would take too much memory', async () => {
    const zip = new ZipWriter(async () => undefined)
    const file = { name: Buffer.alloc(65_000, 'a'), modifiedAtMs, size: 0 }
    await assert.rejects(async () => {
      for (let index = 0; index < 1_100; index += 1) await zip.add(file, async () => undefined)
    }, /too many files/)
  })

  test('asks for bytes only when those before are taken', async () => {
    const taken = Promise.withResolvers<void>()
    const zip = new ZipWriter(() => taken.promise)
    const file = { name: Buffer.from('a'), modifiedAtMs, size: 300_000 }
    let asked = 0
    const adding = zip.add(file, async (borrow) => {
      for (; asked < 3; asked += 1) await borrow(new Uint8Array(100_000))
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(asked, 0)
    taken.resolve()
    await adding
    assert.equal(asked, 3)
  })
})
