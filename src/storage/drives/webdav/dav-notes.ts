import { setTimeout as sleep } from 'node:timers/promises'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import { StatusError } from './client/dav-error.ts'
import type { DavServer } from './client/dav-server.ts'
import { readSmallFile } from './objects/small-file.ts'
import { noteFile, type OwnFolder } from './own-folder.ts'

/** Enough for the names of all buckets that may be made. */
const maxNoteBytes = 128 * 1024
const written = [200, 201, 204]
/** Longer than a server needs between the check of a MOVE's destination and the rename. */
const defaultSettleMs = 1_000

/** The notes of a WebDAV drive: `.bucketry/owner.json` and others. */
export class DavNotes implements DriveNotes {
  readonly settleMs: number
  readonly #server: DavServer
  readonly #own: OwnFolder

  constructor(server: DavServer, own: OwnFolder, settleMs = defaultSettleMs) {
    this.#server = server
    this.#own = own
    this.settleMs = settleMs
  }

  async read(name: NoteName): Promise<string | undefined> {
    const bytes = await readSmallFile(this.#server, noteFile(name), maxNoteBytes)
    return bytes?.toString()
  }

  async create(name: NoteName, text: string): Promise<boolean> {
    await this.#own.prepare()
    const from = this.#own.newPath()
    await this.#server.store(from, Buffer.from(text))
    // RFC 4918 section 9.9.3: with `Overwrite: F` a MOVE to an existing note gets 412.
    const to = noteFile(name)
    const answer = await this.#server.transfer('MOVE', { from, to }, { overwrite: false })
    if (written.includes(answer.status)) {
      // If several such MOVEs run at the same time on Apache, each can replace the note of the one before.
      await sleep(this.settleMs)
      return (await this.read(name)) === text
    }
    await this.#own.discard(from)
    if ((await this.read(name)) === undefined) throw new StatusError('MOVE', answer)
    return false
  }

  async write(name: NoteName, text: string): Promise<void> {
    // Overwritten in place: for a MOVE over the note, Apache and Nextcloud would remove it first.
    // Checked first: some servers create missing folders on PUT.
    await this.#own.requireThere()
    await this.#server.store(noteFile(name), Buffer.from(text))
  }
}
