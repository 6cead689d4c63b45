import type { Attributes } from '../../attributes.ts'
import type { RemovalConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { Removal } from '../../versions.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { JournalEntry } from '../folders/folder-journal.ts'
import { unmakeFolders } from '../folders/folder-maker.ts'
import { unlessAbsent } from '../fs-error.ts'
import type { ObjectPath } from '../object-path.ts'
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
import type { KeyHistory } from './key-history.ts'
import { type StoredVersion, timeIn, versionIdOf } from './version-names.ts'
import { type MissingFolder, missingHistory, withHistory } from './with-history.ts'

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

/** A folder is needed for a version that becomes the newest one again, and for its record. */
interface MissingTarget extends MissingFolder {
  readonly file: StampedFile
  readonly attributes: Attributes
}

type Step = Removed | MissingFolder | MissingTarget | { readonly kind: 'again' }

/** As Drive.remove, for a bucket that has or had versions. */
export async function removeVersioned(
  drive: OpenDrive,
  objectPath: ObjectPath,
  conditions: RemovalConditions = {},
): Promise<Removal | undefined> {
  const entry = drive.journal.open()
  const entries: (JournalEntry | undefined)[] = [entry]
  const remade: MissingFolder[] = []
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
        const { file, attributes } = 'file' in step ? step : nothing
        remade.push(step)
        entries.push(await remake(drive, step, attributes, file))
      }
    }
  } finally {
    // Other removals may have taken what the folders were needed for.
    for (const folder of remade) {
      await unmakeFolders(drive, folder.objectPath, folder.filePath, []).catch(() => undefined)
    }
    for (const one of entries) await one?.close()
  }
  const message = 'The versions of this key keep being changed by others. Try again.'
  throw new DriveError('busy', message, { retryAfterSeconds: 1 })
}

const nothing = { file: undefined, attributes: { etag: '', headers: {}, metadata: {} } }

/** Keeps the current version, then adds a marker, then takes the file away, which is the visible step. */
async function hide({ drive, objectPath, conditions, fence, history }: RemovalRun): Promise<Step> {
  await requireConditions(drive, objectPath, conditions)
  await history.assertReplaceable()
  if (!history.hasFolder) return missingHistory(history)
  await history.keepCurrent()
  const marker = await history.addMarker()
  // Otherwise a power failure could keep the removal and lose these.
  await history.sync()
  const taken = await takeBoth(drive, objectPath, fence)
  if (taken.length === 0 && needsObject(conditions)) throw removedMeanwhile()
  await history.dropReplacedNulls(marker).catch(() => undefined)
  return {
    ...{ kind: 'done', taken },
    removal: removalOf(versionIdOf(marker), true),
  }
}

/** Removes one version permanently. */
async function removeOne(run: RemovalRun): Promise<Step> {
  const { drive, objectPath, fence, history, conditions } = run
  const { versionId = '' } = conditions
  const { currentTime, current, counted } = history
  const isCurrent = currentTime !== undefined && versionIdOf(currentTime) === versionId
  const isDoomed = (version: StoredVersion) => versionIdOf(version) === versionId
  const first = counted.find(isDoomed)
  // Also those that do not count, because one of them would count next.
  const doomed = isCurrent || first !== undefined ? history.stored.filter(isDoomed) : []
  await requireRemovable(run, isCurrent, doomed, first)
  if (!isCurrent && first === undefined) return { kind: 'done', removal: undefined, taken: [] }
  const isDeleteMarker = !isCurrent && first?.isDeleteMarker === true
  const next = counted.find((version) => !isDoomed(version))
  // It would otherwise be a former version when the file has gone.
  if (isCurrent) await history.drop(doomed)
  const isHiding = isDeleteMarker && current === undefined && first === counted[0]
  const restored = isCurrent || isHiding ? objectsIn(next) : []
  let taken: Taken[] = []
  for (const version of restored) {
    const failed = await restore(run, version)
    if (failed !== undefined) return failed
  }
  if (isCurrent && restored.length === 0) taken = await takeBoth(drive, objectPath, fence)
  // The restored one last: until then, it is another name of the current version, and a marker after it has no effect.
  await history.drop([...doomed, ...restored])
  await history.sync()
  return { kind: 'done', removal: removalOf(versionId, isDeleteMarker), taken }
}

function objectsIn(next: StoredVersion | undefined): StoredVersion[] {
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
  const files = [isCurrent ? history.currentStamp : undefined]
  for (const version of doomed) {
    if (!version.isDeleteMarker) files.push(await history.stamp(version))
  }
  await history.assertUnlocked(files, conditions.lock)
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
      return { ...result, objectPath, file, attributes: await drive.attributeCache.of(file) }
    }
    await finish(drive, objectPath, result)
  } finally {
    // Unless it is the object now.
    await unlessAbsent(() => drive.root.files.unlink(path))
  }
  return undefined
}
