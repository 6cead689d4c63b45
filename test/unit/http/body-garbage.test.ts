import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { BodyReader } from '../../../src/http/body-reader.ts'

const pieceBytes = 64 * 1024

/** Collections that were asked for while a body of so many bytes was read. */
async function collectionsDuring(t: TestContext, bytes: number): Promise<unknown[]> {
  const asked: unknown[] = []
  const before = globalThis.gc
  t.after(() => {
    globalThis.gc = before
  })
  globalThis.gc = (async (options: unknown) => {
    asked.push(options)
  }) as NonNullable<typeof globalThis.gc>
  const pieces = Array.from({ length: bytes / pieceBytes }, () => Buffer.alloc(pieceBytes))
  const reader = new BodyReader(Readable.from(pieces, { objectMode: false }), 1_000)
  while ((await reader.next()) !== undefined);
  reader.close()
  return asked
}

test('Reading bodies has the young generation collected once in 8 MiB', async (t) => {
  const asked = await collectionsDuring(t, 33 * 1024 * 1024)
  assert.equal(asked.length, 4)
  assert.deepEqual(asked[0], { type: 'minor', execution: 'sync' })
})

test('npm start passes node the required flag', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const name of ['start', 'dev']) assert.match(scripts[name] ?? '', / --expose-gc /)
})
