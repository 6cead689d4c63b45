import crypto from 'node:crypto'
import type { Stats } from 'node:fs'
import type { CompleteOptions, ObjectMetadata, ObjectName, PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { endingPart } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import { allDone, fs } from '../file-calls.ts'
import { syncFolderAt } from '../folders/open-folder.ts'
import { codeOf, unlessAbsent, withDriveErrors } from '../fs-error.ts'
import { localPathOf, type ObjectPath } from '../object-path.ts'
import { describe, type FileIdentity, isOneFile } from '../objects/file-identity.ts'
import { headObject, openObject } from '../objects/object-files.ts'
import type { OutputFile } from '../objects/output-file.ts'
import { markFlags } from '../objects/paced-files.ts'
import { publishFile } from '../objects/publisher.ts'
import type { OpenDrive } from '../open-drive.ts'
import { isStored } from '../versions/stored-versions.ts'

/**
 * Empty files with these prefixes have the identity of the file that was published, or was about to be. With it, a
 * repeated `complete` recognizes its own object.
 */
export type MarkPrefix = 'done-' | 'made-'

interface UploadPublication extends CompleteOptions {
  /** Whether the file has more bytes than the object. */
  readonly isLonger: boolean
  readonly mark: MarkPrefix
}

/** The folder of an upload's files, one of which is published. */
export class UploadFolder {
  readonly #drive: OpenDrive
  readonly path: string
  /** The object that the upload is for. Uploads of an earlier version lack it. */
  readonly #target: ObjectName | undefined

  constructor(drive: OpenDrive, path: string, target: ObjectName | undefined) {
    this.#drive = drive
    this.path = path
    this.#target = target
  }

  /** Empty if the folder is missing. */
  async names(): Promise<string[]> {
    return (await unlessAbsent(() => fs.promises.readdir(this.path))) ?? []
  }

  async unlink(name: string): Promise<void> {
    await fs.promises.rm(`${this.path}/${name}`, { force: true })
  }

  /** Leaves a mark, then makes the file the object. */
  async publish(output: OutputFile, options: UploadPublication): Promise<ObjectMetadata> {
    return await publishFile(this.#drive, {
      objectPath: localPathOf(options.target.bucket, options.target.key),
      // Without a target, `isObject` would consider a second link of the file the object.
      isElsewhere: this.#target !== undefined,
      attributes: options.attributes,
      conditions: options.conditions,
      assertHeld: options.assertHeld,
      shapesLate: options.isLonger,
      file: {
        path: output.path,
        shape: async (afterMs) => {
          options.assertHeld?.()
          if (options.isLonger) await output.truncate(options.size)
          const stamp = await output.shape(afterMs)
          // Empty: it needs no space on a full disk.
          const mark = `${this.path}/${options.mark}${stamp.identity}`
          await fs.promises.writeFile(mark, '', { flag: markFlags })
          return stamp
        },
        // The mark must be durable before the file leaves this folder.
        flush: () => allDone([output.flush(), syncFolderAt(this.path)]),
      },
    })
  }

  /** The object if it is still the one that was published from here. */
  async findPublished(
    names: readonly string[],
    { bucket, key }: ObjectName,
  ): Promise<ObjectMetadata | undefined> {
    const present = await headObject(this.#drive, localPathOf(bucket, key))
    return present && isMarked(names, present.file.identity) ? present.metadata : undefined
  }

  /**
   * Whether this file is already the object or a former version of it, because a crash occurred between the call that
   * published it (put-file.ts) and the removal of its old name. It must then not be written to any more.
   */
  async isObject(stats: Stats): Promise<boolean> {
    if (stats.nlink < 2) return false
    const names = await this.names()
    if (this.#target === undefined) {
      return isMarked(names, describe(stats, this.#drive.root).identity)
    }
    if (!marks.some((mark) => hasMark(names, mark))) return false
    const objectPath = localPathOf(this.#target.bucket, this.#target.key)
    if (await this.#isCurrent(objectPath, stats)) return true
    if (this.#drive.versioningOf(objectPath.bucket) === undefined) return false
    // Again at the end, because a former version may become the current one meanwhile.
    const isFormer = await isStored(this.#drive, objectPath, stats)
    return isFormer || (await this.#isCurrent(objectPath, stats))
  }

  async #isCurrent(objectPath: ObjectPath, stats: Stats): Promise<boolean> {
    const present = await openObject(this.#drive, objectPath)
    if (present !== undefined) await this.#drive.root.files.close(present.fd)
    // Not the identity: the object's tags may have changed since the mark was made.
    return isOneFile(present?.stats, stats)
  }

  /** Waits for a former process that is about to publish another link of a file, and holds the key's lock for that. */
  async endPublishing(): Promise<void> {
    if (this.#target === undefined) return
    const { path } = localPathOf(this.#target.bucket, this.#target.key)
    await this.#drive.locks.hold(path, async () => undefined)
  }
}

const marks: readonly MarkPrefix[] = ['done-', 'made-']

export function hasMark(names: readonly string[], mark: MarkPrefix): boolean {
  return names.some((name) => name.startsWith(mark))
}

function isMarked(names: readonly string[], identity: FileIdentity): boolean {
  return marks.some((mark) => names.includes(`${mark}${identity}`))
}

/** Names of files that hold an upload's bytes after it was taken over. */
const takenDataPrefix = 'data-'
const formerPrefix = 'former-'

/**
 * Copies the bytes of an upload to a new file, and returns its name; durable. Undefined if there are none: they
 * were published or are lost.
 *
 * @param name the present name of the file with the bytes
 *
 * The former process may have been suspended before any line, and may continue at any moment. So its file is renamed
 * first: from then on the process can't publish the file, and its writes do not reach the copy. Only one of this rename
 * and a rename that publishes the file can succeed. A conditional Complete publishes another link of the file
 * (put-file.ts): `endPublishing` makes that fail by taking over its lock. If this function is interrupted, the next call
 * continues with the renamed file.
 */
export async function copyToOwnFile(
  upload: UploadFolder,
  name: string,
): Promise<string | undefined> {
  const former = `${upload.path}/${formerPrefix}${crypto.randomUUID()}`
  if (!(await moveAside(upload, name, former))) return undefined
  const look = () => unlessAbsent(() => fs.promises.lstat(former))
  let stats = await look()
  if (stats !== undefined && stats.nlink > 1 && !(await upload.isObject(stats))) {
    await upload.endPublishing()
    stats = await look()
  }
  if (stats === undefined) {
    // Another process whose lease has expired has just taken the file over. The next takeover finds its file.
    throw new DriveError('busy', 'Another process is taking over this upload. Try again.', {
      retryAfterSeconds: 1,
    })
  }
  if (await upload.isObject(stats)) {
    await fs.promises.rm(former, { force: true })
    return undefined
  }
  const copy = `${takenDataPrefix}${crypto.randomUUID()}`
  await copyDurably(former, `${upload.path}/${copy}`)
  await syncFolderAt(upload.path)
  return copy
}

/** Removes the files of former processes. Call it when the state with the name of the copy has been stored. */
export async function removeFormer(
  folder: string,
  names: readonly string[],
  current: string,
): Promise<void> {
  for (const name of names) {
    const isOther = name.startsWith(takenDataPrefix) && name !== current
    if (isOther || name.startsWith(formerPrefix)) {
      await fs.promises.rm(`${folder}/${name}`, { force: true })
    }
  }
}

/** Whether a process was interrupted during a takeover of the upload. */
export function isBeingTaken(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith(formerPrefix))
}

/** False if there is nothing to move. */
async function moveAside(upload: UploadFolder, name: string, former: string): Promise<boolean> {
  if (await isRenamed(`${upload.path}/${name}`, former)) return true
  for (const other of await upload.names()) {
    const isOther = other.startsWith(formerPrefix)
    if (isOther && (await isRenamed(`${upload.path}/${other}`, former))) return true
  }
  return false
}

async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await fs.promises.rename(from, to)
    return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return false
  }
}

/** Clones the file if the file system can do that, and copies it otherwise. */
async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await fs.promises.copyFile(from, to, fs.constants.COPYFILE_FICLONE)
    const handle = await fs.promises.open(to, 'r+')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    // On a full disk, the bytes stay in the former file.
    await fs.promises.rm(to, { force: true }).catch(() => undefined)
    throw error
  }
}

interface PartPlan {
  readonly output: OutputFile
  readonly options: AppendOptions
  /** Returns the upload's new state; called when the part is durable. */
  commit(size: number): Promise<string>
  /** What a discarded part leaves behind: the bytes before its offset, those and its own bytes, or no file at all. */
  readonly remains: 'former bytes' | 'all bytes' | 'no file'
}

/** A part that is written at its offset in the upload's file. It does not count until it is committed. */
export function partDraft(plan: PartPlan): PartDraft {
  return endingPart(new LocalPartDraft(plan))
}

class LocalPartDraft implements PartDraft {
  readonly #plan: PartPlan
  #size = 0
  #writing: Promise<void> | undefined

  constructor(plan: PartPlan) {
    this.#plan = plan
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#plan.options.signal?.throwIfAborted()
    const { output, options } = this.#plan
    const writing = output.write(chunk, options.offset + this.#size)
    this.#writing = writing
    await withDriveErrors('write a part', () => writing)
    this.#size += chunk.length
  }

  async commit(): Promise<string> {
    this.#plan.options.signal?.throwIfAborted()
    return await withDriveErrors('write a part', async () => {
      await this.#plan.output.flush()
      const state = await this.#plan.commit(this.#size)
      await this.#plan.output.close()
      return state
    })
  }

  async discard(): Promise<void> {
    const { output, options, remains } = this.#plan
    // A write must not continue after the file is closed, because another file may then have its descriptor.
    await this.#writing?.catch(() => undefined)
    if (remains === 'no file') return await output.remove()
    try {
      // These bytes count towards no quota: many uploads whose parts break off would fill the disk.
      if (remains === 'former bytes') await output.truncate(options.offset)
      await output.close()
    } catch {
      // The bytes do not count anyway.
    }
  }
}
