import type { Attributes } from '../../attributes.ts'
import type { RemovalConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { Removal } from '../../versions.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { JournalEntry } from '../folders/folder-journal.ts'
import { unmakeFolders } from '../folders/folder-maker.ts'
import { unlessAbsent } from '../fs-error.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import type { OpenFence } from '../objects/fence.ts'
import { headObject } from '../objects/object-files.ts'
import {
  finish,
  finishTaken,
  needsObject,
  remake,
  removedMeanwhile,
  requireConditions,
  takeBoth,
} from '../objects/publisher.ts'
import { putFile, type Taken } from '../objects/put-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type KeyHistory, withHistory } from './key-history.ts'
import { type StoredVersion, timeIn, versionIdOf, versionsWithId } from './version-names.ts'

/** Attempts while others change the folders or files of the key. */
const attempts = 16

interface RemovalRun {
  readonly drive: OpenDrive
  readonly objectPath: ObjectPath
  readonly conditions: RemovalConditions
  readonly fence: OpenFence
  readonly history: KeyHistory
}

interface Removed {
  readonly kind: 'done'
  readonly removal: Removal | undefined
  readonly taken: readonly Taken[]
}

/** Nothing was changed: a folder is needed for a version that becomes the newest one again, and for its record. */
interface MissingFolder {
  readonly kind: 'missing'
  readonly filePath: FilePath
  readonly record: { readonly file: StampedFile; readonly attributes: Attributes }
}

type Step = Removed | MissingFolder | { readonly kind: 'again' }

/** As Drive.remove, for a bucket that has or had versions. */
export async function removeVersioned(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions = {},
): Promise<Removal | undefined> {
  const entry = drive.journal.open()
  const entries: (JournalEntry | undefined)[] = [entry]
  const remade: FilePath[] = []
  try {
    await entry.note({ bucket: objectPath.bucket, key: objectPath.key, making: [] })
    for (let attempt = 0; attempt < attempts; attempt++) {
      const step = await drive.locks.hold(objectPath.path, (fence) =>
        withHistory(drive, objectPath, fence, async (history): Promise<Step> => {
          if (history === undefined) return { kind: 'done', removal: undefined, taken: [] }
          const run = { drive, objectPath, conditions, fence, history }
          return await (conditions.versionId === undefined ? hide(run) : removeOne(run))
        }),
      )
      if (step.kind === 'done') {
        await finishTaken(drive, objectPath, step.taken)
        return step.removal
      }
      if (step.kind === 'missing') {
        remade.push(step.filePath)
        entries.push(await remake(drive, objectPath, step.filePath, step.record))
      }
    }
  } finally {
    // Other removals may have taken what the folders were needed for.
    for (const filePath of remade) await unmakeFolders(drive, objectPath, filePath, [])
    for (const one of entries) await one?.close()
  }
  const message = 'The versions of this key keep being changed by others. Try again.'
  throw new DriveError('busy', message, { retryAfterSeconds: 1 })
}

/** Keeps the current version, then adds a marker, then takes the file away, which is the visible step. */
async function hide({ drive, objectPath, conditions, fence, history }: RemovalRun): Promise<Step> {
  await requireConditions(drive, objectPath, conditions)
  const timeMs = history.markerTimeMs()
  await history.assertReplaceable(timeMs)
  await history.keepCurrent(timeMs)
  const marker = await history.addMarker(timeMs)
  // Otherwise a power failure could keep the removal and lose these.
  if (!drive.root.ordersNames) await history.sync()
  const taken = await takeBoth(drive, objectPath, fence)
  // The sync of the folder of a file would make these durable as well.
  if (taken.length === 0) await history.sync()
  if (taken.length === 0 && needsObject(conditions)) throw removedMeanwhile()
  await history.dropReplacedNulls(timeMs, marker).catch(() => undefined)
  return {
    ...{ kind: 'done', taken },
    removal: removalOf(versionIdOf(marker), true),
  }
}

/** Removes one version permanently. */
async function removeOne(run: RemovalRun): Promise<Step> {
  const { drive, objectPath, fence, history, conditions } = run
  const { versionId = '' } = conditions
  const { currentVersion, counted } = history
  const isCurrent = currentVersion !== undefined && versionIdOf(currentVersion) === versionId
  const first = counted.withId(versionId)
  // Also those that do not count, because one of them would count next.
  const doomed = isCurrent || first ? versionsWithId(history.stored, versionId) : []
  await requireRemovable(run, isCurrent, doomed, first)
  if (!isCurrent && first === undefined) return { kind: 'done', removal: undefined, taken: [] }
  const isDeleteMarker = !isCurrent && first?.isDeleteMarker === true
  // It would otherwise be a former version when the file has gone.
  if (isCurrent) await history.drop(doomed)
  const restored = currentVersion && !isCurrent ? [] : objectAfter(counted.newestFirst(), first)
  let taken: Taken[] = []
  const failed = await restoreAll(run, restored)
  if (failed !== undefined) return failed
  if (isCurrent && restored.length === 0) taken = await takeBoth(drive, objectPath, fence)
  // The restored one last: until then, it is another name of the current version, and a marker after it has no effect.
  const dropped = history.drop([...doomed, ...restored])
  // After the visible step, the next writer can do it as well.
  await (restored.length > 0 ? dropped.catch(() => undefined) : dropped)
  await history.sync()
  return { kind: 'done', removal: removalOf(versionId, isDeleteMarker), taken }
}

async function restoreAll(run: RemovalRun, versions: readonly StoredVersion[]) {
  for (const version of versions) {
    const failed = await restore(run, version)
    if (failed !== undefined) return failed
  }
  return undefined
}

/**
 * The version that is the newest one again, if it is an object.
 *
 * @param removed undefined: the object's file
 */
function objectAfter(
  [newest, second]: Iterable<StoredVersion>,
  removed: StoredVersion | undefined,
): StoredVersion[] {
  // A former version does not hide older ones, nor does a marker below it.
  const isHiding = removed?.isDeleteMarker && removed.name === newest?.name
  const next = removed === undefined ? newest : isHiding ? second : undefined
  return next === undefined || next.isDeleteMarker ? [] : [next]
}

function removalOf(versionId: string, isDeleteMarker: boolean): Removal {
  return isDeleteMarker ? { versionId, isDeleteMarker } : { versionId }
}

async function requireRemovable(
  { drive, objectPath, history, conditions }: RemovalRun,
  isCurrent: boolean,
  doomed: readonly StoredVersion[],
  first: StoredVersion | undefined,
): Promise<void> {
  const current = versionOf((await headObject(drive, objectPath))?.metadata)
  const stamp = first && (await history.stamp(first))
  const modifiedAtMs = first?.isDeleteMarker ? timeIn(first.time) : stamp?.modifiedAtMs
  const removed = modifiedAtMs === undefined ? undefined : { etag: '', modifiedAtMs }
  assertRemovalConditions(objectPath, current, conditions, isCurrent ? current : removed)
  const own = isCurrent ? history.currentStamp : undefined
  await history.assertUnlocked([own, ...(await history.stamps(doomed))], conditions.lock)
}

/** Gives a stored version the path of the key, where it is the newest one again. It keeps its name in the store. */
async function restore(
  { drive, objectPath, fence, history }: RemovalRun,
  version: StoredVersion,
): Promise<Step | undefined> {
  const file = await history.stamp(version)
  if (file === undefined) return { kind: 'again' }
  const path = await history.another({ path: history.at(version), stats: file.stats })
  const order = { objectPath, path, conditions: undefined, identity: file.identity, fence }
  try {
    const result = await putFile(drive.root, order)
    if (result.kind === 'again') return result
    if (result.kind === 'missing') {
      return { ...result, record: { file, attributes: await drive.attributeCache.of(file) } }
    }
    await finish(drive, objectPath, result)
  } finally {
    // Unless it is the object now.
    await unlessAbsent(() => drive.root.files.unlink(path))
  }
  return undefined
}
