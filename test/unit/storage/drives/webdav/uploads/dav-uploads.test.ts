import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ChunkedBytes,
  type ChunkedBytesParts,
} from '../../../../../../src/storage/drives/webdav/uploads/chunked-bytes.ts'
import {
  DavUploads,
  type DavUploadsParts,
} from '../../../../../../src/storage/drives/webdav/uploads/dav-uploads.ts'

it('sweep keeps files and folders whose time the server does not report', async () => {
  const removed: unknown[] = []
  const remove = async (path: unknown) => void removed.push(path)
  const serverWith = (children: readonly object[]) => ({
    list: async () => ({ children }),
    removeFile: remove,
    removeFolder: remove,
  })
  const chunks = [
    { name: 'bucketry-untold', modifiedAtMs: 0 },
    { name: 'bucketry-old', modifiedAtMs: 1 },
  ]
  const files = [
    { name: 'untold', modifiedAtMs: 0 },
    { name: 'old', modifiedAtMs: 1 },
  ]
  const parts = {
    server: serverWith(files),
    bytes: new ChunkedBytes({
      origin: serverWith(chunks),
      chunkRoot: ['chunks'],
    } as unknown as ChunkedBytesParts),
    records: { sweepCompletions: async () => undefined },
  }
  const uploads = new DavUploads(parts as unknown as DavUploadsParts)
  await uploads.sweep(async () => false, 1_000)
  assert.deepEqual(removed, [
    ['.bucketry', 'uploads', 'old'],
    ['chunks', 'bucketry-old'],
  ])
})
