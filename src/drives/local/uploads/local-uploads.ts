import crypto from 'node:crypto'
import fs from 'node:fs'
import {
  type AppendOptions,
  type CompleteOptions,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type PartDraft,
  type ReplaceOptions,
  type TakeOverOptions,
  type UploadAbilities,
  type UploadDrive,
} from '../../drive.ts'
import { endingPart } from '../../ending-draft.ts'
import { requireUploadId } from '../../upload-id.ts'
import { makeFolders, syncFolderAt } from '../folders/durable-folders.ts'
import { codeOf, unlessAbsent, withDriveErrors } from '../fs-error.ts'
import { requireOwnFolder } from '../local-root.ts'
import { localPathOf } from '../object-path.ts'
import { allDone } from '../objects/all-done.ts'
import { describe, type FileIdentity } from '../objects/file-identity.ts'
import { headObject, openObject } from '../objects/object-files.ts'
import { OutputFile } from '../objects/output-file.ts'
import { readFlags, safeOpenFlags } from '../objects/paced-files.ts'
import { publishFile } from '../objects/publisher.ts'
import type { OpenDrive } from '../open-drive.ts'
import { LocalPartDraft } from './part-draft.ts'
import { copyToOwnFile, isBeingTaken, removeFormer } from './take-over.ts'
import {
  formatUploadState,
  type LocalUploadState,
  parseUploadState,
  type Tail,
} from './upload-state.ts'

/** The upload's bytes, in its folder. */
export const dataName = 'data'
const tailPrefix = 'tail-'
const markPrefix = 'done-'

/**
 * Every upload is a folder `.bucketry/uploads/<id>`. Parts are appended to its file `data`, which
 * `complete` renames. A part that replaces the last one is first written to a separate file, the tail, so
 * that the committed bytes stay until the caller has stored the new state; the next call copies it into
 * `data`. An upload that was taken over continues in a copy, `data-<random>` (take-over.ts). An empty
 * file `done-<identity>` has the identity of the published file: with it, a repeated
 * `complete` recognizes its own object.
 */
export class LocalUploads implements UploadDrive {
  readonly #drive: OpenDrive

  constructor(drive: OpenDrive) {
    this.#drive = drive
  }

  async begin(uploadId: string, target: ObjectName): Promise<string> {
    requireUploadId(uploadId)
    // A key that cannot be a file name is refused before its parts are sent.
    localPathOf(target.bucket, target.key)
    return await withDriveErrors('start an upload', async () => {
      const { root } = this.#drive
      await requireOwnFolder(root)
      const folder = this.#folder({ id: uploadId })
      await makeFolders(folder)
      await root.files.close(await root.files.create(`${folder}/${dataName}`))
      await syncFolderAt(folder)
      await syncFolderAt(root.uploadFolder)
      return formatUploadState({ id: uploadId, target })
    })
  }

  async takeOver(state: string, { isDead }: TakeOverOptions): Promise<string> {
    const upload = parseUploadState(state)
    return await withDriveErrors('take over an upload', async () => {
      await requireOwnFolder(this.#drive.root)
      const [folder, name] = [this.#folder(upload), fileOf(upload)]
      // A dead process can't write to its file any more.
      if (isDead && !isBeingTaken(await this.#namesOf(upload))) return state
      const isObject = (stats: fs.Stats) => this.#isObject(upload, stats)
      const endPublishing = () => this.#endPublishing(upload)
      const file = await copyToOwnFile({ folder, name, isObject, endPublishing })
      return file === undefined ? state : formatUploadState({ ...upload, file })
    })
  }

  async append(state: string, options: AppendOptions): Promise<PartDraft> {
    const upload = parseUploadState(state)
    return await withDriveErrors('continue an upload', async () => {
      const names = await this.#namesOf(upload)
      const output = await this.#open(upload)
      try {
        await this.#removeFormer(upload, names)
        await this.#mergeTail(upload, output)
        if ((await output.size()) < options.offset) throw lostBytes()
      } catch (error) {
        await output.close()
        throw error
      }
      const { tail, merged: _, ...rest } = upload
      const merged = tail?.name
      const next = formatUploadState({ ...rest, ...(merged && { merged }) })
      return endingPart(new LocalPartDraft({ output, options, commit: async () => next }))
    })
  }

  abilities(): UploadAbilities {
    return { replaceLast: true, truncate: true }
  }

  async replaceLast(state: string, options: ReplaceOptions): Promise<PartDraft> {
    const upload = parseUploadState(state)
    return await withDriveErrors('replace a part', async () => {
      const { root } = this.#drive
      await (await this.#open(upload)).close()
      await this.#dropMerged(upload)
      // These bytes also replace an earlier tail that is not merged yet.
      const name = `${tailPrefix}${crypto.randomUUID()}`
      const path = `${this.#folder(upload)}/${name}`
      const output = new OutputFile(root, path, await root.files.create(path))
      const { merged: _, ...rest } = upload
      const commit = async (size: number) => {
        await syncFolderAt(this.#folder(upload))
        return formatUploadState({ ...rest, tail: { name, offset: options.offset, size } })
      }
      const plan = { output, options: { ...options, offset: 0 }, commit, isOwn: true }
      return endingPart(new LocalPartDraft(plan))
    })
  }

  async complete(state: string, options: CompleteOptions): Promise<ObjectMetadata | undefined> {
    const upload = parseUploadState(state)
    const { bucket, key } = options.target
    return await withDriveErrors(`complete ${bucket}/${key}`, async () => {
      const names = await this.#namesOf(upload)
      const output = await this.#openIfThere(upload)
      if (output === undefined) return await this.#findPublished(upload, options)
      try {
        await this.#removeFormer(upload, names)
        await this.#mergeTail(upload, output)
        const size = await output.size()
        if (size < options.size) throw lostBytes()
        const metadata = await this.#publish(upload, output, {
          ...options,
          isLonger: size > options.size,
        })
        await this.#removeTails(upload)
        return metadata
      } finally {
        await output.close()
      }
    })
  }

  async isPublished(state: string): Promise<boolean> {
    const upload = parseUploadState(state)
    return await withDriveErrors('check an upload', async () => {
      const output = await this.#openIfThere(upload)
      await output?.close()
      const names = await this.#namesOf(upload)
      return output === undefined && hasMark(names) && !isBeingTaken(names)
    })
  }

  async abort(state: string): Promise<void> {
    const upload = parseUploadState(state)
    await withDriveErrors('abort an upload', async () => {
      await fs.promises.rm(this.#folder(upload), { recursive: true, force: true })
    })
  }

  async sweep(isKnown: (id: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    await withDriveErrors('sweep uploads', async () => {
      const before = (await this.#drive.root.clock.nowMs()) - olderThanMs
      for (const id of await fs.promises.readdir(this.#drive.root.uploadFolder)) {
        if ((await lastChangeMs(this.#folder({ id }))) > before || (await isKnown(id))) continue
        await fs.promises.rm(this.#folder({ id }), { recursive: true, force: true })
      }
    })
  }

  /** The former process may be about to publish another link of the file. It then holds the key's lock. */
  async #endPublishing({ target }: LocalUploadState): Promise<void> {
    if (target === undefined) return
    await this.#drive.locks.hold(localPathOf(target.bucket, target.key).path, async () => undefined)
  }

  async #publish(
    upload: LocalUploadState,
    output: OutputFile,
    options: CompleteOptions & { readonly isLonger: boolean },
  ): Promise<ObjectMetadata> {
    return await publishFile(this.#drive, {
      objectPath: localPathOf(options.target.bucket, options.target.key),
      path: output.path,
      // Without a target, `#isObject` would consider a second link of the file the object.
      isElsewhere: upload.target !== undefined,
      attributes: options.attributes,
      conditions: options.conditions,
      assertHeld: options.assertHeld,
      shapesLate: options.isLonger,
      shape: async () => {
        options.assertHeld?.()
        if (options.isLonger) await output.truncate(options.size)
        const stamp = await output.shape()
        // Empty: it needs no space on a full disk.
        await fs.promises.writeFile(`${this.#folder(upload)}/${markOf(stamp.identity)}`, '')
        return stamp
      },
      // The mark must be durable before the file leaves the upload's folder.
      flush: () => allDone([output.flush(), syncFolderAt(this.#folder(upload))]),
    })
  }

  /** The upload's file is missing: an earlier `complete` published it, or it is lost. */
  async #findPublished(
    upload: LocalUploadState,
    { target }: CompleteOptions,
  ): Promise<ObjectMetadata | undefined> {
    const names = await this.#namesOf(upload)
    if (!hasMark(names) || isBeingTaken(names)) throw lostBytes()
    const present = await headObject(this.#drive, localPathOf(target.bucket, target.key))
    return present && names.includes(markOf(present.file.identity)) ? present.metadata : undefined
  }

  /**
   * Call it when the state with the name of the copy is stored.
   *
   * @param names as they were before the copy was opened: later ones belong to a process that takes over the upload
   */
  async #removeFormer(upload: LocalUploadState, names: readonly string[]): Promise<void> {
    const { file } = upload
    if (file !== undefined) await removeFormer(this.#folder(upload), names, file)
  }

  /** Also those of replacements that were not committed. */
  async #removeTails(upload: LocalUploadState): Promise<void> {
    for (const name of await this.#namesOf(upload)) {
      if (name.startsWith(tailPrefix)) await this.#unlink(upload, name)
    }
  }

  async #namesOf(upload: LocalUploadState): Promise<string[]> {
    return (await unlessAbsent(() => fs.promises.readdir(this.#folder(upload)))) ?? []
  }

  /**
   * Copies the tail into the upload's file. This may be repeated: the tail's file stays until the caller
   * returns the state without it, or until the upload is published. A published upload may be reopened
   * (webdav/uploads/spooled-bytes.ts): its bytes already include the tail.
   */
  async #mergeTail(upload: LocalUploadState, output: OutputFile): Promise<void> {
    await this.#dropMerged(upload)
    const { tail } = upload
    if (tail === undefined) return
    const fd = await this.#openTail(upload, tail)
    if (fd === undefined) return
    try {
      const isWhole = (await output.size()) >= tail.offset
      if (!isWhole || (await output.copy(fd, tail)) < tail.size) throw lostBytes()
    } finally {
      await this.#drive.root.files.close(fd)
    }
    await output.flush()
  }

  /** Undefined if a `complete` merged and removed it. */
  async #openTail(upload: LocalUploadState, tail: Tail): Promise<number | undefined> {
    try {
      return await this.#drive.root.files.open(`${this.#folder(upload)}/${tail.name}`, readFlags)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      if (!hasMark(await this.#namesOf(upload))) throw lostBytes()
      return undefined
    }
  }

  async #dropMerged(upload: LocalUploadState): Promise<void> {
    if (upload.merged !== undefined) await this.#unlink(upload, upload.merged)
  }

  async #open(upload: LocalUploadState): Promise<OutputFile> {
    const output = await this.#openIfThere(upload)
    if (output === undefined) throw lostBytes()
    return output
  }

  /** Undefined if the bytes are published or lost. */
  async #openIfThere(upload: LocalUploadState): Promise<OutputFile | undefined> {
    const { root } = this.#drive
    const path = `${this.#folder(upload)}/${fileOf(upload)}`
    let fd: number
    try {
      fd = await root.files.open(path, fs.constants.O_RDWR | safeOpenFlags)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await requireOwnFolder(root)
      return undefined
    }
    const output = new OutputFile(root, path, fd)
    if (!(await this.#isObject(upload, await root.files.fstat(fd)))) return output
    await output.remove()
    return undefined
  }

  /**
   * Whether this file is already the object, because a crash occurred between the call that published it
   * (put-file.ts) and the removal of its old name. It must not be written to any more.
   */
  async #isObject(upload: LocalUploadState, stats: fs.Stats): Promise<boolean> {
    if (stats.nlink < 2) return false
    const { identity } = describe(stats, this.#drive.root)
    if (!(await this.#namesOf(upload)).includes(markOf(identity))) return false
    const { target } = upload
    if (target === undefined) return true
    const present = await openObject(this.#drive, localPathOf(target.bucket, target.key))
    if (present !== undefined) await this.#drive.root.files.close(present.fd)
    return present?.identity === identity
  }

  async #unlink(upload: LocalUploadState, name: string): Promise<void> {
    await fs.promises.rm(`${this.#folder(upload)}/${name}`, { force: true })
  }

  #folder(upload: Pick<LocalUploadState, 'id'>): string {
    return `${this.#drive.root.uploadFolder}/${upload.id}`
  }
}

function fileOf({ file }: LocalUploadState): string {
  return file ?? dataName
}

function markOf(identity: FileIdentity): string {
  return `${markPrefix}${identity}`
}

function hasMark(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith(markPrefix))
}

/** The last change of the folder and its content; infinity if it is not an upload's folder. */
async function lastChangeMs(folder: string): Promise<number> {
  const latest = await unlessAbsent(async () => {
    const names = await fs.promises.readdir(folder)
    const paths = [folder, ...names.map((name) => `${folder}/${name}`)]
    const stats = await Promise.all(paths.map((path) => fs.promises.lstat(path)))
    return Math.max(...stats.map(({ mtimeMs }) => mtimeMs))
  })
  // It is being created or removed, or is not a folder.
  return latest ?? Number.POSITIVE_INFINITY
}

function lostBytes(): DriveError {
  const message = 'The bytes of this upload are no longer on the drive: start a new upload.'
  return new DriveError('upload-gone', message)
}
