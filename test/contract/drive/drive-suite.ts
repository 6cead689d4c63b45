import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/drives/drive.ts'
import { hostileKeys } from './hostile-keys.ts'

/** The buckets that every drive under test is prepared with. */
export const buckets = ['alpha', 'beta'] as const

/** What a drive can be lacking, or its test can't do. Each absence is declared with its reason. */
export type Ability =
  /** `DriveUnderTest.reopen`. */
  | 'reopen'
  /** `DriveUnderTest.byHand`. */
  | 'byHand'
  /** `DriveUnderTest.leftovers`. */
  | 'leftovers'
  /** `MakeOptions.capacityBytes` is obeyed. */
  | 'capacity'
  /** An opened object can be read to its end after it was overwritten; else reads end as `changed`. */
  | 'keptVersions'
  /** Keys that lie hundreds of folders deep work in the time that a case has. */
  | 'deepKeys'
  /** `Drive.copy`. */
  | 'copy'
  /** `Drive.removeFolder`. */
  | 'removeFolder'
  /** `UploadDrive.replaceLast`. */
  | 'replaceLast'
  /** `UploadDrive.canTruncate`. */
  | 'truncate'

export interface MakeOptions {
  /** The space that the drive is to have, about. Absent: ample. */
  readonly capacityBytes?: number
}

/** A drive that is empty and prepared with `buckets`; whoever makes it closes it after the test. */
export interface DriveUnderTest {
  readonly drive: Drive
  /** Another drive over the same files, as after a restart or in a second process; prepared. */
  reopen?(): Promise<Drive>
  readonly byHand?: ByHand
  /** What the ETag of a file put by hand looks like, where the drive knows its MD5. */
  readonly etagByHand?: RegExp
  /** Names of what the drive keeps of drafts and uploads. */
  leftovers?(): Promise<readonly string[]>
}

/** What a person does to the first bucket's folder without the drive. */
export interface ByHand {
  /** Makes or overwrites a file, and the folders above it. */
  put(path: string, bytes: Uint8Array): Promise<void>
  remove(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** Paths of all files and of all folders, these with a `/` at the end; sorted. */
  list(): Promise<string[]>
}

export type MakeDrive = (t: TestContext, options: MakeOptions) => Promise<DriveUnderTest>

type Case<Under> = (under: Under, t: TestContext) => Promise<void>
type With<Member extends keyof DriveUnderTest> = DriveUnderTest &
  Required<Pick<DriveUnderTest, Member>>

/** Only against a case that hangs: several times what the slowest takes on a busy machine. */
const timeoutMs = 300_000
/** Of a key that is not deep. */
const mostSegments = 50

/** What only a test of its own can see. Of a small file system that can't be had the user is told. */
type Unseen = 'capacity' | 'keptVersions' | 'deepKeys'

/** How to see what a drive has. */
const isAble: Readonly<Record<Exclude<Ability, Unseen>, (under: DriveUnderTest) => boolean>> = {
  reopen: (under) => under.reopen !== undefined,
  byHand: (under) => under.byHand !== undefined,
  leftovers: (under) => under.leftovers !== undefined,
  copy: (under) => under.drive.copy !== undefined,
  removeFolder: (under) => under.drive.removeFolder !== undefined,
  replaceLast: (under) => under.drive.uploads.replaceLast !== undefined,
  truncate: (under) => under.drive.uploads.canTruncate,
}

/** Declares cases over a drive. Each gets a drive of its own. */
export class DriveSuite {
  readonly #make: MakeDrive
  readonly #lacking: Partial<Record<Ability, string>>

  constructor(make: MakeDrive, lacking: Partial<Record<Ability, string>>) {
    this.#make = make
    this.#lacking = lacking
  }

  it(title: string, run: Case<DriveUnderTest>, makeOptions: MakeOptions = {}): void {
    it(title, { timeout: timeoutMs }, async (t) => run(await this.#make(t, makeOptions), t))
  }

  /** A case that is left out where the ability is declared lacking, and only there. */
  itIfAble(ability: Ability, title: string, run: Case<DriveUnderTest>, make?: MakeOptions): void {
    if (this.can(ability)) this.it(title, run, make)
  }

  /** The hostile keys that the drive is to be tried with. */
  get hostileKeys(): readonly string[] {
    if (this.can('deepKeys')) return hostileKeys
    return hostileKeys.filter((key) => key.split('/').length <= mostSegments)
  }

  /**
   * Some of them, of every sort, for cases that take each key alone: a third where every folder costs
   * several calls. There, too, one case writes, reads, lists and removes all of them side by side.
   */
  get sampledKeys(): readonly string[] {
    const keys = this.hostileKeys
    return this.can('deepKeys') ? keys : keys.filter((_, index) => index % 3 === 0)
  }

  /** Whether the ability is not declared lacking. */
  can(ability: Ability): boolean {
    return this.#lacking[ability] === undefined
  }

  /** How often to try what chance decides: a third where every folder costs several calls. */
  tries(times: number): number {
    return this.can('deepKeys') ? times : Math.ceil(times / 3)
  }

  /** Holds each declared absence to its word: what is there must be tested. */
  itLacksWhatItSays(): void {
    const { capacity, keptVersions, deepKeys, ...lacking } = this.#lacking
    if (capacity !== undefined) it('can be full', { skip: capacity })
    for (const [ability, reason] of Object.entries(lacking)) {
      this.it(`does without ${ability}: ${reason}`, async (under) => {
        assert.equal(isAble[ability as keyof typeof isAble](under), false)
      })
    }
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

/** Two drives over the same files where there can be two, else the same one twice. */
export async function twoDrives(under: DriveUnderTest): Promise<[Drive, Drive]> {
  return [under.drive, under.reopen === undefined ? under.drive : await under.reopen()]
}

/** Fails when the drive keeps something of drafts or uploads. */
export async function assertNoLeftovers(under: DriveUnderTest): Promise<void> {
  assert.deepEqual((await under.leftovers?.()) ?? [], [])
}
