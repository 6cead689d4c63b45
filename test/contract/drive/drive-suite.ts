import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type { Drive, ObjectMetadata } from '../../../src/storage/drives/drive.ts'
import type { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { refusalOfVersions } from '../../../src/storage/drives/unversioned.ts'
import type { UploadAbilities } from '../../../src/storage/drives/upload-abilities.ts'
import type { VersioningOf } from '../../../src/storage/drives/versions.ts'
import { shareOf } from '../../support/test-groups.ts'
import { hostileKeys } from './hostile-keys.ts'
import { VersionSwitch } from './version-switch.ts'

/** What a drive lacks whose buckets cannot have versions. */
export const noVersions = {
  versions: 'former objects are not kept',
  locks: 'there are no versions',
} as const

/** The buckets of every drive under test. */
export const buckets = ['alpha', 'beta'] as const

/** What a drive may lack, or its test cannot do. Each absence is declared with its reason. */
export type Ability =
  /** `DriveUnderTest.reopen`. */
  | 'reopen'
  /** `DriveUnderTest.byHand`. */
  | 'byHand'
  /** `DriveUnderTest.leftovers`. */
  | 'leftovers'
  /** `MakeOptions.capacityBytes` is obeyed. */
  | 'capacity'
  /** An opened object can be read to its end after it was overwritten; otherwise reads end as `changed`. */
  | 'keptVersions'
  /** Keys in hundreds of nested folders work within the time limit of a case. */
  | 'deepKeys'
  /** `Drive.copy`. */
  | 'copy'
  /** `Drive.setAttributes`. */
  | 'setAttributes'
  /** `Drive.removeFolder`. */
  | 'removeFolder'
  /** `UploadAbilities.replaceLast`. */
  | 'replaceLast'
  /** `UploadAbilities.truncate`. */
  | 'truncate'
  /** `UploadAbilities.anyOrder`. */
  | 'anyOrder'
  /** An object has the ETag, part sizes and checksums of parts that it is given: no `Drive.ownEtags`. */
  | 'givenEtags'
  /** A bucket can be removed. */
  | 'removeBucket'
  /** What `publish` returns has the time that `head` returns, not one of about that time. */
  | 'publishedTimes'
  /** A completed upload is known as such when its object has been overwritten or removed. */
  | 'pastCompletes'
  /** `complete` may cut off a part in its middle. */
  | 'cutParts'
  /** A key may have 1,024 bytes, not only 900. */
  | 'longKeys'
  /** A key may be any text; otherwise only what a file system can have, and `a/b` not beside `a` or `a/`. */
  | 'anyKeys'
  /** Tags may have all characters of S3, and 128 and 256 of them, not only bytes. */
  | 'anyTags'
  /** Objects may have tags. */
  | 'tags'
  /** A folder ends with its last object, not some time later. */
  | 'folderEnds'
  /** Expires may be any text. */
  | 'anyExpires'
  /** A storage class may be any of S3. */
  | 'storageClasses'
  /** A key may have control characters, and U+FFFF, which XML does not have. */
  | 'controlKeys'
  /** A key, and the beginning of a listing, may have a zero byte. */
  | 'zeroKeys'
  /** Conditions hold when several write at the same time, and a copy is of one version. */
  | 'atomicWrites'
  /** Conditions of `copy`; otherwise it is undefined, and the caller reads and writes. */
  | 'copyConditions'
  /** If-Match of `complete`. */
  | 'completeIfMatch'
  /** Parts before the last one may be small. */
  | 'smallParts'
  /** The server says that an upload is gone. */
  | 'goneUploads'
  /** User metadata that is not ASCII may have 2 KiB. */
  | 'fullMetadata'
  /** Buckets can have versions. */
  | 'versions'
  /** Versions can have a retention and a legal hold. */
  | 'locks'
  /** Versions and delete markers of a server are as on AWS: a marker for each DELETE, listed in the order of creation. */
  | 'versionsAsOnAws'

export interface MakeOptions {
  /** The approximate space of the drive; ample if absent. */
  readonly capacityBytes?: number
  /** The versioning of the buckets under test. Absent: they never had versions. */
  readonly versioningOf?: VersioningOf
}

/** An empty drive, prepared with `buckets`. Its creator closes it after the test. */
export interface DriveUnderTest {
  readonly drive: Drive
  /** Another drive over the same files, as after a restart or in a second process; prepared. */
  reopen?(): Promise<Drive>
  readonly byHand?: ByHand
  /** The pattern of the ETag of a file added by hand, if the drive knows its MD5. */
  readonly etagByHand?: RegExp
  /** Names of the files that the drive keeps for drafts and uploads. */
  leftovers?(): Promise<readonly string[]>
}

/** Changes the first bucket's folder without the drive, as a person may. */
export interface ByHand {
  /** Creates or overwrites a file, and creates the folders above it. */
  put(path: string, bytes: Uint8Array): Promise<void>
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** The paths of all files and folders, sorted; those of folders end with `/`. */
  list(): Promise<string[]>
  /** Sets the modification time of a file. Needed if the drive has versions. */
  setTime?(path: string, timeMs: number): Promise<void>
  /** Copies this former version to the path, with its time, as `cp -p` does. Needed as well. */
  copyVersion?(version: { text: string; versionId: string }, path: string): Promise<void>
}

export type MakeDrive = (t: TestContext, options: MakeOptions) => Promise<DriveUnderTest>

/** Makes another empty drive. */
type MakeVersioned = () => Promise<[DriveUnderTest, VersionSwitch]>

type Case<Under> = (under: Under, t: TestContext) => Promise<void>
type With<Member extends keyof DriveUnderTest> = DriveUnderTest &
  Required<Pick<DriveUnderTest, Member>>

/** Ends a case that hangs: several times the duration of the slowest one on a busy machine. */
const timeoutMs = 300_000
/** The most folders in a key that is not deep. */
const mostSegments = 50

/** Abilities that only a special test can check. The user is told if no small file system is available. */
const unseen = [
  ...(['capacity', 'keptVersions', 'deepKeys', 'publishedTimes', 'pastCompletes'] as const),
  ...(['cutParts', 'longKeys', 'controlKeys', 'atomicWrites', 'completeIfMatch'] as const),
  ...(['smallParts', 'goneUploads', 'fullMetadata', 'copyConditions', 'zeroKeys'] as const),
  ...(['anyKeys', 'folderEnds', 'anyExpires', 'storageClasses', 'anyTags', 'tags'] as const),
  ...(['locks', 'versionsAsOnAws'] as const),
] satisfies Ability[]
type Unseen = (typeof unseen)[number]

/** Whether a drive under test has the ability. */
const isAble: Readonly<
  Record<Exclude<Ability, Unseen>, (under: DriveUnderTest) => boolean | Promise<boolean>>
> = {
  reopen: (under) => under.reopen !== undefined,
  byHand: (under) => under.byHand !== undefined,
  leftovers: (under) => under.leftovers !== undefined,
  copy: (under) => under.drive.copy !== undefined,
  async versions({ drive }) {
    if (refusalOfVersions(drive, buckets[0]) !== undefined) return false
    const enabling = drive.setVersioning?.(buckets[0], { changes: [Date.now()] })
    return await Promise.resolve(enabling).then(
      () => true,
      (error: DriveError) => {
        assert.equal(error.kind, 'unsupported')
        return false
      },
    )
  },
  setAttributes: (under) => under.drive.setAttributes !== undefined,
  removeFolder: (under) => under.drive.removeFolder !== undefined,
  replaceLast: async (under) => (await uploadAbilities(under)).replaceLast,
  truncate: async (under) => (await uploadAbilities(under)).truncate,
  anyOrder: async (under) => (await uploadAbilities(under)).anyOrder !== undefined,
  givenEtags: ({ drive }) => drive.ownEtags?.(buckets[0]) !== true,
  async removeBucket({ drive }) {
    await drive.addBucket('removed-later')
    return await drive.removeBucket('removed-later').catch((error: DriveError) => {
      assert.equal(error.kind, 'denied')
      return false
    })
  },
}

async function uploadAbilities({ drive }: DriveUnderTest): Promise<UploadAbilities> {
  const target = { bucket: buckets[0], key: 'k' }
  const state = await drive.uploads.begin('abilities', target, { anyOrder: true })
  const abilities = drive.uploads.abilities(state)
  await drive.uploads.abort(state)
  return abilities
}

/** What a drive does not have, each with its reason. */
export interface Lacking {
  readonly abilities: Partial<Readonly<Record<Ability, string>>>
  /** Titles of cases that a server of others does not pass. */
  readonly cases: Readonly<Record<string, string>>
}

/** Declares cases for a drive. Each gets a separate drive. */
export class DriveSuite {
  readonly #make: MakeDrive
  readonly #lacking: Lacking['abilities']
  readonly #leftOut: ReadonlySet<string>

  constructor(make: MakeDrive, { abilities, cases }: Lacking) {
    this.#make = make
    this.#lacking = abilities
    this.#leftOut = new Set(Object.keys(cases))
  }

  it(title: string, run: Case<DriveUnderTest>, makeOptions: MakeOptions = {}): void {
    if (this.#leftOut.has(title)) return
    it(title, { timeout: timeoutMs }, async (t) => run(await this.#make(t, makeOptions), t))
  }

  /** A case that is skipped only if the ability is declared absent. */
  itIfAble(ability: Ability, title: string, run: Case<DriveUnderTest>, make?: MakeOptions): void {
    if (this.can(ability)) this.it(title, run, make)
  }

  /** The hostile keys to try. */
  get hostileKeys(): readonly string[] {
    const mostBytes = this.can('longKeys') ? 1024 : 900
    const segments = this.can('deepKeys') ? 1025 : mostSegments
    const keys = hostileKeys.filter((key) => {
      if (!this.can('controlKeys') && /[\0-\x1f\uffff]/.test(key)) return false
      if (this.legal(key) !== key) return false
      return Buffer.byteLength(key) <= mostBytes && key.split('/').length <= segments
    })
    return this.beside(keys)
  }

  /** Those of the keys that the drive can have at the same time. */
  beside(keys: readonly string[]): readonly string[] {
    if (this.can('anyKeys')) return keys
    const files = keys.filter(isFileName)
    return files.filter((key) => !files.some((other) => key.startsWith(`${other}/`)))
  }

  /**
   * A selection of all kinds, for cases that use each key alone: a third if every folder costs several
   * calls, and of these a third on a push. One case still writes, reads, lists and removes all of them at the
   * same time.
   */
  get sampledKeys(): readonly string[] {
    const keys = shareOf(this.hostileKeys, 3)
    return this.can('deepKeys') ? keys : keys.filter((_, index) => index % 3 === 0)
  }

  /** The text, without zero bytes or U+FFFF if no key may have one. Nothing if no key may begin with it. */
  legal(text: string): string {
    const known = this.can('controlKeys') ? text : text.replaceAll('\uffff', '\ufffd')
    const plain = this.can('zeroKeys') ? known : known.replaceAll('\0', '\u0001')
    return this.can('anyKeys') || isFileName(plain.replace(/\/$/, '')) ? plain : ''
  }

  /** Whether the ability is not declared absent. */
  can(ability: Ability): boolean {
    return this.#lacking[ability] === undefined
  }

  /** How often to repeat random cases: a third if every folder costs several calls. */
  tries(times: number): number {
    return this.can('deepKeys') ? times : Math.ceil(times / 3)
  }

  /** Checks that each declared absence is true: what a drive has must be tested. */
  itLacksWhatItSays(): void {
    for (const [ability, reason] of Object.entries(this.#lacking)) {
      if (unseen.some((one) => one === ability)) continue
      this.it(`does without ${ability}: ${reason}`, async (under) => {
        assert.equal(await isAble[ability as keyof typeof isAble](under), false)
      })
    }
  }

  /** Checks that what was published, copied or completed is what `head` returns. */
  assertSame(found: ObjectMetadata | undefined, published: ObjectMetadata): void {
    assert.ok(found)
    const { modifiedAtMs } = this.can('publishedTimes') ? published : found
    assert.ok(Math.abs(modifiedAtMs - published.modifiedAtMs) < 5_000)
    assert.deepEqual(found, { ...published, modifiedAtMs })
  }

  /** Checks that neither objects nor folders are left. */
  async assertEmpty(drive: Drive): Promise<void> {
    const query = { prefix: '', after: '', delimiter: '/' } as const
    const entries = await drive.list(buckets[0], query).next(1000)
    const seen = entries.filter(({ kind }) => kind === 'object' || this.can('folderEnds'))
    assert.deepEqual(seen, [])
  }

  /** A case on a first bucket that never had versions, until the switch is toggled. */
  itWithVersions(
    title: string,
    run: (
      under: DriveUnderTest,
      versioning: VersionSwitch,
      another: MakeVersioned,
    ) => Promise<void>,
    makeOptions: MakeOptions = {},
  ): void {
    if (!this.can('versions') || !this.can('versionsAsOnAws') || this.#leftOut.has(title)) return
    it(title, { timeout: timeoutMs }, async (t) => {
      const another: MakeVersioned = async () => {
        const versioning = new VersionSwitch(buckets[0])
        const options = { ...makeOptions, versioningOf: versioning.of }
        return [await this.#make(t, options), versioning]
      }
      await run(...(await another()), another)
    })
  }

  itWithByHand(title: string, run: Case<With<'byHand'>>): void {
    this.itIfAble('byHand', title, async (under, t) => {
      assert.ok(under.byHand, 'byHand is neither given nor declared lacking')
      await run({ ...under, byHand: under.byHand }, t)
    })
  }

  itWithReopen(title: string, run: Case<With<'reopen'>>): void {
    this.itIfAble('reopen', title, async (under, t) => {
      const reopen = under.reopen
      assert.ok(reopen, 'reopen is neither given nor declared lacking')
      await run({ ...under, reopen: () => reopen() }, t)
    })
  }
}

/** Whether a file system can have it. */
function isFileName(key: string): boolean {
  const names = key.split('/')
  return names.every((name) => !/^\.{0,2}$|[\\\0]/.test(name) && Buffer.byteLength(name) <= 255)
}

/** Two drives over the same files if the drive can be reopened, otherwise the same one twice. */
export async function twoDrives(under: DriveUnderTest): Promise<[Drive, Drive]> {
  return [under.drive, under.reopen === undefined ? under.drive : await under.reopen()]
}

/** Fails if the drive still keeps files of drafts or uploads. */
export async function assertNoLeftovers(under: DriveUnderTest): Promise<void> {
  assert.deepEqual((await under.leftovers?.()) ?? [], [])
}
