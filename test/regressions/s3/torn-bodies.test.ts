import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { test } from 'node:test'
import {
  attributesOf,
  bucket,
  bytesOf,
  get,
  put,
  writeChunks,
} from '../../contract/drive/stored-object.ts'
import { until } from '../../support/management-client.ts'
import { storeOfFiles } from './store-of-files.ts'
import { openDriveOn } from './store-under-test.ts'

/** What the store does with the PUT that breaks off in the probe. */
const probed: Readonly<Record<string, (answer: RequestListener) => RequestListener>> = {
  stored: (answer) => answer,
  'refused because the store is busy': (answer) => (request, response) => {
    if (isProbe(request)) response.writeHead(503).end()
    else answer(request, response)
  },
}

const isProbe = ({ method, url = '' }: IncomingMessage) =>
  method === 'PUT' && /\/cut(?:\?|$)/.test(url)

for (const [what, answering] of Object.entries(probed)) {
  test(`a store that keeps a part of a body that breaks off keeps the object (${what})`, async (t) => {
    const { answer, broken } = storeOfFiles()
    const drive = await openDriveOn(t, answering(answer))
    await drive.prepare([bucket])
    const before = bytesOf(3_000_000)
    await put(drive, 'k', before)
    const brokenBefore = broken.length
    const draft = await drive.draft(bucket, 'k', { size: 4_000_000 })
    await writeChunks(draft, bytesOf(3_900_000, 1))
    await draft.discard()
    await until(() => broken.length > brokenBefore)
    assert.deepEqual(broken.slice(brokenBefore), ['/bucket/alpha/k'])
    assert.ok((await get(drive, 'k'))?.equals(before))
    const after = bytesOf(4_000_000, 1)
    const { attributes } = await put(drive, 'k', after)
    assert.ok((await get(drive, 'k'))?.equals(after))
    const { checksum, ...others } = attributes
    assert.equal(checksum?.algorithm, 'CRC64NVME')
    assert.deepEqual(others, attributesOf(after))
    assert.deepEqual((await drive.head(bucket, 'k'))?.attributes, attributes)
  })
}
