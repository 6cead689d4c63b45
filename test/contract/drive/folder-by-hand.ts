import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { ByHand } from './drive-suite.ts'
import { sortedKeys } from './stored-object.ts'

/** Changes by hand in a bucket's folder on this machine. */
export class FolderByHand implements ByHand {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    await mkdir(dirname(join(this.#folder, path)), { recursive: true })
    await writeFile(join(this.#folder, path), bytes)
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#folder, path))
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(join(this.#folder, path), { recursive: true })
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    return sortedKeys(
      entries.map((entry) => {
        const path = relative(this.#folder, join(entry.parentPath, entry.name))
        return entry.isDirectory() ? `${path}/` : path
      }),
    )
  }
}
