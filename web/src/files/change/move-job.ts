import { listPage } from '../listing/open-folder.ts'
import { copyObject, deleteObjects } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import { clashQuestions, driveChanges } from '../transfers/transfers.ts'
import { shownClash } from './clash-questions.ts'
import { findFile, isListed, removeEmptyFolders, sizeOfTree } from './drive-work.ts'
import { makeEmptyFolders } from './empty-folders.ts'
import { freeKeys, type ListKeysAfter } from './find-clashes.ts'
import { freePlaces } from './free-places.ts'
import { moveAll } from './move-all.ts'
import type { Move, PutMode } from './move-plan.ts'
import { CopiedFiles, type MoveClient, type MovedFile } from './move-tree.ts'

const moveClient: MoveClient = {
  listTree: (bucket, prefix, after) => listPage({ bucket, prefix, isDeep: true, after }),
  // Not aborted midway, because the outcome of the copy would be unknown.
  copy: copyObject,
  remove: (bucket, objects) => deleteObjects(bucket, objects),
  find: findFile,
  isClash: (error) => error instanceof S3Failure && error.code === 'PreconditionFailed',
  reasonOf(error) {
    if (!(error instanceof S3Failure)) return undefined
    if (error.code === 'NoSuchKey') return 'it no longer exists'
    return error.status === 400 ? error.message : undefined
  },
}

/** The maximum number of moved files that are remembered to repeat or undo the move. */
const maxRemembered = 20_000

interface MoveOptions {
  readonly mode?: PutMode
  /** Whether to ask about name conflicts. If false, files with conflicts are not moved. */
  readonly isAsking?: boolean
  /** Whether copies get free names instead of the names in the moves. */
  readonly isDuplicate?: boolean
}

/** Moves or copies files and trees. A move can be undone: files created at the old places since then stay. */
export function moveJob(
  title: string,
  moves: readonly Move[],
  { mode = 'move', isAsking = true, isDuplicate = false }: MoveOptions = {},
): JobOrder {
  const moved = new Map<string, MovedFile>()
  const copies = new CopiedFiles(maxRemembered)
  let placed = isDuplicate ? undefined : moves
  return {
    title,
    async work(report) {
      // Chosen once: a repeated job continues with the same duplicates.
      placed ??= await freePlaces(moves, freeClient)
      return moveAll(placed, {
        ...{ client: moveClient, copies, mode, report },
        total: await countMoves(moves, report.signal),
        ask: async (clashes) => {
          if (!isAsking) return () => 'skip'
          const verb = mode === 'copy' ? 'Copied' : 'Moved'
          const shown = clashes.map(({ file, target, there }) =>
            shownClash(target.key, there, verb, file),
          )
          return (await clashQuestions.ask(shown, report.signal)) ?? (() => 'skip')
        },
        freeKeys: freeClient.freeKeys,
        onMoved: (file) => {
          if (moved.size <= maxRemembered) moved.set(file.file.key, file)
        },
        onWhole: (move) => endMove(move, mode, report),
      })
    },
    undo: () =>
      mode === 'copy' ? undefined : undoOf(title, moves[0]?.fromBucket, [...moved.values()]),
  }
}

/** Undefined if nothing was moved, or too much to remember. */
function undoOf(
  title: string,
  bucket: string | undefined,
  moved: readonly MovedFile[],
): JobOrder | undefined {
  if (bucket === undefined || moved.length === 0 || moved.length > maxRemembered) return undefined
  const back = moved.map(
    ({ file, target, etag }): Move => ({
      entry: { ...file, key: target.key, etag },
      fromBucket: target.bucket,
      toBucket: bucket,
      to: file.key,
    }),
  )
  const { work } = moveJob(`Undo: ${title}`, back, { isAsking: false })
  return { title: `Undo: ${title}`, work }
}

const freeClient = {
  freeKeys: (bucket: string, keys: readonly string[]) =>
    freeKeys(keys, listKeysAfter(bucket), () => false),
  isListed,
}

function listKeysAfter(bucket: string): ListKeysAfter {
  return async (after) => {
    const { keys, continuationToken } = await listPage({ bucket, prefix: '', isDeep: true, after })
    return { keys, isLast: continuationToken === undefined }
  }
}

/** Undefined if there are too many to count. */
async function countMoves(
  moves: readonly Move[],
  signal: AbortSignal,
): Promise<number | undefined> {
  let count = 0
  for (const { entry, fromBucket } of moves) {
    if (entry.kind === 'file') count += 1
    else {
      const size = await sizeOfTree(fromBucket, entry.key, signal)
      if (size.isMore) return undefined
      count += size.objects
    }
  }
  return count
}

/** A folder created by hand remains after its objects are deleted. */
async function endMove(move: Move, mode: PutMode, report: JobReport): Promise<void> {
  const { entry, fromBucket, toBucket, to } = move
  const from = entry.key
  const isLeft = entry.kind === 'folder' && (await isListed(fromBucket, from))
  if (isLeft) await makeEmptyFolders(move)
  if (mode === 'move') {
    const leftOver = isLeft ? await removeEmptyFolders(fromBucket, from) : undefined
    if (leftOver !== undefined) report.problem(leftOver)
    else driveChanges.publish({ type: 'removed', bucket: fromBucket, keys: new Set([from]) })
  }
  const file = entry.kind === 'file' ? entry : { size: 0, modifiedAtMs: Date.now(), etag: '' }
  driveChanges.publish({ type: 'added', bucket: toBucket, file: { ...file, key: to } })
}
