import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { KeyLease, KeyLeases } from '../../kit/key-leases.ts'
import type { GoogleApi } from '../api/google-api.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { DriveIndex } from '../index/drive-index.ts'
import { folderPages, makeChildFolder } from '../index/folder-pages.ts'
import { objectLeaseKey, recoveryRecord } from '../objects/recovery-record.ts'

/** Below the root, beside the buckets; no bucket's name begins with a dot. */
const stagingName = '.bucketry'
const leaseKey = 'staging'

interface StagingFolderOptions {
  readonly api: GoogleApi
  readonly index: DriveIndex
  readonly leases: KeyLeases
  readonly rootId: string
}

/** The folder of files that are not objects yet: uploaded or copied, but not moved to their key. */
export class StagingFolder {
  readonly #options: StagingFolderOptions
  #id: string | undefined

  constructor(options: StagingFolderOptions) {
    this.#options = options
  }

  /** The folder's id. The folder is created when it is first needed. */
  async id(): Promise<string> {
    this.#id ??= (await this.#known()) ?? (await this.#make())
    return this.#id
  }

  /** The folder's id if there is one. */
  async #known(): Promise<string | undefined> {
    const { index, rootId } = this.#options
    return await index.staging(rootId)
  }

  /** Runs `work` with the folder's id, and again if a user has deleted the folder. */
  async within<R>(work: (folderId: string) => Promise<R>): Promise<R> {
    const id = await this.id()
    try {
      return await work(id)
    } catch (error) {
      if ((await this.#options.api.findFile(id)) !== undefined) throw error
    }
    this.#id = undefined
    await this.#options.index.noteStaging(this.#options.rootId, '')
    return await work(await this.id())
  }

  /**
   * Deletes a file that did not become an object. If that fails, a later sweep retries it.
   *
   * @param name the key for which the file was intended. The key is locked meanwhile, because a
   *   recovery could publish the file there and remove the replaced one, and then both would be
   *   deleted.
   */
  async discard(fileId: string, name?: ObjectName): Promise<void> {
    const { leases } = this.#options
    try {
      if (name === undefined) await this.#delete(fileId)
      else await leases.hold([objectLeaseKey(name)], (lease) => this.#delete(fileId, lease))
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
    }
  }

  async #delete(fileId: string, lease?: KeyLease): Promise<void> {
    const { api, index } = this.#options
    const [row] = await index.getMany([fileId])
    if (row !== undefined || (await this.whereIs(fileId)) !== 'here') return
    lease?.assertHeld()
    const options = { signal: lease?.signal }
    try {
      await api.delete(fileId, options)
    } catch (error) {
      // On shared drives only managers can delete permanently.
      if (!(error instanceof DriveError && error.kind === 'denied')) throw error
      await api.trash(fileId, options)
    }
  }

  /**
   * Where a file of the staging folder is now. Until it becomes an object, its name is
   * its id; the folder may have changed, because a user deleted the earlier one.
   */
  async whereIs(fileId: string): Promise<'here' | 'elsewhere' | 'nowhere'> {
    const file = await this.#options.api.findFile(fileId)
    if (file === undefined) return 'nowhere'
    return file.name === fileId ? 'here' : 'elsewhere'
  }

  /** The folder's content; empty if it does not exist. */
  async files(): Promise<GoogleFile[]> {
    const id = this.#id ?? (await this.#known())
    const found: GoogleFile[] = []
    if (id === undefined) return found
    for await (const files of folderPages(this.#options.api, id)) found.push(...files)
    return found
  }

  async #make(): Promise<string> {
    const { api, index, leases, rootId } = this.#options
    const work = async (): Promise<string> => {
      const known = await this.#known()
      if (known !== undefined) return known
      const { id } = await makeChildFolder(api, rootId, stagingName)
      await index.noteStaging(rootId, id)
      return id
    }
    return await leases.hold([leaseKey], work, { note: recoveryRecord(leaseKey, []) })
  }
}
