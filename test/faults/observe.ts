import assert from 'node:assert/strict'
import type { Drive } from '../../src/storage/drives/drive.ts'
import type { Entry } from '../../src/storage/drives/listed-entry.ts'
import type { FaultWorld } from './fault-world.ts'
import { isSuccess } from './s3-caller.ts'
import { headersOf, type Version } from './version.ts'

export interface Expectation {
  readonly key: string
  /** Versions that may be current. */
  readonly allowed: readonly (Version | undefined)[]
  /** Whether other users have created files of the same name, and whether one may be the object. */
  readonly others?: 'before' | 'now' | undefined
}

/**
 * The version at the key, after a check that all of these agree: GET, HEAD and a listing of the
 * gateway, the drive of another process, and the server's own files.
 */
export async function observe(
  world: FaultWorld,
  { key, allowed, others }: Expectation,
): Promise<Version | undefined> {
  const { answer, version } = await got(world, key, allowed)
  // Bytes that may be there in another user's file, whose attributes are unknown.
  if (others === 'now') return version
  if (version !== undefined) checkHeaders(answer.headers, version, 'GET')
  await checkHead(world, key, version)
  await checkListing(world, key, version)
  await checkOther(world.other, { bucket: world.s3.bucket, key, version })
  const stored = await world.stored(key)
  const wanted = version === undefined ? [] : [version.md5]
  if (others === undefined) assert.deepEqual(stored, wanted, 'the files on the server')
  return version
}

async function got({ s3 }: FaultWorld, key: string, allowed: readonly (Version | undefined)[]) {
  const answer = await s3.send({ method: 'GET', key })
  if (answer.status === 404) {
    assert.ok(allowed.includes(undefined), 'the object is lost')
    return { answer, version: undefined }
  }
  assert.equal(answer.status, 200, `GET: ${answer.body.subarray(0, 300)}`)
  const version = allowed.find((one) => one?.bytes.equals(answer.body))
  assert.ok(version, `GET gives ${answer.headers.get('x-amz-meta-version')}, or what says so`)
  return { answer, version }
}

function checkHeaders(headers: Headers, version: Version, what: string): void {
  const found = {
    etag: headers.get('etag')?.replaceAll('"', ''),
    ...Object.fromEntries(Object.keys(headersOf(version)).map((name) => [name, headers.get(name)])),
  }
  assert.deepEqual(found, { etag: version.etag, ...headersOf(version) }, what)
}

async function checkHead({ s3 }: FaultWorld, key: string, version: Version | undefined) {
  const answer = await s3.send({ method: 'HEAD', key })
  if (version === undefined) {
    assert.equal(answer.status, 404, 'HEAD')
    return
  }
  assert.equal(answer.status, 200, 'HEAD')
  assert.equal(answer.headers.get('content-length'), String(version.bytes.length), 'HEAD')
  checkHeaders(answer.headers, version, 'HEAD')
}

async function checkListing({ s3 }: FaultWorld, key: string, version: Version | undefined) {
  const query = `list-type=2&prefix=${encodeURIComponent(key)}`
  const answer = await s3.send({ method: 'GET', key: '', query })
  assert.ok(isSuccess(answer), `ListObjectsV2: ${answer.body}`)
  const found = answer.body
    .toString()
    .matchAll(/<Key>([^<]*)<\/Key>.*?<ETag>([^<]*)<\/ETag>.*?<Size>(\d+)</gs)
  const entries = Array.from(found, ([, name, etag, size]) => [
    name,
    etag?.replaceAll('&quot;', '').replaceAll('"', ''),
    Number(size),
  ])
  const wanted = version === undefined ? [] : [[key, version.etag, version.bytes.length]]
  assert.deepEqual(entries, wanted, 'the listing')
}

interface Place {
  readonly bucket: string
  readonly key: string
  readonly version: Version | undefined
}

async function checkOther(drive: Drive, { bucket, key, version }: Place): Promise<void> {
  const facts = await drive.head(bucket, key)
  assert.equal(facts?.attributes.etag, version?.etag, 'the ETag in another process')
  assert.equal(facts?.size, version?.bytes.length, 'the size in another process')
  const entries: Entry[] = []
  const cursor = drive.list(bucket, { prefix: key, after: '' })
  for (;;) {
    const page = await cursor.next(100)
    if (page.length === 0) break
    entries.push(...page)
  }
  assert.equal(entries.length, version === undefined ? 0 : 1, 'the listing in another process')
  const object = await drive.open(bucket, key)
  const chunks: Uint8Array[] = []
  for await (const chunk of object?.read(0, object.size) ?? []) chunks.push(chunk.slice())
  await object?.close()
  assert.ok(
    Buffer.concat(chunks).equals(version?.bytes ?? Buffer.alloc(0)),
    'read by another process',
  )
}

/**
 * Checks that the versions of a key are those from before the operation or those after it: none is lost. A request whose reply
 * was lost is sent again, and may have made two versions (docs/s3-drive.md, "Versions").
 */
export async function observeVersions(
  { other, s3 }: FaultWorld,
  key: string,
  { before, allowed }: { before: Version | undefined; allowed: readonly (Version | undefined)[] },
): Promise<void> {
  const entries =
    (await other.listVersions?.(s3.bucket, { prefix: key, after: '' }).next(100)) ?? []
  const found = entries.map((entry) => {
    if (entry.kind === 'folder') return entry.key
    return entry.isDeleteMarker ? 'marker' : entry.etag
  })
  const former = before === undefined ? [] : [before.etag]
  const histories = allowed.map((version) => {
    if (version === before) return former
    return [version?.etag ?? 'marker', ...former]
  })
  const once = found.filter((etag, index) => etag !== found[index - 1])
  const isRight = histories.some((history) => history.join() === once.join())
  assert.ok(isRight, `versions ${found}, not ${histories.join(' or ')}`)
}
