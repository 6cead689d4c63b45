import { isDeepStrictEqual } from 'node:util'
import { DriveError } from '../../drive.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavContext } from '../dav-context.ts'
import {
  type DavRecord,
  fitsProperty,
  readRecord,
  recordText,
  versionOf,
} from './dav-attributes.ts'
import type { FileVersion } from './dav-records.ts'

/** A file that is an object, as it was seen. */
export interface FoundFile {
  readonly path: DavPath
  readonly entry: DavEntry
}

export type AttributeStoreParts = Pick<DavContext, 'server' | 'records' | 'abilities'>

/**
 * Records of files: in a property of the file where the server keeps it, else in the database by
 * place and version. A record names its version, so that it never counts for another one.
 */
export class AttributeStore {
  readonly #parts: AttributeStoreParts

  constructor(parts: AttributeStoreParts) {
    this.#parts = parts
  }

  versionOf(entry: DavEntry): string {
    return versionOf(entry, this.#parts.abilities.versions)
  }

  /** The record of the file at `place` as it was seen; undefined when there is none of it. */
  async find(place: string, entry: DavEntry): Promise<DavRecord | undefined> {
    const version = this.versionOf(entry)
    const kept = readRecord(entry.record, version)
    if (kept !== undefined) return kept
    // A property that is there was our way to keep it; a long record is in the database anyway.
    return readRecord(await asked(this.#parts.records.find({ place, version })), version)
  }

  /** ETags of files whose records are not in a property: place to ETag. */
  async etagsOf(files: readonly FileVersion[]): Promise<Map<string, string>> {
    const versions = new Map(files.map(({ place, version }) => [place, version]))
    const etags = new Map<string, string>()
    if (files.length === 0) return etags
    for (const [place, text] of await asked(this.#parts.records.findMany(files))) {
      const record = readRecord(text, versions.get(place) ?? '')
      if (record !== undefined) etags.set(place, record.attributes.etag)
    }
    return etags
  }

  /** Whether there may be files of this drive that have no record yet. */
  get savesLate(): boolean {
    return !this.#parts.abilities.keepsRecords
  }

  /** Stores the record as a property that moves with the file; false when the server can't. */
  async attach(path: DavPath, record: DavRecord): Promise<boolean> {
    const { server, abilities } = this.#parts
    const text = recordText(record)
    return abilities.keepsRecords && fitsProperty(text) && (await server.setRecord(path, text))
  }

  /**
   * Saves the record of a file that will be at `place`, in the database. It takes effect as soon as
   * the file is there: no file with the same version may be there before.
   * @param present the file that is there now: its record stays
   */
  async save(place: string, record: DavRecord, present?: DavEntry): Promise<void> {
    const text = recordText(record)
    const kept = present === undefined ? undefined : this.versionOf(present)
    await asked(this.#parts.records.save({ place, version: record.version }, text, kept))
  }

  /**
   * Gives a file its record back that a broken MOVE has lost: sabre/dav moves the properties after the
   * file, and may answer 500 in between.
   */
  async restore({ path, entry }: FoundFile, place: string, record: DavRecord): Promise<void> {
    if (isDeepStrictEqual(readRecord(entry.record, record.version), record)) return
    if (!(await this.attach(path, record))) await this.save(place, record)
  }

  /** The version is gone from its place. */
  forget(place: string, entry: DavEntry): void {
    this.#parts.records.forget({ place, version: this.versionOf(entry) })
  }
}

export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const message = 'The database that stores file metadata is not responding.'
    throw new DriveError('unavailable', message, { cause: error })
  }
}
