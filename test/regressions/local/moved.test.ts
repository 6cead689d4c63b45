import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { bucket, openDrive, put } from '../../unit/storage/drives/local/open-drive.ts'

/**
 * A moved file is a link to its source: both have one identity and one record. To forget that because the move failed
 * took the attributes of the object that stayed.
 */
for (const [title, target, conditions] of [
  ['whose target is taken', 'taken', { ifNoneMatch: '*' }],
  ['whose target cannot be replaced', 'folder.d/pipe', undefined],
] as const) {
  test(`a move ${title} leaves the object its attributes`, async (t) => {
    const { drive, records, folder } = await openDrive(t)
    const { attributes } = await put(drive, 'source', 'bytes')
    await put(drive, 'taken', 'of somebody else')
    fs.mkdirSync(`${folder}/folder.d`)
    fs.symlinkSync('nowhere', `${folder}/folder.d/pipe`)
    const source = { bucket, key: 'source', etag: attributes.etag }
    const options = { attributes, isMove: true, ...(conditions && { conditions }) }
    await assert.rejects(async () => drive.copy?.(source, { bucket, key: target }, options), {
      kind: conditions === undefined ? 'denied' : 'condition',
    })
    assert.deepEqual(records.forgotten, [])
    assert.deepEqual((await drive.head(bucket, 'source'))?.attributes, attributes)
  })
}
