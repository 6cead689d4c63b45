import type { Account } from './account.ts'
import { withContent } from './file-operations.ts'
import { type FileRecord, folderMimeType, shortcutMimeType } from './file-record.ts'

export interface PutOptions {
  readonly parent?: string
  readonly mimeType?: string
  readonly modifiedAtMs?: number
}

/**
 * What a user does in Drive's web page, without calls of the OAuth client.
 * Every method returns the file's id or resolves with it.
 */
export class ByHand {
  readonly #account: Account

  constructor(account: Account) {
    this.#account = account
  }

  folder(name: string, parent?: string): string {
    return this.#add(name, { parent, mimeType: folderMimeType }).id
  }

  /** Creates a file, even if others have this name: calling it twice creates duplicates. */
  async file(name: string, bytes: Uint8Array | string, options: PutOptions = {}): Promise<string> {
    const content = await this.#account.store.write(Buffer.from(bytes))
    const mimeType = options.mimeType ?? 'application/octet-stream'
    const record = this.#add(name, { parent: options.parent, mimeType, isLast: false })
    const { modifiedAtMs = record.modifiedAtMs } = options
    return this.#account.files.put(withContent({ ...record, modifiedAtMs }, content)).id
  }

  /** Uploads a new version of the file. */
  async replace(id: string, bytes: Uint8Array | string): Promise<string> {
    const content = await this.#account.store.write(Buffer.from(bytes))
    const modifiedAtMs = this.#account.clock.nowMs()
    return this.#account.files.put(withContent({ ...this.get(id), modifiedAtMs }, content)).id
  }

  /** Copies a file as the page does, with its properties. */
  copy(id: string, name: string): string {
    const { files, clock } = this.#account
    const times = { createdAtMs: clock.nowMs(), modifiedAtMs: clock.nowMs() }
    const copy = { ...this.get(id), id: files.newId(), name, ...times, version: 1 }
    return files.put(copy).id
  }

  /** Creates a document of Google's editors: a file without bytes. */
  googleDocument(name: string, parent?: string): string {
    return this.#add(name, { parent, mimeType: 'application/vnd.google-apps.document' }).id
  }

  shortcut(name: string, targetId: string, parent?: string): string {
    const record = this.#add(name, { parent, mimeType: shortcutMimeType, isLast: false })
    return this.#account.files.put({ ...record, shortcutTargetId: targetId }).id
  }

  rename(id: string, name: string): void {
    this.#change(id, { name })
  }

  move(id: string, parent: string): void {
    const folder = this.get(parent)
    this.#change(id, { parent: folder.id, driveId: folder.driveId })
  }

  trash(id: string): void {
    this.#change(id, { isTrashed: true })
  }

  restore(id: string): void {
    this.#change(id, { isTrashed: false })
  }

  /** Permanently deletes a file, with everything below it. */
  delete(id: string): void {
    this.#account.files.remove(id)
  }

  /** Flags the file as malware. */
  flagAsAbusive(id: string): void {
    this.#change(id, { isAbusive: true })
  }

  /** Removes all earlier revisions, as Google does after a while. */
  purgeRevisions(id: string): void {
    const { revisions, headRevisionId } = this.get(id)
    const kept = revisions.filter((one) => one.isKept === true || one.id === headRevisionId)
    this.#change(id, { revisions: kept })
  }

  /** @throws Error if the file does not exist. */
  get(id: string): FileRecord {
    const record = this.#account.files.get(id)
    if (record === undefined) throw new Error(`there is no file ${id}`)
    return record
  }

  /** The folder's content, including the trash. */
  children(id: string): readonly FileRecord[] {
    return this.#account.files.children(this.get(id).id)
  }

  #change(id: string, change: Partial<FileRecord>): void {
    this.#account.files.put({ ...this.get(id), ...change })
  }

  #add(
    name: string,
    placing: { parent: string | undefined; mimeType: string; isLast?: boolean },
  ): FileRecord {
    const { files } = this.#account
    const parent = this.get(placing.parent ?? 'root')
    const blank = files.blank({ id: files.newId(), name, mimeType: placing.mimeType })
    const placed = { ...blank, parent: parent.id, driveId: parent.driveId }
    // The file is visible only after the last step.
    return placing.isLast === false ? placed : files.put(placed)
  }
}
