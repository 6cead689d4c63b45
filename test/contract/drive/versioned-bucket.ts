import assert from 'node:assert/strict'
import type { Drive, ObjectMetadata } from '../../../src/storage/drives/drive.ts'
import type { FolderEntry } from '../../../src/storage/drives/listed-entry.ts'
import { versionsOf } from '../../../src/storage/drives/unversioned.ts'
import type { VersionEntry, VersionQuery } from '../../../src/storage/drives/versions.ts'
import type { DriveSuite, DriveUnderTest, MakeOptions } from './drive-suite.ts'
import {
  bucket,
  collect,
  listAll,
  md5Of,
  type PutOptions,
  put,
  sortedKeys,
} from './stored-object.ts'
import type { VersionSwitch } from './version-switch.ts'

/** A version that a test expects. Undefined text: a delete marker. */
export interface Kept {
  readonly versionId: string
  readonly text: string | undefined
  /** The drive does not know the MD5 of a file that was placed by hand. */
  readonly isByHand?: true
  /** A hand has copied it back, at a time that the drive does not know. */
  readonly isCopiedBack?: true
}

/** All entries, in pages of `limit`, with the promises of drive.ts for each page. */
export async function listVersions(
  drive: Drive,
  query: Partial<VersionQuery> = {},
  limit = 1000,
): Promise<(VersionEntry | FolderEntry)[]> {
  const cursor = versionsOf(drive, bucket, { prefix: '', after: '', ...query })
  const entries: (VersionEntry | FolderEntry)[] = []
  for (;;) {
    const page = await cursor.next(limit)
    assert.ok(page.length <= limit)
    if (page.length === 0) break
    for (const entry of page) {
      const isPossible = entry.kind === 'folder' || drive.isVersionId?.(bucket, entry.versionId)
      assert.notEqual(isPossible, false, 'every ID has the form of an ID')
    }
    entries.push(...page)
  }
  assert.deepEqual(await cursor.next(limit), [], 'the end is the end')
  return entries
}

/** Declares cases of a bucket whose versions can be enabled. */
export function itIn(suite: DriveSuite) {
  return (
    title: string,
    run: (versioned: VersionedBucket) => Promise<void>,
    options?: MakeOptions,
  ): void =>
    suite.itWithVersions(
      title,
      (under, versioning) => run(new VersionedBucket(suite, under, versioning)),
      options,
    )
}

/** The bucket under test, whose versions can be enabled and suspended. */
export class VersionedBucket {
  readonly suite: DriveSuite
  readonly under: DriveUnderTest
  readonly versioning: VersionSwitch

  constructor(suite: DriveSuite, under: DriveUnderTest, versioning: VersionSwitch) {
    this.suite = suite
    this.under = under
    this.versioning = versioning
  }

  get drive(): Drive {
    return this.under.drive
  }

  /** Enables or suspends versions. */
  async toggle(): Promise<void> {
    await this.versioning.toggle(this.drive)
  }

  /** Writes an object, and checks the ID that it gets. */
  async put(key: string, text: string, options?: PutOptions): Promise<Kept> {
    return this.#kept(await put(this.drive, key, text, options), text)
  }

  /** Removes the object without a version ID, and checks the delete marker. */
  async mark(key: string): Promise<Kept> {
    const removal = await this.drive.remove(bucket, key)
    const versionId = removal?.versionId ?? assert.fail('no marker')
    assert.deepEqual(removal, { versionId, isDeleteMarker: true })
    assert.equal(versionId === 'null', !this.versioning.isEnabled)
    return { versionId, text: undefined }
  }

  /** Removes a version permanently. */
  async purge(key: string, { versionId, text }: Kept): Promise<void> {
    const removal = await this.drive.remove(bucket, key, { versionId })
    const expected = { versionId, ...(text === undefined && { isDeleteMarker: true }) }
    assert.deepEqual(removal, this.versioning.isEnabled === undefined ? {} : expected)
  }

  /** Writes the bytes of a version on top: with the drive's copy, or as the gateway does without. */
  async restore(key: string, source: Kept, target = key): Promise<Kept> {
    const { versionId, text = assert.fail('a marker has no bytes') } = source
    const { attributes } = (await this.drive.head(bucket, key, { versionId })) ?? assert.fail(key)
    const from = { bucket, key, versionId, etag: attributes.etag }
    const copied = await this.drive.copy?.(from, { bucket, key: target }, { attributes })
    return copied === undefined ? await this.put(target, text) : this.#kept(copied, text)
  }

  /**
   * Checks that the key has exactly these versions, the newest first, everywhere that they can be seen.
   *
   * @param isGone whether a hand has removed the object, which is in no version
   */
  async assertHistory(key: string, expected: readonly Kept[], isGone = false): Promise<void> {
    const entries = await this.#historyOf(key)
    assert.deepEqual(entries.map(keptIn), expected.map(keptWithSize), key)
    for (const [index, entry] of entries.entries()) {
      assert.equal(entry.isLatest, index === 0 && !isGone)
      if (!expected[index - 1]?.isCopiedBack) assertReplacedBy(entry, entries[index - 1])
      await this.#assertVersion(entry, expected[index])
    }
    await this.#assertCurrent(key, isGone ? undefined : entries[0])
  }

  /** The same for all keys of the bucket. */
  async assertHistories(expected: Readonly<Record<string, readonly Kept[]>>): Promise<void> {
    const keys = (await listVersions(this.drive)).map((entry) => entry.key)
    const known = Object.keys(expected).filter((key) => (expected[key] ?? []).length > 0)
    assert.deepEqual([...new Set(keys)], sortedKeys(known))
    for (const [key, history] of Object.entries(expected)) await this.assertHistory(key, history)
  }

  async #historyOf(key: string): Promise<VersionEntry[]> {
    const entries = await listVersions(this.drive, { prefix: key })
    return entries.filter((entry) => entry.kind === 'object' && entry.key === key) as VersionEntry[]
  }

  #kept(metadata: ObjectMetadata, text: string): Kept {
    const { isEnabled } = this.versioning
    const { versionId = 'null' } = metadata
    assert.equal('versionId' in metadata, isEnabled !== undefined)
    assert.equal(versionId === 'null', !isEnabled)
    return { versionId, text }
  }

  /** Checks what head and open return for the version. */
  async #assertVersion(entry: VersionEntry, kept: Kept | undefined): Promise<void> {
    const { key, versionId } = entry
    const text = kept?.text
    const found = (await this.drive.head(bucket, key, { versionId })) ?? assert.fail(versionId)
    this.#assertSameVersion(found, entry)
    const object = (await this.drive.open(bucket, key, { versionId })) ?? assert.fail(versionId)
    try {
      this.#assertSameVersion(object, entry)
      assert.equal(String(await collect(object.read(0, object.size))), text ?? '')
    } finally {
      await object.close()
    }
    if (text === undefined || kept?.isByHand) return
    assert.equal(found.attributes.etag, md5Of(Buffer.from(text)))
  }

  #assertSameVersion(found: ObjectMetadata, entry: VersionEntry): void {
    assert.equal(found.size, entry.size)
    assert.equal(found.isDeleteMarker ?? false, entry.isDeleteMarker)
    const isVersioned = this.versioning.isEnabled !== undefined
    assert.equal(found.versionId, isVersioned ? entry.versionId : undefined)
    if (!entry.isDeleteMarker) assert.equal(found.attributes.etag, entry.etag)
    const isSameTime = this.suite.can('publishedTimes')
    assert.ok(Math.abs(found.modifiedAtMs - entry.modifiedAtMs) < (isSameTime ? 1 : 1000))
  }

  /** Checks what is seen without a version ID. */
  async #assertCurrent(key: string, newest: VersionEntry | undefined): Promise<void> {
    const found = await this.drive.head(bucket, key)
    const object = await this.drive.open(bucket, key)
    await object?.close()
    const listed = (await listAll(this.drive, { prefix: key })).filter((entry) => entry.key === key)
    const marker = newest?.isDeleteMarker ? newest.versionId : undefined
    assert.equal(await this.drive.hidingMarker?.(bucket, key), marker, key)
    if (newest === undefined || newest.isDeleteMarker) {
      assert.deepEqual([found, object, listed], [undefined, undefined, []], key)
      return
    }
    this.#assertSameVersion(found ?? assert.fail(key), newest)
    this.#assertSameVersion(object ?? assert.fail(key), newest)
    assert.deepEqual(
      listed.map((entry) => entry.kind === 'object' && entry.etag),
      [newest.etag],
    )
  }
}

/** A newer version may have an older time: a hand has copied it back, or two writers have published at the same time. */
function assertReplacedBy(entry: VersionEntry, newer: VersionEntry | undefined): void {
  const { key, modifiedAtMs, replacedAtMs } = entry
  if (newer === undefined) {
    assert.equal(replacedAtMs, undefined)
    return
  }
  const isKnown = replacedAtMs !== undefined || newer.modifiedAtMs > modifiedAtMs + 1
  // What counts is the order of publication, and a new version may have been stamped some time before.
  if (isKnown) assert.ok(Math.abs((replacedAtMs ?? 0) - newer.modifiedAtMs) < 1000, key)
}

function keptIn({ versionId, isDeleteMarker, size }: VersionEntry) {
  return { versionId, size: isDeleteMarker ? 'marker' : size }
}

function keptWithSize({ versionId, text }: Kept) {
  return { versionId, size: text === undefined ? 'marker' : Buffer.byteLength(text) }
}
