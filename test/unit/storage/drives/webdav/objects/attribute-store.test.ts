import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { asciiJson } from '../../../../../../src/storage/drives/kit/stored-attributes.ts'
import {
  readRecord,
  versionOf,
} from '../../../../../../src/storage/drives/webdav/objects/attribute-store.ts'

const attributes = { etag: 'e', headers: {}, metadata: {} }

describe('readRecord', () => {
  it('returns the record of this version', () => {
    const record = { version: 'v', attributes }
    assert.deepEqual(readRecord(asciiJson(record), 'v'), record)
  })

  it('returns undefined for another version', () => {
    const text = asciiJson({ version: 'v1', attributes })
    assert.equal(readRecord(text, 'v2'), undefined)
  })

  it('returns undefined for anything but a record', () => {
    for (const text of [
      undefined,
      '',
      '{',
      'null',
      '[]',
      '{"version":"v"}',
      '{"version":"v","attributes":{}}',
    ]) {
      assert.equal(readRecord(text, 'v'), undefined)
    }
  })
})

describe('versionOf', () => {
  const entry = { etag: 'a', size: 5, modifiedAtMs: 1000 }

  it('changes with the tag and the size, or with the time where tags do not last', () => {
    const versions = [
      versionOf(entry, 'etag'),
      versionOf({ ...entry, etag: 'b' }, 'etag'),
      versionOf({ ...entry, size: 6 }, 'etag'),
      versionOf(entry, 'time'),
      versionOf({ ...entry, modifiedAtMs: 2000 }, 'time'),
    ]
    assert.equal(new Set(versions).size, versions.length)
    assert.equal(versionOf({ ...entry, modifiedAtMs: 2000 }, 'etag'), versions[0])
    assert.equal(versionOf({ ...entry, etag: 'b' }, 'time'), versions[3])
  })

  it('stays short for long tags', () => {
    const long = versionOf({ ...entry, etag: 'x'.repeat(10_000) }, 'etag')
    assert.ok(long.length < 500)
    assert.notEqual(long, versionOf({ ...entry, etag: 'x'.repeat(10_001) }, 'etag'))
  })
})
