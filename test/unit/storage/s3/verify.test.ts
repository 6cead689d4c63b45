import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { type VerifiedObject, verifyBucket } from '../../../../src/app/cli/verify/verify-bucket.ts'
import { type Verdict, verifyObject } from '../../../../src/app/cli/verify/verify-object.ts'
import {
  checksumAlgorithms,
  createChecksum,
  loadXxHashes,
} from '../../../../src/platform/checksums/checksum.ts'
import type { Attributes, PartSizes } from '../../../../src/storage/drives/attributes.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { EntryCursor } from '../../../../src/storage/drives/listed-entry.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { checksumOfParts } from '../../../../src/storage/s3/headers/checksum-headers.ts'
import { md5Of, testBytes } from '../../../support/test-bytes.ts'

before(loadXxHashes)

const bucket = 'photos'
const bytes = testBytes('verify', 100_000)
const otherMd5 = md5Of(Buffer.from('other'))

async function driveWith(objects: Readonly<Record<string, Partial<Attributes>>>): Promise<Drive> {
  const drive = openMemoryDrive()
  await drive.prepare([bucket])
  for (const [key, attributes] of Object.entries(objects)) await put(drive, key, attributes)
  return drive
}

async function put(drive: Drive, key: string, more: Partial<Attributes>, body = bytes) {
  const draft = await drive.draft(bucket, key, { size: body.length })
  await draft.write(body)
  await draft.publish({ etag: md5Of(body), headers: {}, metadata: {}, ...more })
}

function verdictOn(attributes: Partial<Attributes>): Promise<Verdict> {
  return driveWith({ k: attributes }).then((drive) => verifyObject(drive, { bucket, key: 'k' }))
}

/** The same drive with another way to open objects. */
function withOpen(drive: Drive, open: Drive['open']): Drive {
  return withMethods(drive, { open })
}

/** The same drive with some methods replaced. */
function withMethods(drive: Drive, methods: Partial<Drive>): Drive {
  return new Proxy(drive, {
    get(target, name) {
      if (name in methods) return Reflect.get(methods, name)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function partsOf(sizes: readonly number[]): Buffer[] {
  let at = 0
  return sizes.map((size) => {
    at += size
    return bytes.subarray(at - size, at)
  })
}

function etagOf(parts: readonly Buffer[]): string {
  const hash = createHash('md5')
  for (const part of parts) hash.update(md5Of(part), 'hex')
  return `${hash.digest('hex')}-${parts.length}`
}

const verified = { kind: 'verified' }

test('An object is verified by the MD5 of its bytes', async () => {
  assert.deepEqual(await verdictOn({}), verified)
  const differences = [{ what: 'ETag', expected: otherMd5, found: md5Of(bytes) }]
  assert.deepEqual(await verdictOn({ etag: otherMd5 }), { kind: 'mismatch', differences })
})

const layouts: readonly { sizes: readonly number[]; partSizes: PartSizes }[] = [
  {
    sizes: [30_000, 30_000, 40_000],
    partSizes: [
      [2, 30_000],
      [1, 40_000],
    ],
  },
  { sizes: [100_000], partSizes: [[1, 100_000]] },
  {
    sizes: [0, 99_999, 1, 0],
    partSizes: [
      [1, 0],
      [1, 99_999],
      [1, 1],
      [1, 0],
    ],
  },
  { sizes: Array(100).fill(1_000), partSizes: [[100, 1_000]] },
]
for (const { sizes, partSizes } of layouts) {
  test(`An upload in parts of ${[...new Set(sizes)]} is verified by their MD5s`, async () => {
    const etag = etagOf(partsOf(sizes))
    assert.deepEqual(await verdictOn({ etag, partSizes }), verified)
    const expected = `${otherMd5}-${sizes.length}`
    const differences = [{ what: 'ETag', expected, found: etag }]
    assert.deepEqual(await verdictOn({ etag: expected, partSizes }), {
      ...{ kind: 'mismatch', differences },
    })
  })

  test(`A checksum of parts of ${[...new Set(sizes)]} is verified`, async () => {
    const etag = etagOf(partsOf(sizes))
    for (const algorithm of ['CRC32', 'SHA256'] as const) {
      const parts = partsOf(sizes).map((part) => {
        const hasher = createChecksum(algorithm)
        hasher.update(part)
        return { value: hasher.digest().toString('base64'), sizeBytes: part.length }
      })
      const checksum = checksumOfParts(algorithm, 'COMPOSITE', parts)
      assert.deepEqual(await verdictOn({ etag, partSizes, checksum }), verified)
      const wrong = { ...checksum, value: `AAAA-${sizes.length}` }
      const what = `x-amz-checksum-${algorithm.toLowerCase()}`
      const differences = [{ what, expected: wrong.value, found: checksum.value }]
      assert.deepEqual(await verdictOn({ etag, partSizes, checksum: wrong }), {
        ...{ kind: 'mismatch', differences },
      })
    }
  })
}

for (const algorithm of checksumAlgorithms) {
  test(`A ${algorithm} of the whole object is verified, even if the ETag is not a digest`, async () => {
    const hasher = createChecksum(algorithm)
    hasher.update(bytes)
    const value = hasher.digest().toString('base64')
    const etag = `${otherMd5}-1`
    const checksum = { algorithm, value, type: 'FULL_OBJECT' } as const
    assert.deepEqual(await verdictOn({ etag, checksum }), verified)
    const wrong = { ...checksum, value: 'AAAA' }
    const what = `x-amz-checksum-${algorithm.toLowerCase()}`
    const differences = [{ what, expected: 'AAAA', found: value }]
    assert.deepEqual(await verdictOn({ etag, checksum: wrong }), { kind: 'mismatch', differences })
  })
}

test('An object is not verifiable if its ETag is not an MD5', async () => {
  const unverifiable = { kind: 'unverifiable' }
  assert.deepEqual(await verdictOn({ etag: `${otherMd5}-1` }), unverifiable)
})

test('Parts that do not add up to the object are a difference in size', async () => {
  const etag = etagOf(partsOf([50_000, 50_000]))
  for (const sizeBytes of [49_000, 51_000]) {
    const differences = [{ what: 'size', expected: String(2 * sizeBytes), found: '100000' }]
    assert.deepEqual(await verdictOn({ etag, partSizes: [[2, sizeBytes]] }), {
      ...{ kind: 'mismatch', differences },
    })
  }
})

test('An object that is overwritten while it is read is read again', async () => {
  const drive = await driveWith({ k: { etag: otherMd5 } })
  let opened = 0
  const racing = withOpen(drive, async (...name) => {
    const object = await drive.open(...name)
    if (++opened === 1) await put(drive, 'k', {}, testBytes('newer', 1_000))
    return object
  })
  assert.deepEqual(await verifyObject(racing, { bucket, key: 'k' }), verified)
})

test('A read that fails because the object was overwritten is repeated', async () => {
  const drive = await driveWith({ k: {} })
  let opened = 0
  const racing = withOpen(drive, async (...name) => {
    if (++opened > 1) return await drive.open(...name)
    await put(drive, 'k', {}, testBytes('newer', 1_000))
    throw new DriveError('changed', 'The file was changed while it was being read.')
  })
  assert.deepEqual(await verifyObject(racing, { bucket, key: 'k' }), verified)
})

test('An object that is overwritten at every read is reported as not readable', async () => {
  const drive = await driveWith({ k: { etag: otherMd5 } })
  let writes = 0
  const racing = withOpen(drive, async (...name) => {
    await put(drive, 'k', { etag: md5Of(Buffer.from(String(++writes))) })
    return await drive.open(...name)
  })
  const { kind } = await verifyObject(racing, { bucket, key: 'k' })
  assert.equal(kind, 'unreadable')
})

test('A version is a mismatch if the drive refuses its bytes repeatedly', async () => {
  const drive = await driveWith({ k: {} })
  const refusing = withOpen(drive, () => {
    throw new DriveError('changed', 'The file was changed while it was being read.')
  })
  const verdict = await verifyObject(refusing, { bucket, key: 'k' })
  const found = 'different bytes, which the drive rejects'
  const differences = [{ what: 'ETag', expected: md5Of(bytes), found }]
  assert.deepEqual(verdict, { kind: 'mismatch', differences })
})

test('A version without an MD5 is not readable if the drive refuses its bytes', async () => {
  const drive = await driveWith({ k: { etag: `${otherMd5}-1` } })
  const refusing = withOpen(drive, () => {
    throw new DriveError('changed', 'The file was changed while it was being read.')
  })
  assert.equal((await verifyObject(refusing, { bucket, key: 'k' })).kind, 'unreadable')
})

test('An object removed since it was listed is reported as gone', async () => {
  const drive = await driveWith({})
  assert.deepEqual(await verifyObject(drive, { bucket, key: 'k' }), { kind: 'gone' })
})

test('A request is retried while the drive is busy, but not when access is denied', async () => {
  const drive = await driveWith({ k: {} })
  let opened = 0
  const busy = withOpen(drive, (...name) => {
    if (++opened > 2) return drive.open(...name)
    throw new DriveError('busy', 'Too many requests.', { retryAfterSeconds: 0 })
  })
  assert.deepEqual(await verifyObject(busy, { bucket, key: 'k' }), verified)
  const denying = withOpen(drive, () => {
    opened++
    throw new DriveError('denied', 'No permission.')
  })
  opened = 0
  const verdict = await verifyObject(denying, { bucket, key: 'k' })
  assert.deepEqual(verdict, { kind: 'unreadable', reason: 'No permission.', isUnanswered: false })
  assert.equal(opened, 1)
})

test('All objects below a prefix are verified, four at a time', async () => {
  const keys = Array.from({ length: 1_500 }, (_, index) => `a/${String(index).padStart(4, '0')}`)
  const drive = await driveWith({})
  for (const key of [...keys, 'b']) await put(drive, key, {}, Buffer.from(key))
  let open = 0
  let most = 0
  const counting = withOpen(drive, async (...name) => {
    most = Math.max(most, ++open)
    const object = await drive.open(...name)
    open--
    return object
  })
  const seen: string[] = []
  let read = 0
  await verifyBucket({
    ...{ drive: counting, bucket, prefix: 'a/', hasVersions: false },
    onBytes: (count) => {
      read += count
    },
    onVerdict: ({ key }, { kind }) => seen.push(`${key} ${kind}`),
  })
  assert.deepEqual(
    seen.sort(),
    keys.map((key) => `${key} verified`),
  )
  assert.equal(most, 4)
  assert.equal(read, keys.join('').length)
})

/** Cursors that lose a page when they fail, so that a new cursor is needed after a failure. */
function failingCursors(drive: Drive, isFailure: (call: number) => boolean): Drive {
  let calls = 0
  const list: Drive['list'] = (...query): EntryCursor => {
    const cursor = drive.list(...query)
    const next = async (limit: number) => {
      const entries = await cursor.next(limit)
      if (!isFailure(++calls)) return entries
      throw new DriveError('unavailable', 'The drive does not answer.', { retryAfterSeconds: 0 })
    }
    return { next, seek: (key) => cursor.seek(key) }
  }
  return withMethods(drive, { list })
}

async function driveWithKeys(count: number): Promise<{ drive: Drive; keys: readonly string[] }> {
  const keys = Array.from({ length: count }, (_, index) => `k${String(index).padStart(5, '0')}`)
  const drive = await driveWith({})
  for (const key of keys) await put(drive, key, {}, Buffer.from(key))
  return { drive, keys }
}

/** The verified keys, and the error that ended the run. */
async function runOn(drive: Drive, prefix = '') {
  const seen: string[] = []
  const onVerdict = ({ key }: VerifiedObject) => seen.push(key)
  const parts = { drive, bucket, prefix, hasVersions: false, onBytes: () => undefined, onVerdict }
  const failure = await verifyBucket(parts).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { seen: seen.sort(), failure }
}

test('A page of the listing that fails once is read again', async () => {
  const { drive, keys } = await driveWithKeys(2_500)
  for (const failing of [1, 2, 3, 4]) {
    const { seen, failure } = await runOn(failingCursors(drive, (call) => call === failing))
    assert.equal(failure, undefined)
    assert.deepEqual(seen, keys)
  }
})

test('A page of the listing that stays unreadable ends the run with its error', async () => {
  const { drive, keys } = await driveWithKeys(1_500)
  const { seen, failure } = await runOn(failingCursors(drive, (call) => call > 1))
  assert.ok(failure instanceof DriveError)
  assert.equal(failure.message, 'The drive does not answer.')
  assert.deepEqual(seen, keys.slice(0, 1_000))
})

test('The run stops when the drive does not respond for 20 objects in a row', async () => {
  const { drive } = await driveWithKeys(200)
  const away = withOpen(drive, () => {
    throw new DriveError('unavailable', 'The drive is away.', { retryAfterSeconds: 0 })
  })
  const { seen, failure } = await runOn(away)
  assert.ok(failure instanceof DriveError)
  assert.match(failure.message, /20 objects in a row/)
  // Objects being read at that moment are reported too.
  assert.ok(seen.length >= 20 && seen.length < 30, String(seen.length))
})

test('Single unreadable objects and denied ones do not stop the run', async () => {
  const { drive, keys } = await driveWithKeys(200)
  const everySecond = withOpen(drive, (of, key) => {
    if (Number(key.slice(1)) % 8 < 4) return drive.open(of, key)
    throw new DriveError('unavailable', 'EIO', { retryAfterSeconds: 0 })
  })
  assert.deepEqual(await runOn(everySecond), { seen: keys, failure: undefined })
  const denied = withOpen(drive, () => {
    throw new DriveError('denied', 'No permission.')
  })
  assert.deepEqual(await runOn(denied), { seen: keys, failure: undefined })
})

test('Former versions are verified, also after a page that failed, and delete markers are not', async () => {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare([bucket])
  for (const damaged of [false, true, false]) {
    await put(drive, 'k', damaged ? { etag: otherMd5 } : {})
  }
  await put(drive, 'removed', {})
  await drive.remove(bucket, 'removed')
  for (let count = 0; count < 1_500; count += 1) await put(drive, 'many', {}, Buffer.from('x'))
  const listVersions: Drive['listVersions'] = (...query) => {
    const cursor = drive.listVersions?.(...query) ?? assert.fail('no versions')
    let pages = 0
    return {
      async next(limit) {
        const entries = await cursor.next(limit)
        pages += 1
        if (pages === 1) return entries
        throw new DriveError('unavailable', 'The drive does not answer.', { retryAfterSeconds: 0 })
      },
      seek: (key) => cursor.seek(key),
    }
  }
  const seen = new Map<string, number>()
  await verifyBucket({
    ...{ drive: withMethods(drive, { listVersions }), bucket, prefix: '', hasVersions: true },
    onBytes: () => undefined,
    onVerdict({ key, versionId }, { kind }) {
      const name = `${key} ${versionId === undefined ? 'current' : 'former'} ${kind}`
      seen.set(name, (seen.get(name) ?? 0) + 1)
    },
  })
  assert.deepEqual(Object.fromEntries(seen), {
    'k current verified': 1,
    'k former mismatch': 1,
    'k former verified': 1,
    'many current verified': 1,
    'many former verified': 1_499,
    'removed former verified': 1,
  })
})
