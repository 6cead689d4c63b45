import { numberedKey } from '../../../platform/text/numbered-name.ts'
import type { Attributes } from '../../drives/attributes.ts'
import type { Drive, ObjectName } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { isLegalKey } from '../../drives/kit/names/key-path.ts'
import { removeFolders } from '../delete-prefix.ts'
import type { Run } from '../job-runner.ts'
import { hasAnything, visitAll, walk, whileBusy } from '../walk.ts'
import {
  type ClashAnswer,
  type FileFigures,
  type FileOrder,
  isFolder,
  maxNoted,
  noteProblem,
  type PathPair,
  writtenSince,
} from './file-order.ts'
import { type TransferOptions, transferObject } from './transfer-object.ts'
import { type FolderCarrying, moveWholeFolders } from './whole-folder.ts'

/** Concurrent transfers: each waits for the disk. */
const concurrency = 8

/** Objects whose paths are in the order are moved in groups of this size. */
const groupSize = 500

/** The maximum number of names that are tried for an object whose name is taken. */
const maxNames = 1_000

type CarryDrive = Pick<
  Drive,
  'list' | 'head' | 'open' | 'copy' | 'draft' | 'remove' | 'removeFolder' | 'moveFolder'
>

export interface Carrying extends FolderCarrying {
  readonly drive: CarryDrive
  readonly pairs: readonly PathPair[]
  readonly keepsSource: boolean
  readonly taken: ClashAnswer
  readonly answers?: FileOrder['answers'] | undefined
  /** Whether folders that contain no object are created at the target, by an object of their own. */
  readonly makesFolders: boolean
  /** Whether problems name the new key: the trash has ids in its keys. */
  readonly namesTarget?: boolean
  /** As TransferOptions.untilMs. */
  readonly untilMs?: number | undefined
  /** What the attributes of an object become in the bucket of the target. */
  readonly attributesOf?: TransferOptions['attributesOf']
}

/**
 * Moves or copies objects and folders: folders in one step if the drive can do that, otherwise object by object. If it ends
 * at any point, every object is complete in one of the two places or in both, and another run with the same figures
 * finishes it.
 *
 * @throws DriveError; the signal's reason
 */
export async function carry(carrying: Carrying, run: Run, figures: FileFigures): Promise<void> {
  const carrier = new Carrier(carrying, run, figures)
  const { pairs } = carrying
  while (figures.paths < pairs.length) {
    const pair = pairs[figures.paths] as PathPair
    await (isFolder(pair[0]) ? carrier.carryFolder(pair) : carrier.carryGroup())
  }
}

class Carrier {
  readonly #carrying: Carrying
  readonly #run: Run
  readonly #figures: FileFigures
  readonly #answers: ReadonlyMap<string, readonly [ClashAnswer, etag: string]>
  #noted: number

  constructor(carrying: Carrying, run: Run, figures: FileFigures) {
    this.#carrying = carrying
    this.#run = run
    this.#figures = figures
    this.#noted = JSON.stringify([figures.apart, figures.alone]).length
    this.#answers = new Map(
      carrying.answers?.map(([key, answer, etag]) => [key, [answer, etag]] as const),
    )
  }

  async carryFolder(pair: PathPair): Promise<void> {
    const [from, to] = pair
    const { drive, fromBucket, toBucket, keepsSource, makesFolders, untilMs } = this.#carrying
    const { signal } = this.#run
    const figures = this.#figures
    const number = figures.paths
    if (figures.begun <= number) {
      // Otherwise the folder could not be moved back without what was there before.
      if (await hasAnything(drive, toBucket, to)) this.#setApart(number)
      figures.begun = number + 1
    }
    const isApart = figures.apart.includes(number)
    const mayMoveWhole = !keepsSource && untilMs === undefined
    if (mayMoveWhole && (await this.#moveWhole(pair, isApart))) {
      figures.paths += 1
      return
    }
    const { after } = figures
    for await (const entries of walk({ drive, bucket: fromBucket, prefix: from, after, signal })) {
      await visitAll(entries, concurrency, async ({ key }) => {
        const now = await this.#transferBelow(from, key, to + key.slice(from.length))
        if (now && isApart) this.#noteAlone([key, now])
      })
      figures.after = entries.at(-1)?.key ?? ''
    }
    if (makesFolders) await this.#makeEmptyFolders(from, to)
    if (!keepsSource) {
      const left = { drive, bucket: fromBucket, signal }
      await removeFolders(left, from)
    }
    figures.paths += 1
    figures.after = ''
  }

  /** Whether the folder was moved in one step. If it was not, folders in it may have been. */
  async #moveWhole(pair: PathPair, isApart: boolean): Promise<boolean> {
    const moved = await moveWholeFolders(this.#carrying, pair, this.#run, this.#figures)
    if (isApart) for (const one of moved) this.#noteAlone(one)
    return moved.some(([from, to]) => from === pair[0] && to === pair[1])
  }

  /** The paths up to the next folder. */
  async carryGroup(): Promise<void> {
    const figures = this.#figures
    const start = figures.paths
    const rest = this.#carrying.pairs.slice(start, start + groupSize)
    const end = rest.findIndex(([from]) => isFolder(from))
    const group = (end === -1 ? rest : rest.slice(0, end)).map((pair, index) => ({
      ...{ pair, number: start + index, isEnded: false },
    }))
    const isRepeated = figures.begun > start
    figures.begun = start + group.length
    try {
      await visitAll(group, concurrency, async (one) => {
        const [from, to] = one.pair
        const now = await this.#transfer(from, to, isRepeated ? undefined : 'It no longer exists.')
        one.isEnded = true
        // An earlier process has moved it.
        const isMoved = now === '' && isRepeated && !this.#carrying.keepsSource
        if (now === to || isMoved) return
        this.#setApart(one.number)
        if (now) this.#noteAlone([from, now])
      })
    } catch (error) {
      const ends = this.#run.isHandedOver ? [] : group.filter(({ isEnded }) => !isEnded)
      for (const { number } of ends) this.#setApart(number)
      throw error
    }
    figures.paths = start + group.length
  }

  /** As `#transfer`, of an object in a folder. */
  async #transferBelow(folder: string, from: string, to: string): Promise<string | undefined> {
    const { fromBucket, toBucket } = this.#carrying
    // `a/a/a/1` to `a/`: the walk would find `a/a/1` and carry it to `a/1`.
    if (fromBucket === toBucket && to.startsWith(folder)) {
      const reason = 'The folder contains a folder with the same name. Rename that one first.'
      noteProblem(this.#figures, from, reason)
      return undefined
    }
    return await this.#transfer(from, to)
  }

  /**
   * Returns the new key; '' if the object does not exist; undefined if it stays, or nothing was written.
   *
   * @param absent the problem if it does not exist
   */
  async #transfer(from: string, to: string, absent?: string): Promise<string | undefined> {
    const { namesTarget } = this.#carrying
    const note = (reason: string) => {
      noteProblem(this.#figures, namesTarget ? to : from, reason)
      return undefined
    }
    if (!isLegalKey(to)) return note('The new path is longer than 1,024 bytes.')
    const first = await this.#try(from, to, undefined)
    const [outcome, now] = first === 'taken' ? await this.#asAnswered(from, to) : [first, to]
    if (outcome === 'done' || outcome === 'there') {
      this.#figures.done += 1
      // What was there before stays when the copy is undone.
      return outcome === 'done' ? now : undefined
    }
    if (outcome === 'absent') {
      if (absent !== undefined) note(absent)
      return ''
    }
    if (outcome === 'taken') return note('An object with this name exists there.')
    if (outcome === 'newer') return note(writtenSince)
    if (outcome === 'changed') return note('It was being written at the same time.')
    return note(outcome.message)
  }

  /** What the answer about a taken name leads to, and the new key. */
  async #asAnswered(from: string, to: string) {
    const [answer, etag] = this.#answers.get(to) ?? [this.#carrying.taken, undefined]
    if (answer === 'replace') return [await this.#replace(from, to, etag), to] as const
    return answer === 'keep-both' ? await this.#keepBoth(from, to) : (['taken', to] as const)
  }

  async #replace(from: string, to: string, asked: string | undefined) {
    const { drive, toBucket, keepsSource } = this.#carrying
    // Without the copy, its name would have neither file.
    if (keepsSource) this.#figures.isUndoable = false
    const etag = asked ?? (await drive.head(toBucket, to))?.attributes.etag
    return this.#try(from, to, etag === undefined ? undefined : { etag })
  }

  async #keepBoth(from: string, to: string) {
    for (let number = 2; number <= maxNames; number += 1) {
      const now = numberedKey(to, number)
      const outcome = isLegalKey(now) ? await this.#try(from, now, undefined) : 'taken'
      if (outcome !== 'taken') return [outcome, now] as const
    }
    return ['taken', to] as const
  }

  /** Returns the error that concerns only this object. */
  async #try(from: string, to: string, mayReplace: TransferOptions['mayReplace']) {
    const { drive, fromBucket, toBucket, keepsSource, attributesOf, withinRoom, untilMs } =
      this.#carrying
    const run = this.#run
    run.assertMayGoOn()
    const source = { bucket: fromBucket, key: from }
    const target = { bucket: toBucket, key: to }
    const options = {
      ...{
        signal: run.late,
        mayReplace,
        keepsSource,
        untilMs,
        assertMayGoOn: () => run.assertMayEnd(),
      },
      ...(attributesOf && { attributesOf }),
    }
    const transfer = () =>
      whileBusy(() => transferObject(drive, source, target, options), run.signal)
    try {
      if (withinRoom === undefined) return await transfer()
      const size = (await drive.head(fromBucket, from))?.size ?? 0
      return await withinRoom(size, transfer)
    } catch (error) {
      if (error instanceof DriveError && ofOneObject.has(error.kind)) return error
      throw error
    }
  }

  /** Creates folders that people have made by hand and that contain nothing, because no object represents them. */
  async #makeEmptyFolders(from: string, to: string): Promise<void> {
    const { drive, fromBucket, toBucket, attributesOf } = this.#carrying
    if (drive.removeFolder === undefined || !(await isListed(drive, fromBucket, from))) return
    const { signal } = this.#run
    for await (const folder of emptyFolders({ drive, bucket: fromBucket, signal }, from)) {
      this.#run.assertMayGoOn()
      const key = to + folder.slice(from.length)
      if (isLegalKey(key) && !(await hasAnything(drive, toBucket, key))) {
        await makeFolder(drive, { bucket: toBucket, key }, attributesOf)
      }
    }
  }

  #setApart(number: number): void {
    const { apart } = this.#figures
    if (apart.includes(number)) return
    if (this.#mayNote(10)) apart.push(number)
  }

  #noteAlone(pair: PathPair): void {
    if (this.#mayNote(pair.join().length)) this.#figures.alone.push(pair)
  }

  /** @param characters that the figures get longer by */
  #mayNote(characters: number): boolean {
    this.#noted += characters
    if (this.#noted > maxNoted) this.#figures.isUndoable = false
    return this.#figures.isUndoable
  }
}

/** Kinds of errors that concern one object, so that the others can be moved. */
const ofOneObject: ReadonlySet<string> = new Set([
  ...['locked', 'invalid-key', 'key-too-long', 'unsupported', 'condition', 'not-found'],
])

interface FolderWalk {
  readonly drive: Pick<Drive, 'list'>
  readonly bucket: string
  readonly signal: AbortSignal
}

/** The innermost folders without content below this one, or itself. */
async function* emptyFolders(walked: FolderWalk, folder: string): AsyncGenerator<string> {
  let isEmpty = true
  for await (const entries of walk({ ...walked, prefix: folder, delimiter: '/' })) {
    isEmpty = false
    for (const { kind, key } of entries) if (kind === 'folder') yield* emptyFolders(walked, key)
  }
  if (isEmpty) yield folder
}

/** Whether a folder exists, also without an object. */
export async function isListed(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  folder: string,
): Promise<boolean> {
  const cursor = drive.list(bucket, { prefix: folder.slice(0, -1), after: '', delimiter: '/' })
  cursor.seek(folder)
  return (await cursor.next(1))[0]?.key === folder
}

/** MD5 of nothing. */
const emptyEtag = 'd41d8cd98f00b204e9800998ecf8427e'

async function makeFolder(
  drive: CarryDrive,
  { bucket, key }: ObjectName,
  attributesOf: TransferOptions['attributesOf'],
): Promise<void> {
  const headers = { 'content-type': 'application/x-directory' }
  const plain: Attributes = { etag: emptyEtag, headers, metadata: {} }
  const attributes = (await attributesOf?.(plain)) ?? plain
  const conditions = { ifNoneMatch: '*' } as const
  const draft = await drive.draft(bucket, key, { size: 0, announced: { attributes, conditions } })
  try {
    await draft.publish(attributes, conditions)
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'condition') throw error
  }
}
