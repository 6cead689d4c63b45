import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DavError } from './dav-error.ts'
import { DeadProperties } from './dead-properties.ts'
import { type Content, FileTree } from './file-tree.ts'
import { PathLocks } from './path-locks.ts'

/** Special values of quota-available-bytes: -1 uncomputed, -2 unknown, -3 unlimited. */
export type UncountedQuota = -1 | -2 | -3

/** The files, chunks and space of a user of the emulator. */
export class UserFiles {
  readonly uid: string
  readonly tree = new FileTree((content) => this.forget(content))
  readonly dead = new DeadProperties()
  readonly locks = new PathLocks()
  /** The total in bytes, or one of the special values. */
  quota: number
  readonly #folder: string
  #files = 0

  /** @param folder for the bytes of files and chunks */
  constructor(uid: string, { folder, quota }: { readonly folder: string; readonly quota: number }) {
    this.uid = uid
    this.quota = quota
    this.#folder = folder
  }

  /** quota-available-bytes. Chunks of uploads do not count: the quota is that of `files`. */
  get availableBytes(): number {
    if (this.quota < 0) return this.quota
    return Math.max(0, this.quota - this.tree.usedBytes)
  }

  /** 507 when `bytes` more do not fit, as Nextcloud's QuotaPlugin. */
  checkSpace(bytes: number): void {
    if (this.quota < 0 || bytes <= this.availableBytes) return
    throw new DavError(
      507,
      `Insufficient space, ${bytes} required, ${this.availableBytes} available`,
    )
  }

  /** A path on the disk for new bytes. */
  newFile(): string {
    return join(this.#folder, String(++this.#files))
  }

  duplicate(content: Content): Content {
    const file = this.newFile()
    copyFileSync(content.file, file)
    return { file, size: content.size }
  }

  /** Readers that have it open can continue. */
  forget(content: Content): void {
    rmSync(content.file, { force: true })
  }
}
