import { setTimeout as wait } from 'node:timers/promises'
import type { Drive, ObjectName } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { isLegalKey } from '../../drives/kit/names/key-path.ts'
import type { Run } from '../job-runner.ts'
import { hasAnything, walk } from '../walk.ts'
import type { FileFigures, PathPair } from './file-order.ts'
import type { Transfer } from './transfer-object.ts'

/** Folders that are moved one by one into one that has content; with more, the objects are. */
const maxFolders = 1_000

/** Between attempts while the drive or its database does not respond. */
const pausesMs = [200, 800, 3_200, 6_400] as const

export interface FolderCarrying {
  readonly drive: Pick<Drive, 'list' | 'moveFolder'>
  readonly fromBucket: string
  readonly toBucket: string
  /** Runs work that adds bytes to the bucket of the target. Absent: nothing limits it. */
  readonly withinRoom?: (bytes: number, work: Transfer) => ReturnType<Transfer>
}

/**
 * Moves a folder, or folders in it, in one step as far as the drive can do that. Returns the pairs that were moved. If the
 * process ends at any point, another run with the same figures finishes the step or does it.
 *
 * @throws DriveError; the signal's reason
 */
export async function moveWholeFolders(
  carrying: FolderCarrying,
  pair: PathPair,
  run: Run,
  figures: FileFigures,
): Promise<readonly PathPair[]> {
  if (carrying.drive.moveFolder === undefined) return []
  const { moving } = figures
  const moved: PathPair[] = []
  // Its source may be gone already, so that no listing shows it.
  if (moving !== undefined && (await moveWhole(carrying, moving.pair, run, figures))) {
    moved.push(moving.pair)
    if (isSame(moving.pair, pair)) return moved
  }
  for (const folder of await freeFolders(carrying, pair)) {
    run.assertMayGoOn()
    if (await moveWhole(carrying, folder, run, figures)) moved.push(folder)
  }
  return moved
}

/** The folder, if nothing has its new name. Otherwise those in it for which that is true. */
async function freeFolders(
  { drive, fromBucket, toBucket }: FolderCarrying,
  [from, to]: PathPair,
): Promise<readonly PathPair[]> {
  if (to !== '' && !(await hasAnything(drive, toBucket, to))) return [[from, to]]
  const query = { prefix: from, after: '', delimiter: '/' } as const
  const entries = await drive.list(fromBucket, query).next(maxFolders)
  const inside = entries.flatMap(({ kind, key }): PathPair[] =>
    kind === 'folder' ? [[key, to + key.slice(from.length)]] : [],
  )
  const [only] = inside
  if (only !== undefined && entries.length === 1) {
    return await freeFolders({ drive, fromBucket, toBucket }, only)
  }
  if (entries.length === maxFolders) return []
  const free: PathPair[] = []
  for (const one of inside) if (!(await hasAnything(drive, toBucket, one[1]))) free.push(one)
  return free
}

/** False if the objects of the folder have to be moved one by one. */
async function moveWhole(
  { drive, fromBucket, toBucket, withinRoom }: FolderCarrying,
  pair: PathPair,
  run: Run,
  figures: FileFigures,
): Promise<boolean> {
  const [from, to] = pair
  const isNested = fromBucket === toBucket && (from.startsWith(to) || to.startsWith(from))
  if (from === '' || isNested || !isLegalKey(to)) return false
  const source: ObjectName = { bucket: fromBucket, key: from }
  const target: ObjectName = { bucket: toBucket, key: to }
  const moved = async () => {
    const options = {
      earlier: figures.moving?.identity,
      async beforeMove(identity: string) {
        figures.moving = { pair, identity }
        await run.save()
      },
      assertMayGoOn: () => run.assertMayEnd(),
    }
    return await drive.moveFolder?.(source, target, options)
  }
  let objects: number | undefined
  const move = async () => {
    objects = await untilKnown(moved, run, figures)
    return objects === undefined ? 'taken' : 'done'
  }
  try {
    if (withinRoom === undefined || figures.moving !== undefined) await move()
    else await withinRoom(await bytesIn(drive, source, run), move)
  } catch (error) {
    // Writers did not leave the folder alone: one by one, the objects have a turn each.
    if (!(error instanceof DriveError) || error.kind !== 'busy') throw error
  }
  figures.moving = undefined
  figures.done += objects ?? 0
  return objects !== undefined
}

/** Repeats a move that failed when the step may have been done: only a repetition finds out, and does the rest. */
async function untilKnown(
  move: () => Promise<number | undefined>,
  { signal }: Run,
  figures: FileFigures,
): Promise<number | undefined> {
  for (const pauseMs of pausesMs) {
    try {
      return await move()
    } catch (error) {
      const isAway = error instanceof DriveError && error.kind === 'unavailable'
      if (!isAway || figures.moving === undefined) throw error
    }
    await wait(pauseMs, undefined, { signal, ref: false })
  }
  return await move()
}

async function bytesIn(
  drive: Pick<Drive, 'list'>,
  { bucket, key }: ObjectName,
  { signal }: Run,
): Promise<number> {
  let bytes = 0
  for await (const entries of walk({ drive, bucket, prefix: key, signal })) {
    for (const entry of entries) if (entry.kind === 'object') bytes += entry.size
  }
  return bytes
}

function isSame(one: PathPair, other: PathPair): boolean {
  return one[0] === other[0] && one[1] === other[1]
}
