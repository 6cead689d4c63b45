import type { Account } from './account.ts'
import { withContent } from './file-operations.ts'
import { type FileRecord, folderMimeType, shortcutMimeType } from './file-record.ts'

export interface PutOptions {
  readonly parent?: string
  readonly mimeType?: string
  readonly modifiedAtMs?: number
}

/**
 * What a person does in Drive's web page: nothing of it is a call, and the OAuth client is not told.
 * Every method resolves with, or returns, the file's id.
 */
export class ByHand {
  readonly #account: Account

  constructor(account: Account) {
    this.#account = account
  }

  folder(name: string, parent?: string): string {
    return this.#add(name, { parent, mimeType: folderMimeType }).id
  }

  /** A new file, whatever other files of this name there are: calling it twice makes duplicates. */
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

  /** A copy, as the page makes it: with the properties that the file has. */
  copy(id: string, name: string): string {
    const { files, clock } = this.#account
    const times = { createdAtMs: clock.nowMs(), modifiedAtMs: clock.nowMs() }
    const copy = { ...this.get(id), id: files.newId(), name, ...times, version: 1 }
    return files.put(copy).id
  }

  /** A document of Google's editors: a file without bytes. */
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

  /** For good, with everything below. */
  delete(id: string): void {
    this.#account.files.remove(id)
  }

  /** Google takes it for malware. */
  flagAsAbusive(id: string): void {
    this.#change(id, { isAbusive: true })
  }

  /** Google tidies up: of the file's history only what it holds now is left. */
  purgeRevisions(id: string): void {
    const { revisions, headRevisionId } = this.get(id)
    const kept = revisions.filter((one) => one.isKept === true || one.id === headRevisionId)
    this.#change(id, { revisions: kept })
  }

  /** @throws Error when there is no such file. */
  get(id: string): FileRecord {
    const record = this.#account.files.get(id)
    if (record === undefined) throw new Error(`there is no file ${id}`)
    return record
  }

  /** What the folder holds, trash included. */
  children(id: string): readonly FileRecord[] {
    return this.#account.files.children(this.get(id).id)
  }

  #change(id: string, change: Partial<FileRecord>): void {
    this.#account.files.put({ ...this.get(id), ...change })
  }

  #add(
    name: string,
    facts: { parent: string | undefined; mimeType: string; isLast?: boolean },
  ): FileRecord {
    const { files } = this.#account
    const parent = this.get(facts.parent ?? 'root')
    const blank = files.blank({ id: files.newId(), name, mimeType: facts.mimeType })
    const placed = { ...blank, parent: parent.id, driveId: parent.driveId }
    // What is not the last step is not shown before it is whole.
    return facts.isLast === false ? placed : files.put(placed)
  }
}
