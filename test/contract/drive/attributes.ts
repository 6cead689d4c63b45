import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Attributes } from '../../../src/storage/drives/attributes.ts'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import type { DriveSuite } from './drive-suite.ts'
import { asStored, bucket, md5Of, put } from './stored-object.ts'

const etag = md5Of(Buffer.from('x'))

const samplesOf = (longBytes: number): Readonly<Record<string, Attributes>> => ({
  plain: { etag, headers: {}, metadata: {} },
  headers: {
    etag,
    headers: {
      'cache-control': 'max-age=60, private',
      'content-disposition': `attachment; filename="a \u00e9.txt"; filename*=UTF-8''a%20%C3%A9.txt`,
      'content-encoding': 'gzip',
      'content-language': 'de, en-GB',
      'content-type': 'text/plain; charset="utf-8"',
      expires: 'not a date, kept as it came',
    },
    metadata: {},
  },
  metadata: {
    etag,
    headers: { 'content-type': 'x/y' },
    metadata: {
      name: 'value',
      empty: '',
      'with-dash_and.dot': ' spaces inside  are kept',
      // Header values are latin1; clients send UTF-8 bytes or RFC 2047 words in them.
      latin1: Array.from({ length: 96 }, (_, index) => String.fromCharCode(160 + index)).join(''),
      'utf8-bytes': Buffer.from('日本語').toString('latin1'),
      encoded: '=?UTF-8?B?w6k=?=',
      quotes: `"'\\%&<>{}[]`,
      long: 'v'.repeat(longBytes),
      constructor: 'no property of Object',
    },
  },
  tags: {
    etag,
    headers: {},
    metadata: {},
    tags: { a: '1', 'é +-=._:/@': '日本語', empty: '', constructor: 'no property of Object' },
    storageClass: 'STANDARD_IA',
  },
  'as many tags as possible': {
    etag,
    headers: { 'content-type': 'x/y' },
    metadata: { long: 'v'.repeat(1900) },
    tags: Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${index}${'é'.repeat(127)}`, '數'.repeat(256)]),
    ),
  },
  checksum: {
    etag,
    headers: {},
    metadata: {},
    // Of the bytes: a server behind compares it.
    checksum: { algorithm: 'CRC32', value: 'jNwWgw==', type: 'FULL_OBJECT' },
  },
  parts: {
    etag: `${etag}-10000`,
    headers: {},
    metadata: {},
    checksum: { algorithm: 'SHA256', value: `${'A'.repeat(43)}=-10000`, type: 'COMPOSITE' },
    partSizes: [
      [9999, 8_388_608],
      [1, 17],
    ],
  },
  'part checksums': {
    etag: `${etag}-180`,
    headers: {},
    metadata: {},
    checksum: { algorithm: 'SHA256', value: `${'A'.repeat(43)}=-180`, type: 'COMPOSITE' },
    partSizes: [[180, 8_388_608]],
    partChecksums: Array.from({ length: 180 }, () => `${'B'.repeat(43)}=`),
  },
  'many part sizes': {
    etag: `${etag}-1000`,
    headers: {},
    metadata: {},
    partSizes: Array.from({ length: 1000 }, (_, index) => [1, 5_000_000 + index] as const),
  },
})

async function assertKept(drive: Drive, key: string, expected: Attributes): Promise<void> {
  const { attributes } = (await drive.head(bucket, key)) ?? assert.fail()
  assert.deepEqual(attributes, asStored(drive, expected, attributes))
}

export function attributeCases(suite: DriveSuite): void {
  const able = ({ headers, storageClass, ...rest }: Attributes): Attributes => {
    const { expires, ...others } = headers
    const isKept = storageClass !== undefined && suite.can('storageClasses')
    const { tags, ...untagged } = rest
    const plain = Object.entries(tags ?? {}).filter(([name]) => /^\w+$/.test(name))
    const isPlain = tags !== undefined && !suite.can('anyTags')
    const known = isPlain ? { ...untagged, tags: Object.fromEntries(plain) } : rest
    const tagged = suite.can('tags') ? known : untagged
    const kept = isKept ? { ...tagged, storageClass } : tagged
    return { ...kept, headers: suite.can('anyExpires') ? headers : others }
  }
  const samples = Object.fromEntries(
    Object.entries(samplesOf(suite.can('fullMetadata') ? 1900 : 1000))
      .filter(([, sample]) => suite.can('givenEtags') || sample.etag === etag)
      .filter(
        ([name]) =>
          (suite.can('anyTags') && suite.can('tags')) || name !== 'as many tags as possible',
      )
      .map(([name, sample]) => [name, able(sample)]),
  )
  describe('attributes', () => {
    suite.it('are returned as they were given, by publish, head and open', async ({ drive }) => {
      for (const [name, attributes] of Object.entries(samples)) {
        const metadata = await put(drive, `a/${name}`, 'x', { attributes })
        const expected = asStored(drive, attributes, metadata.attributes)
        assert.deepEqual(metadata.attributes, expected)
        assert.deepEqual((await drive.head(bucket, `a/${name}`))?.attributes, expected)
        const object = await drive.open(bucket, `a/${name}`)
        assert.deepEqual(object?.attributes, expected)
        await object?.close()
      }
    })

    suite.it('are those of the newest version only', async ({ drive }) => {
      for (const attributes of Object.values(samples)) {
        await put(drive, 'k', 'x', { attributes })
        await assertKept(drive, 'k', attributes)
      }
      await drive.remove(bucket, 'k')
      await put(drive, 'k', 'x')
      const bare = { etag, headers: {}, metadata: {} }
      await assertKept(drive, 'k', bare)
    })

    suite.itWithReopen('are known to the next process', async ({ drive, reopen }) => {
      for (const [name, attributes] of Object.entries(samples)) {
        await put(drive, name, 'x', { attributes })
      }
      const next = await reopen()
      for (const [name, attributes] of Object.entries(samples)) {
        await assertKept(next, name, attributes)
      }
    })
  })
}
