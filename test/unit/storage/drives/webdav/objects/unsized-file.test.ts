import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { UnsizedFile } from '../../../../../../src/storage/drives/webdav/objects/unsized-file.ts'
import { Spool } from '../../../../../../src/storage/drives/webdav/uploads/spool.ts'

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-unsized-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Makes all files accept at most this many bytes at once, as on a disk that is almost full. */
async function takeAtMost(t: TestContext, folder: string, bytes: () => number): Promise<void> {
  const handle = await open(join(folder, 'any'), 'w')
  const files = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const write = files.write as (...given: unknown[]) => ReturnType<FileHandle['write']>
  t.mock.method(files, 'write', function (this: FileHandle, ...given: unknown[]) {
    const [chunk, offset, length, position] = given as [Uint8Array, number, number, number]
    return write.call(this, chunk, offset, Math.min(length, bytes()), position)
  })
}

async function contentOf(file: UnsizedFile): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of file.read() as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('UnsizedFile', () => {
  it('stores all bytes when the disk accepts them in pieces', async (t) => {
    const folder = folderOf(t)
    await takeAtMost(t, folder, () => 300)
    const file = await UnsizedFile.create(new Spool({ folder, maxBytes: 10_000 }))
    t.after(() => file.close())
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251))
    await file.write(bytes)
    await file.write(bytes)
    assert.deepEqual(await contentOf(file), Buffer.concat([bytes, bytes]))
  })

  it('reports a full disk', async (t) => {
    const folder = folderOf(t)
    const room = [300, 0]
    await takeAtMost(t, folder, () => room.shift() ?? 0)
    const file = await UnsizedFile.create(new Spool({ folder, maxBytes: 10_000 }))
    t.after(() => file.close())
    const isFull = (error: unknown) => error instanceof DriveError && error.kind === 'full'
    await assert.rejects(file.write(Buffer.alloc(1_000)), isFull)
  })
})
