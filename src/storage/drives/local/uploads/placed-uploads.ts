import crypto from 'node:crypto'
import type { CompleteOptions, ObjectMetadata, ObjectName, PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import type { PlaceOptions } from '../../upload-abilities.ts'
import { fs } from '../file-calls.ts'
import { makePrivateFolder, syncFolderAt } from '../folders/open-folder.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { inOwnFolders, requireOwnFolder } from '../local-root.ts'
import { cloneFile, OutputFile } from '../objects/output-file.ts'
import { type PacedFiles, readFlags, truncateFile } from '../objects/paced-files.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type Assembly, type Piece, parsePlace, planAssembly, slotPlace } from './assembly.ts'
import { hasMark, type MarkPrefix, partDraft, UploadFolder } from './upload-folder.ts'
import type { PlacedUploadState } from './upload-state.ts'

/** The common file: parts are written at their offsets. */
const commonName = 'data'
/** A new file that is assembled from parts. */
const wholeName = 'whole'
const partPrefix = 'part-'
const partsFolder = 'parts'

/** The mark of each file that can become the object, which it does by leaving this folder. */
const candidates: readonly (readonly [name: string, mark: MarkPrefix])[] = [
  [commonName, 'done-'],
  [wholeName, 'made-'],
]

/** Some file systems accept no file that is longer than this. */
const minLimitBytes = 2 ** 31 - 1
/** A file that has only a byte at this offset shows whether the file system stores holes. */
const holeBytes = 1024 ** 2

/**
 * Uploads whose parts come in any order. Their files are in a folder in the upload's folder. Most parts are written to
 * the common file, which `complete` then renames like the file of an upload in order. A part without a slot is a separate
 * file: `complete` copies it into the common file, or all parts into a new file (assembly.ts).
 *
 * All steps of `complete` use the path of this folder. `takeOver` renames it, so that every step of the former process
 * fails; parts that are being written continue in their open files. Because the former process may still have the common
 * file open, that file is never renamed to the object any more, and gets no new part.
 */
export class PlacedUploads {
  readonly #drive: OpenDrive

  constructor(drive: OpenDrive) {
    this.#drive = drive
  }

  async begin(name: { readonly id: string; readonly target: ObjectName }) {
    const { root } = this.#drive
    const { files, folders } = root
    const upload = { ...name, placed: { folder: partsFolder, slots: true } }
    await inOwnFolders(root, () => makePrivateFolder(this.#path(name)))
    const { path } = this.#folder(upload)
    await makePrivateFolder(path)
    const fd = await files.create(`${path}/${commonName}`)
    const slots = await storesHoles(files, fd).finally(() => files.close(fd))
    await syncFolderAt(path)
    await syncFolderAt(this.#path(name))
    await folders.sync('uploads')
    return { ...upload, placed: { folder: partsFolder, slots } }
  }

  /** As UploadDrive.place. */
  async place(upload: PlacedUploadState, options: PlaceOptions): Promise<PartDraft> {
    return await this.#unlessLost(
      async () => (await this.#slot(upload, options)) ?? (await this.#ownFile(upload)),
    )
  }

  async removePlace(upload: PlacedUploadState, place: string): Promise<void> {
    const from = parsePlace(place)
    if ('file' in from) await this.#folder(upload).unlink(from.file)
  }

  /** As UploadDrive.complete. */
  async complete(
    upload: PlacedUploadState,
    options: CompleteOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { placed } = options
    if (placed === undefined) throw new TypeError('the parts of the upload are not given')
    const folder = this.#folder(upload)
    if (await this.isPublished(upload)) {
      return await folder.findPublished(await folder.names(), options.target)
    }
    await this.#removeWhole(folder)
    const assembly = planAssembly(placed, upload.placed.slots)
    const output = await this.#unlessLost(() => this.#assemble(folder, assembly, options))
    try {
      const { size } = await output.stats()
      if (size < options.size) throw lostBytes()
      const mark = assembly.usesCommon ? 'done-' : 'made-'
      const isLonger = size > options.size
      const metadata = await folder.publish(output, { ...options, isLonger, mark })
      await this.#removeRest(folder)
      return metadata
    } catch (error) {
      if (!(await this.isPublished(upload))) await this.#removeWhole(folder)
      throw error
    } finally {
      await output.close()
    }
  }

  /** As UploadDrive.isPublished. If it is published, also removes what is no longer needed. */
  async isPublished(upload: PlacedUploadState): Promise<boolean> {
    const folder = this.#folder(upload)
    const names = await folder.names()
    for (const [name, mark] of candidates) {
      if (!hasMark(names, mark)) continue
      const stats = await unlessAbsent(() => fs.promises.lstat(`${folder.path}/${name}`))
      if (stats !== undefined && !(await folder.isObject(stats))) continue
      await this.#removeRest(folder)
      return true
    }
    return false
  }

  /** Like UploadDrive.takeOver, but from a process that may still be alive. */
  async takeOver(upload: PlacedUploadState): Promise<PlacedUploadState> {
    const path = this.#path(upload)
    const names = (await unlessAbsent(() => fs.promises.readdir(path))) ?? []
    const current = names.find((name) => name.startsWith(partsFolder))
    if (current === undefined) return upload
    const placed = { folder: `${partsFolder}-${crypto.randomUUID()}`, slots: false }
    await rename(`${path}/${current}`, `${path}/${placed.folder}`)
    await syncFolderAt(path)
    const taken = { ...upload, placed }
    const folder = this.#folder(taken)
    for (const [name] of candidates) {
      const stats = await unlessAbsent(() => fs.promises.lstat(`${folder.path}/${name}`))
      // A link that is about to become the object.
      if (stats !== undefined && stats.nlink > 1) await folder.endPublishing()
    }
    return taken
  }

  /** Call it before the upload's files are removed: afterwards no part can get a new file. */
  async end(upload: PlacedUploadState): Promise<void> {
    const { path } = this.#folder(upload)
    const ended = `${this.#path(upload)}/ended-${crypto.randomUUID()}`
    await unlessAbsent(() => fs.promises.rename(path, ended))
  }

  async #slot(upload: PlacedUploadState, options: PlaceOptions): Promise<PartDraft | undefined> {
    const { offset, size = 0 } = options
    if (offset === undefined || size === 0 || !upload.placed.slots) return undefined
    const output = await this.#openCommon(this.#folder(upload))
    try {
      await requireLength(output, offset + size)
    } catch (error) {
      await output.close()
      if (['EFBIG', 'EINVAL', 'EOVERFLOW'].includes(codeOf(error))) return undefined
      throw error
    }
    const commit = async () => slotPlace(offset)
    return partDraft({ output, options: { offset }, commit, remains: 'all bytes' })
  }

  async #ownFile(upload: PlacedUploadState): Promise<PartDraft> {
    const folder = this.#folder(upload).path
    const name = `${partPrefix}${crypto.randomUUID()}`
    const output = await OutputFile.create(this.#drive.root, `${folder}/${name}`)
    const commit = async () => {
      await syncFolderAt(folder)
      return name
    }
    return partDraft({ output, options: { offset: 0 }, commit, remains: 'no file' })
  }

  /** The file with the object's bytes, not durable yet. */
  async #assemble(
    folder: UploadFolder,
    assembly: Assembly,
    options: CompleteOptions,
  ): Promise<OutputFile> {
    const { usesCommon, pieces, inPlace } = assembly
    const isClone = !usesCommon && inPlace.length > 0 && (await isCloned(folder))
    const output = usesCommon ? await this.#openCommon(folder) : await this.#openWhole(folder)
    try {
      for (const piece of usesCommon || isClone ? pieces : [...inPlace, ...pieces]) {
        options.assertHeld?.()
        await this.#copy(folder, piece, output)
      }
      return output
    } catch (error) {
      await output.close()
      if (!usesCommon) await this.#removeWhole(folder)
      throw error
    }
  }

  async #copy(folder: UploadFolder, piece: Piece, output: OutputFile): Promise<void> {
    const { files } = this.#drive.root
    const { from, position, size } = piece
    const [name, start] = 'file' in from ? [from.file, 0] : [commonName, from.offset]
    const fd = await files.open(`${folder.path}/${name}`, readFlags)
    try {
      if ((await output.copy(fd, { size, start, offset: position })) < size) throw lostBytes()
    } finally {
      await files.close(fd)
    }
  }

  #openCommon(folder: UploadFolder): Promise<OutputFile> {
    return OutputFile.open(this.#drive.root, `${folder.path}/${commonName}`)
  }

  #openWhole(folder: UploadFolder): Promise<OutputFile> {
    const { O_CREAT } = fs.constants
    return OutputFile.open(this.#drive.root, `${folder.path}/${wholeName}`, O_CREAT)
  }

  /** Removes the file of an earlier `complete` that did not publish it. Its mark goes first: alone, it would mean published. */
  async #removeWhole(folder: UploadFolder): Promise<void> {
    const marks = (await folder.names()).filter((name) => name.startsWith('made-'))
    for (const mark of marks) await folder.unlink(mark)
    if (marks.length > 0) await syncFolderAt(folder.path)
    await folder.unlink(wholeName)
  }

  /** A missing file means that the upload is lost, unless the drive's own folder is also missing. */
  async #unlessLost<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await requireOwnFolder(this.#drive.root)
      throw lostBytes()
    }
  }

  /** The object is published. The sweep removes what can't be removed now. */
  async #removeRest(folder: UploadFolder): Promise<void> {
    for (const name of await folder.names()) {
      const isMark = candidates.some(([, mark]) => name.startsWith(mark))
      if (!isMark) await folder.unlink(name).catch(() => undefined)
    }
  }

  #folder({ id, target, placed }: PlacedUploadState): UploadFolder {
    return new UploadFolder(this.#drive, `${this.#path({ id })}/${placed.folder}`, target)
  }

  #path({ id }: { readonly id: string }): string {
    return `${this.#drive.root.folders.at('uploads')}/${id}`
  }
}

/** Clones the common file as the new file. False if the file system can't do that. */
async function isCloned({ path }: UploadFolder): Promise<boolean> {
  const whole = `${path}/${wholeName}`
  if (await cloneFile(`${path}/${commonName}`, whole)) return true
  // libuv may leave the empty file.
  await fs.promises.rm(whole, { force: true })
  return false
}

/** Without holes, the last part of a large upload would need the space of all before it at once. */
async function storesHoles(files: PacedFiles, fd: number): Promise<boolean> {
  await files.write(fd, Buffer.alloc(1), holeBytes)
  const { blocks } = await files.fstat(fd)
  await truncateFile(fd, 0)
  return blocks * 512 < holeBytes
}

/** Writes the last byte of a slot that ends here, so that a file system with a lower limit fails before the part is read. */
async function requireLength(output: OutputFile, length: number): Promise<void> {
  if (length > minLimitBytes) await output.write(Buffer.alloc(1), length - 1)
}

async function rename(from: string, to: string): Promise<void> {
  try {
    await fs.promises.rename(from, to)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause
    const message = 'Another process is taking over this upload. Try again.'
    throw new DriveError('busy', message, { retryAfterSeconds: 1, cause })
  }
}
