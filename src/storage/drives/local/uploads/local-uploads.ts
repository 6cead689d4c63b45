import crypto from 'node:crypto'
import type { CompleteOptions, ObjectMetadata, UploadDrive } from '../../drive.ts'
import { isUploadId, lostBytes, requireUploadId } from '../../kit/uploads/upload-rules.ts'
import { fs } from '../file-calls.ts'
import { makePrivateFolder, syncFolderAt } from '../folders/open-folder.ts'
import { lastChangeMs, removeTree } from '../folders/own-folders.ts'
import { codeOf, withDriveErrors } from '../fs-error.ts'
import { followOwnFolders, inOwnFolders, requireOwnFolder } from '../local-root.ts'
import { localPathOf } from '../object-path.ts'
import { OutputFile } from '../objects/output-file.ts'
import { readFlags } from '../objects/paced-files.ts'
import type { OpenDrive } from '../open-drive.ts'
import { PlacedUploads } from './placed-uploads.ts'
import {
  copyToOwnFile,
  hasMark,
  isBeingTaken,
  partDraft,
  removeFormer,
  UploadFolder,
} from './upload-folder.ts'
import {
  formatUploadState,
  isPlaced,
  type LocalUploadState,
  parseUploadState,
  placedStateOf,
  requirePlaced,
  type Tail,
} from './upload-state.ts'

/** The upload's bytes, in its folder. */
export const dataName = 'data'
const tailPrefix = 'tail-'

type Calls = Required<UploadDrive>

/**
 * Every upload is a folder `.bucketry/uploads/<id>`. Parts are appended to its file `data`, which `complete` renames
 * (docs/paths/publishing-a-file.md). A part that replaces the last one is first written to a separate file, the tail, so
 * that the committed bytes stay until the caller has stored the new state. The next call copies the tail into `data`. An
 * upload that was taken over continues in a copy, `data-<random>` (`copyToOwnFile`).
 */
export class LocalUploads implements UploadDrive {
  readonly #drive: OpenDrive
  readonly #placed: PlacedUploads

  constructor(drive: OpenDrive) {
    this.#drive = drive
    this.#placed = new PlacedUploads(drive)
  }

  readonly begin: Calls['begin'] = async (uploadId, target, options = {}) => {
    requireUploadId(uploadId)
    // Rejects a key that can't be a file name before its parts are sent.
    localPathOf(target.bucket, target.key)
    return await withDriveErrors('start an upload', async () => {
      const { root } = this.#drive
      await requireOwnFolder(root)
      if (options.anyOrder) {
        return formatUploadState(await this.#placed.begin({ id: uploadId, target }))
      }
      await inOwnFolders(root, () => makePrivateFolder(this.#path({ id: uploadId })))
      const folder = this.#path({ id: uploadId })
      await root.files.close(await root.files.create(`${folder}/${dataName}`))
      await syncFolderAt(folder)
      await root.folders.sync('uploads')
      return formatUploadState({ id: uploadId, target })
    })
  }

  readonly takeOver: Calls['takeOver'] = async (state, { isDead }) => {
    const upload = parseUploadState(state)
    return await withDriveErrors('take over an upload', async () => {
      await requireOwnFolder(this.#drive.root)
      if (isPlaced(upload)) {
        return isDead ? state : formatUploadState(await this.#placed.takeOver(upload))
      }
      const [folder, name] = [this.#folder(upload), fileOf(upload)]
      // A dead process can't write to its file any more.
      if (isDead && !isBeingTaken(await folder.names())) return state
      const file = await copyToOwnFile(folder, name)
      return file === undefined ? state : formatUploadState({ ...upload, file })
    })
  }

  readonly append: Calls['append'] = async (state, options) => {
    const upload = parseUploadState(state)
    return await withDriveErrors('continue an upload', async () => {
      await followOwnFolders(this.#drive.root)
      const names = await this.#folder(upload).names()
      const output = await this.#open(upload)
      try {
        await this.#removeFormer(upload, names)
        await this.#mergeTail(upload, output)
        if ((await output.stats()).size < options.offset) throw lostBytes()
      } catch (error) {
        await output.close()
        throw error
      }
      const { tail, merged: _, ...rest } = upload
      const merged = tail?.name
      const next = formatUploadState({ ...rest, ...(merged && { merged }) })
      return partDraft({ output, options, commit: async () => next, remains: 'former bytes' })
    })
  }

  readonly abilities: Calls['abilities'] = (state) => {
    const placed = placedStateOf(state)
    return { replaceLast: true, truncate: true, ...(placed && { anyOrder: placed }) }
  }

  readonly place: Calls['place'] = async (state, options) => {
    const upload = requirePlaced(state)
    return await withDriveErrors('write a part', async () => {
      await followOwnFolders(this.#drive.root)
      return await this.#placed.place(upload, options)
    })
  }

  readonly removePlace: Calls['removePlace'] = async (state, place) => {
    const upload = requirePlaced(state)
    await withDriveErrors('remove a part', () => this.#placed.removePlace(upload, place))
  }

  readonly replaceLast: Calls['replaceLast'] = async (state, options) => {
    const upload = parseUploadState(state)
    return await withDriveErrors('replace a part', async () => {
      const { root } = this.#drive
      await followOwnFolders(root)
      await (await this.#open(upload)).close()
      await this.#dropMerged(upload)
      // These bytes also replace an earlier tail that is not merged yet.
      const name = `${tailPrefix}${crypto.randomUUID()}`
      const output = await OutputFile.create(root, `${this.#path(upload)}/${name}`)
      const { merged: _, ...rest } = upload
      const commit = async (size: number) => {
        await syncFolderAt(this.#path(upload))
        return formatUploadState({ ...rest, tail: { name, offset: options.offset, size } })
      }
      const inTail = { ...options, offset: 0 }
      return partDraft({ output, options: inTail, commit, remains: 'no file' })
    })
  }

  readonly complete: Calls['complete'] = async (state, options) => {
    const upload = parseUploadState(state)
    const { bucket, key } = options.target
    return await withDriveErrors(`complete ${bucket}/${key}`, async () => {
      await followOwnFolders(this.#drive.root)
      if (isPlaced(upload)) return await this.#placed.complete(upload, options)
      const names = await this.#folder(upload).names()
      const output = await this.#openIfThere(upload)
      if (output === undefined) return await this.#findPublished(upload, options)
      try {
        await this.#removeFormer(upload, names)
        await this.#mergeTail(upload, output)
        const { size } = await output.stats()
        if (size < options.size) throw lostBytes()
        const isLonger = size > options.size
        const publication = { ...options, isLonger, mark: 'done-' } as const
        const metadata = await this.#folder(upload).publish(output, publication)
        await this.#removeTails(upload)
        return metadata
      } finally {
        await output.close()
      }
    })
  }

  readonly isPublished: Calls['isPublished'] = async (state) => {
    const upload = parseUploadState(state)
    return await withDriveErrors('check an upload', async () => {
      if (isPlaced(upload)) return await this.#placed.isPublished(upload)
      const output = await this.#openIfThere(upload)
      await output?.close()
      const names = await this.#folder(upload).names()
      return output === undefined && hasMark(names, 'done-') && !isBeingTaken(names)
    })
  }

  readonly abort: Calls['abort'] = async (state) => {
    const upload = parseUploadState(state)
    await withDriveErrors('abort an upload', async () => {
      if (isPlaced(upload)) await this.#placed.end(upload)
      await removeTree(this.#drive.root, this.#path(upload))
    })
  }

  readonly sweep: Calls['sweep'] = async (isKnown, olderThanMs) => {
    await withDriveErrors('sweep uploads', async () => {
      const { root } = this.#drive
      const before = (await root.clock.nowMs()) - olderThanMs
      for (const id of await fs.promises.readdir(root.folders.at('uploads'))) {
        if (!isUploadId(id)) continue
        // Infinity if it is being created or removed, or is not a folder.
        const changedMs = (await lastChangeMs(root, this.#path({ id }))) ?? Number.POSITIVE_INFINITY
        if (changedMs > before || (await isKnown(id))) continue
        await removeTree(root, this.#path({ id }))
      }
    })
  }

  /** The upload's file is missing: an earlier `complete` published it, or it is lost. */
  async #findPublished(
    upload: LocalUploadState,
    { target }: CompleteOptions,
  ): Promise<ObjectMetadata | undefined> {
    const folder = this.#folder(upload)
    const names = await folder.names()
    if (!hasMark(names, 'done-') || isBeingTaken(names)) throw lostBytes()
    return await folder.findPublished(names, target)
  }

  /**
   * Call it when the state with the name of the copy has been stored.
   *
   * @param names read before the copy was opened, because later ones belong to a process that takes over the upload
   */
  async #removeFormer(upload: LocalUploadState, names: readonly string[]): Promise<void> {
    const { file } = upload
    if (file !== undefined) await removeFormer(this.#path(upload), names, file)
  }

  /** Removes all tails, including those that were not committed. */
  async #removeTails(upload: LocalUploadState): Promise<void> {
    for (const name of await this.#folder(upload).names()) {
      if (name.startsWith(tailPrefix)) await this.#folder(upload).unlink(name)
    }
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
      const isWhole = (await output.stats()).size >= tail.offset
      if (!isWhole || (await output.copy(fd, tail)) < tail.size) throw lostBytes()
    } finally {
      await this.#drive.root.files.close(fd)
    }
    await output.flush()
  }

  /** Undefined if a `complete` merged and removed it. */
  async #openTail(upload: LocalUploadState, tail: Tail): Promise<number | undefined> {
    try {
      return await this.#drive.root.files.open(`${this.#path(upload)}/${tail.name}`, readFlags)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      if (!hasMark(await this.#folder(upload).names(), 'done-')) throw lostBytes()
      return undefined
    }
  }

  async #dropMerged(upload: LocalUploadState): Promise<void> {
    if (upload.merged !== undefined) await this.#folder(upload).unlink(upload.merged)
  }

  async #open(upload: LocalUploadState): Promise<OutputFile> {
    const output = await this.#openIfThere(upload)
    if (output === undefined) throw lostBytes()
    return output
  }

  /** Undefined if the bytes are published or lost. */
  async #openIfThere(upload: LocalUploadState): Promise<OutputFile | undefined> {
    const { root } = this.#drive
    let output: OutputFile
    try {
      output = await OutputFile.open(root, `${this.#path(upload)}/${fileOf(upload)}`)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await requireOwnFolder(root)
      return undefined
    }
    try {
      if (!(await this.#folder(upload).isObject(await output.stats()))) return output
      await output.remove()
      return undefined
    } catch (error) {
      await output.close()
      throw error
    }
  }

  #folder({ id, target }: Pick<LocalUploadState, 'id' | 'target'>): UploadFolder {
    return new UploadFolder(this.#drive, this.#path({ id }), target)
  }

  #path({ id }: Pick<LocalUploadState, 'id'>): string {
    return `${this.#drive.root.folders.at('uploads')}/${id}`
  }
}

function fileOf({ file }: LocalUploadState): string {
  return file ?? dataName
}
