import type { Stats } from 'node:fs'
import type { CompleteOptions, ObjectMetadata, ObjectName } from '../../drive.ts'
import { fs } from '../file-calls.ts'
import { syncFolderAt } from '../folders/durable-folders.ts'
import { unlessAbsent } from '../fs-error.ts'
import { localPathOf } from '../object-path.ts'
import { allDone } from '../objects/all-done.ts'
import { describe, type FileIdentity } from '../objects/file-identity.ts'
import { headObject, openObject } from '../objects/object-files.ts'
import type { OutputFile } from '../objects/output-file.ts'
import { markFlags } from '../objects/paced-files.ts'
import { publishFile } from '../objects/publisher.ts'
import type { OpenDrive } from '../open-drive.ts'

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

/** The folder of an upload's files, as far as publishing one of them is concerned. */
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

  /** None if the folder is missing. */
  async names(): Promise<string[]> {
    return (await unlessAbsent(() => fs.promises.readdir(this.path))) ?? []
  }

  async unlink(name: string): Promise<void> {
    await fs.promises.rm(`${this.path}/${name}`, { force: true })
  }

  /** Makes the file the object, and first leaves a mark. */
  async publish(output: OutputFile, options: UploadPublication): Promise<ObjectMetadata> {
    return await publishFile(this.#drive, {
      objectPath: localPathOf(options.target.bucket, options.target.key),
      path: output.path,
      // Without a target, `isObject` would consider a second link of the file the object.
      isElsewhere: this.#target !== undefined,
      attributes: options.attributes,
      conditions: options.conditions,
      assertHeld: options.assertHeld,
      shapesLate: options.isLonger,
      shape: async () => {
        options.assertHeld?.()
        if (options.isLonger) await output.truncate(options.size)
        const stamp = await output.shape()
        // Empty: it needs no space on a full disk.
        const mark = `${this.path}/${options.mark}${stamp.identity}`
        await fs.promises.writeFile(mark, '', { flag: markFlags })
        return stamp
      },
      // The mark must be durable before the file leaves this folder.
      flush: () => allDone([output.flush(), syncFolderAt(this.path)]),
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
   * Whether this file is already the object, because a crash occurred between the call that published it
   * (put-file.ts) and the removal of its old name. It must not be written to any more.
   */
  async isObject(stats: Stats): Promise<boolean> {
    if (stats.nlink < 2) return false
    const names = await this.names()
    if (this.#target === undefined) {
      return isMarked(names, describe(stats, this.#drive.root).identity)
    }
    if (!marks.some((mark) => hasMark(names, mark))) return false
    const { bucket, key } = this.#target
    const present = await openObject(this.#drive, localPathOf(bucket, key))
    if (present !== undefined) await this.#drive.root.files.close(present.fd)
    // Not the identity: the object's tags may have changed since the mark was made.
    return present?.stats.ino === stats.ino && present.stats.dev === stats.dev
  }

  /** The former process may be about to publish another link of a file. It then holds the key's lock. */
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
