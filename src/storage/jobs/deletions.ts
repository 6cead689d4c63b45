import { createHash, randomBytes } from 'node:crypto'
import type { LockRules } from '../drives/attributes.ts'
import type { Drive } from '../drives/drive.ts'
import { trashBucketOf } from '../drives/trash-bucket.ts'
import { deletePrefix, leftFolder, removeFolders } from './delete-prefix.ts'
import { changeDeleted } from './deleted-versions.ts'
import type { JobRunner, Run } from './job-runner.ts'
import type { JobRow, JobState } from './job-table.ts'
import { restore, trashingDrive } from './trash/trash.ts'
import { visitAll, whileBusy, withinDriveTime } from './walk.ts'

/** Maximum running deletions across all processes, and ended ones to remember. */
export const deletionLimits = { running: 4, ended: 200 } as const

/** The maximum time that an ended deletion is remembered. */
export const deletionKeptMs = 24 * 60 * 60_000

/** Concurrent removals of keys. */
const keysAtOnce = 8

/** The time limit for checking what remains. */
const leftOverMs = 5_000

type DeletingDrive = Pick<Drive, 'list' | 'remove' | 'removeFolder'>

/** `trash`: moves to the trash. `restore`: moves back from it. `undelete` and `erase`: in a bucket with versions (DeletedChange). */
type DeletionKind = 'delete' | 'trash' | 'restore' | 'undelete' | 'erase'

interface DeletionTarget {
  readonly bucket: string
  readonly prefix: string
  /** Keeps objects and folders that contain objects. */
  readonly onlyEmptyFolders: boolean
  readonly kind: DeletionKind
  /** The id of the deletion in the trash; '' for a permanent deletion. */
  readonly trashId: string
}

type NewDeletion = Pick<DeletionTarget, 'bucket' | 'prefix'> &
  Partial<DeletionTarget> & {
    /** Keys instead of a prefix. */
    readonly keys?: readonly string[]
    /** Whether a restored object gets another name if its own is taken. */
    readonly besideOthers?: boolean
    /** For `undelete`: only objects that were deleted at this time or later. */
    readonly sinceMs?: number | undefined
  }

export interface Deletion extends DeletionTarget {
  readonly id: string
  readonly state: JobState
  /** Objects deleted, moved or restored so far. */
  readonly deleted: number
  /** Objects that were not restored because their names are taken. */
  readonly skipped: number
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  /** 0 while it runs. */
  readonly endedAtMs: number
  /** For people; may be ''. */
  readonly message: string
}

export type Deletions = ReturnType<typeof openDeletions>

/**
 * Deletions of everything below a prefix. Each runs in the process that received the request. Other
 * processes read its progress and stop it through the database.
 */
export function openDeletions({
  drive,
  keepsRemoved,
  lockRules,
  jobs,
  now,
}: {
  readonly drive: Drive
  /** Whether versions of the bucket are enabled: a removal then keeps the object, and the trash is not used. */
  readonly keepsRemoved: (bucket: string) => boolean
  /** As ExpiryWorld.lockRules. */
  readonly lockRules: (bucket: string) => Promise<LockRules | undefined>
  readonly jobs: JobRunner
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
}) {
  const kind = 'delete'
  const runningLike = async (target: string) => {
    const rows = await jobs.all(kind)
    // A deletion that was asked to stop does not count.
    const isLike = (row: JobRow) =>
      row.state === 'running' && row.isCancelled === 0 && row.target === target
    return rows.filter(isLike).map(deletionOf)[0]
  }
  const find = async (id: string) => {
    const row = await jobs.find({ kind, id })
    return row === undefined ? undefined : deletionOf(row)
  }
  return {
    find,
    /** Newest first. */
    latest: async () => (await jobs.all(kind)).map(deletionOf),
    /**
     * Starts a deletion, or returns a running one with the same target. Undefined if too many are running or this
     * process is closing.
     */
    async start({ keys, besideOthers = false, sinceMs, ...rest }: NewDeletion) {
      const asked = { onlyEmptyFolders: false, kind: 'delete' as const, trashId: '', ...rest }
      const makesMarkers = asked.kind === 'trash' && keepsRemoved(asked.bucket)
      const wanted = makesMarkers ? { ...asked, kind: 'delete' as const, trashId: '' } : asked
      const target = encode(wanted, sinceMs === undefined ? keys : [...(keys ?? []), sinceMs])
      const same = await runningLike(target)
      if (same !== undefined) return same
      const figures = { deleted: 0, skipped: 0 }
      const started = await jobs.start({
        ...{ kind, id: randomBytes(12).toString('base64url'), target, beganAtMs: now(), figures },
        ...{ limits: deletionLimits, fields: wanted, failure: 'deletion failed' },
        async work(run) {
          const { kind: work } = wanted
          if (work === 'restore') return restore(drive, { ...wanted, besideOthers }, run, figures)
          if (work === 'undelete' || work === 'erase') {
            const lock = await lockRules(wanted.bucket)
            return changeDeleted(
              drive,
              { ...wanted, kind: work, keys, sinceMs, lock },
              run,
              figures,
            )
          }
          return deleteAll(drive, { ...wanted, keys }, run, figures)
        },
      })
      // Another request may have started it already.
      return started === undefined ? runningLike(target) : deletionOf(started.row)
    },
    /** Asks a deletion to stop, in whichever process it runs. Its current state; undefined: unknown. */
    async cancel(id: string) {
      await jobs.cancel({ kind, id })
      return find(id)
    },
  }
}

async function deleteAll(
  drive: Drive,
  wanted: DeletionTarget & { readonly keys: readonly string[] | undefined },
  run: Run,
  figures: { deleted: number },
): Promise<string> {
  const { bucket, kind, trashId, keys } = wanted
  const isTrash = kind === 'trash'
  if (isTrash) await drive.addBucket(trashBucketOf(bucket))
  const deleting = isTrash ? trashingDrive(drive, trashId, run) : drive
  const { removeFolder } = drive
  const tree = {
    list: deleting.list.bind(deleting),
    remove: deleting.remove.bind(deleting),
    ...(removeFolder && {
      async removeFolder(name: string, key: string) {
        run.assertMayGoOn()
        await removeFolder.call(drive, name, key)
      },
    }),
  }
  return keys === undefined
    ? deleteTree(tree, wanted, run, figures)
    : deleteKeys(tree, bucket, keys, run, figures)
}

async function deleteTree(
  drive: DeletingDrive,
  { bucket, prefix, onlyEmptyFolders }: DeletionTarget,
  run: Run,
  figures: { deleted: number },
): Promise<string> {
  const { signal } = run
  if (!onlyEmptyFolders) {
    await deletePrefix({
      ...{ drive, bucket, prefix, signal, assertMayGoOn: () => run.assertMayGoOn() },
      onDeleted() {
        figures.deleted += 1
      },
    })
  }
  await removeFolders({ drive, bucket, signal }, prefix)
  try {
    const folder = await withinDriveTime(leftFolder(drive, bucket, prefix), signal, leftOverMs)
    if (folder === undefined) return ''
    return `All objects are deleted. The empty folder ${folder} remains. Remove it on the drive.`
  } catch {
    // The objects are deleted, as requested.
    return ''
  }
}

async function deleteKeys(
  drive: DeletingDrive,
  bucket: string,
  keys: readonly string[],
  run: Run,
  figures: { deleted: number },
): Promise<string> {
  const conditions = { assertMayGoOn: () => run.assertMayGoOn() }
  await visitAll(keys, keysAtOnce, async (key) => {
    const remove = () => withinDriveTime(drive.remove(bucket, key, conditions), run.late)
    run.assertMayGoOn()
    if (await whileBusy(remove, run.signal)) figures.deleted += 1
  })
  return ''
}

/** JSON, because a prefix may contain NUL, which PostgreSQL cannot store in text. */
function encode(
  { bucket, prefix, onlyEmptyFolders, kind, trashId }: DeletionTarget,
  keys: readonly (string | number)[] | undefined,
): string {
  const digest = keys && createHash('sha256').update(JSON.stringify(keys)).digest('base64url')
  if (kind !== 'delete' || digest !== undefined)
    return JSON.stringify([bucket, prefix, onlyEmptyFolders, kind, trashId, digest])
  return JSON.stringify(onlyEmptyFolders ? [bucket, prefix, true] : [bucket, prefix])
}

function deletionOf({
  id,
  target,
  state,
  figures,
  beganAtMs,
  endedAtMs,
  message,
}: JobRow): Deletion {
  const [bucket, prefix, onlyEmptyFolders = false, kind = 'delete', trashId = ''] = JSON.parse(
    target,
  ) as [string, string, boolean?, DeletionKind?, string?]
  const { deleted, skipped = 0 } = JSON.parse(figures) as { deleted: number; skipped?: number }
  return {
    ...{
      id,
      bucket,
      prefix,
      onlyEmptyFolders,
      kind,
      trashId,
      skipped,
      state,
      deleted,
      endedAtMs,
      message,
    },
    startedAtMs: beganAtMs,
  }
}
