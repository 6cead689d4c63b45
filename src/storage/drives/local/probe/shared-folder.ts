import type { ProcessName } from '../../../../platform/process/identity.ts'
import { fs } from '../file-calls.ts'
import { type FolderRoot, OpenFolder } from '../folders/open-folder.ts'
import { missingDrive, ownFolderName, removeTree } from '../folders/own-folders.ts'
import { unlessAbsent } from '../fs-error.ts'
import { folderRootAt, realFolderPath } from '../local-root.ts'
import { isCompleteName } from '../objects/fence.ts'
import { doesBirthtimeLast, identityOf } from '../objects/file-identity.ts'

/** A change of another gateway that this one does not see. */
export type Unseen = 'creation' | 'replacement' | 'removal' | 'listing' | 'folder'

const namePattern = /^shared-[\w-]{1,40}$/
const replacedName = 'replaced'
const draftName = 'draft'
/** It is moved away, and created again with another file. */
const folderName = 'folder'
const innerName = `${folderName}/inner`

/** A folder on the drive in which two gateways test whether one sees the other's changes immediately. */
export class SharedFolder {
  readonly #root: FolderRoot
  /** The folder of the process that created it. */
  readonly #processFolder: OpenFolder
  readonly #path: string
  #hasBirthtime: boolean | undefined

  private constructor(root: FolderRoot, processFolder: OpenFolder, name: string) {
    this.#root = root
    this.#processFolder = processFolder
    this.#path = processFolder.at(name)
  }

  /**
   * @param root of the drive, as in its setting
   * @param asker the process that creates the folder: what remains after a kill is swept
   * @param name `shared-` and a random text
   * @returns undefined for a name of another form
   * @throws DriveError `unavailable` if the process has no folder: the drive may not be mounted, and nothing may be created
   *   in its place
   */
  static async at(
    root: string,
    asker: ProcessName,
    name: string,
  ): Promise<SharedFolder | undefined> {
    // Both come from the database, and become part of a path.
    if (!isCompleteName(asker) || !namePattern.test(name)) return undefined
    const folderRoot = await folderRootAt(await realFolderPath(root))
    const path = `${ownFolderName}/tmp/${encodeURIComponent(asker)}`
    const processFolder = await OpenFolder.open(folderRoot, path)
    if (processFolder === undefined) throw missingDrive()
    return new SharedFolder(folderRoot, processFolder, name)
  }

  /** Does not remove the folder. */
  async close(): Promise<void> {
    await this.#processFolder.close()
  }

  async create(): Promise<void> {
    await fs.promises.mkdir(this.#path)
    await fs.promises.mkdir(`${this.#path}/${folderName}`)
    for (const name of [replacedName, innerName]) {
      await fs.promises.writeFile(`${this.#path}/${name}`, '0')
    }
  }

  async remove(): Promise<void> {
    await removeTree(this.#root, this.#path)
  }

  /** For the gateway that asks: reads everything that the other one will change, as requests would. */
  async look(round: number): Promise<void> {
    await fs.promises.writeFile(this.#removed(round), '')
    await this.unseen(round)
  }

  /** For the other gateway. Returns the identity of the file that replaces one. */
  async change(round: number): Promise<string> {
    await this.#publish('', this.#created(round))
    await this.#publish(String(round), `${this.#path}/${replacedName}`)
    await fs.promises.rm(this.#removed(round), { force: true })
    const folder = `${this.#path}/${folderName}`
    await fs.promises.rename(folder, `${folder}-${round}`)
    await fs.promises.mkdir(folder)
    await this.#publish(String(round), `${this.#path}/${innerName}`)
    return await this.identity()
  }

  /** For the gateway that asks: the changes of the round that it does not see. */
  async unseen(round: number): Promise<ReadonlySet<Unseen>> {
    const seen: Readonly<Record<Unseen, boolean>> = {
      creation: await isThere(this.#created(round)),
      replacement: (await this.#read(replacedName)) === String(round),
      removal: !(await isThere(this.#removed(round))),
      folder: (await this.#read(innerName)) === String(round),
      // Last: a listing may refresh what the file system has cached of these names.
      listing: await this.#isListed(round),
    }
    const all = Object.entries(seen) as [Unseen, boolean][]
    return new Set(all.flatMap(([what, isSeen]) => (isSeen ? [] : [what])))
  }

  /** The identity of the replaced file. Attributes are found by it, so it must be the same for both gateways. */
  async identity(): Promise<string> {
    this.#hasBirthtime ??= await doesBirthtimeLast(this.#path)
    return identityOf(await fs.promises.lstat(`${this.#path}/${replacedName}`), this.#hasBirthtime)
  }

  /** As an object is published. */
  async #publish(text: string, path: string): Promise<void> {
    const draft = `${this.#path}/${draftName}`
    await fs.promises.writeFile(draft, text)
    await fs.promises.rename(draft, path)
  }

  async #isListed(round: number): Promise<boolean> {
    const names = await fs.promises.readdir(this.#path)
    return names.includes(`created-${round}`) && !names.includes(`removed-${round}`)
  }

  #read(name: string): Promise<string | undefined> {
    return unlessAbsent(() => fs.promises.readFile(`${this.#path}/${name}`, 'latin1'))
  }

  #created(round: number): string {
    return `${this.#path}/created-${round}`
  }

  #removed(round: number): string {
    return `${this.#path}/removed-${round}`
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await unlessAbsent(() => fs.promises.lstat(path))) !== undefined
}
