import crypto from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { Attributes } from '../../attributes.ts'
import { DriveError } from '../../drive-error.ts'
import { areAttributes, asciiJson } from '../../kit/stored-attributes.ts'
import { type ListedAttributes, listedAttributes } from '../../listed-entry.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavAbilities } from '../probe/dav-abilities.ts'
import type { DatabaseDavRecords, FileVersion } from './dav-record-table.ts'

/** The stored metadata of one version of a file. */
export interface DavRecord {
  readonly version: string
  readonly attributes: Attributes
  /** The upload that became this version. */
  readonly uploadId?: string
}

/** Longer records are kept in the database: servers keep properties in small stores. */
const maxPropertyLength = 16 * 1024

/** Identifies the version of a file. An edit by hand creates another version. */
export function versionOf(
  entry: Pick<DavEntry, 'etag' | 'size' | 'modifiedAtMs'>,
  by: DavAbilities['versions'],
): string {
  const { etag, size, modifiedAtMs } = entry
  if (by === 'time' || etag === undefined) return `t ${modifiedAtMs} ${size}`
  const tag = etag.length > 200 ? crypto.hash('sha256', etag, 'base64url') : etag
  return `e ${tag} ${size}`
}

function fitsProperty(text: string): boolean {
  return text.length <= maxPropertyLength
}

/** The record in this text, if it is a record of this version. */
export function readRecord(text: string | undefined, version: string): DavRecord | undefined {
  if (text === undefined || text === '') return undefined
  const record = parsedJson(text) as Partial<DavRecord> | null | undefined
  const isWhole = record?.version === version && areAttributes(record.attributes)
  return isWhole ? (record as DavRecord) : undefined
}

/** The property of a file whose record is in the database. Some servers store no empty property. */
const noRecord = '{}'

/** The file of an object, as it was found. */
export interface FoundFile {
  readonly path: DavPath
  readonly entry: DavEntry
}

export interface AttributeStoreParts {
  readonly server: DavServer
  readonly records: DatabaseDavRecords
  readonly abilities: DavAbilities
}

/**
 * The records of files. A record is a property of its file if the server keeps it, otherwise it is in
 * the database by path and version. It contains its version, so that it applies to no other one.
 */
export class AttributeStore {
  readonly #parts: AttributeStoreParts

  constructor(parts: AttributeStoreParts) {
    this.#parts = parts
  }

  versionOf(entry: DavEntry): string {
    return versionOf(entry, this.#parts.abilities.versions)
  }

  /** The record of this version of the file; undefined when it has none. */
  async find(leaseKey: string, entry: DavEntry): Promise<DavRecord | undefined> {
    const version = this.versionOf(entry)
    const kept = readRecord(entry.record, version)
    if (kept !== undefined) return kept
    // A long record is in the database although the server keeps properties.
    return readRecord(await this.#parts.records.find({ path: leaseKey, version }), version)
  }

  /** What listings need of files whose records are in the database, by path. */
  async listedOf(files: readonly FileVersion[]): Promise<Map<string, ListedAttributes>> {
    const versions = new Map(files.map(({ path, version }) => [path, version]))
    const listed = new Map<string, ListedAttributes>()
    if (files.length === 0) return listed
    for (const [path, text] of await this.#parts.records.findMany(files)) {
      const record = readRecord(text, versions.get(path) ?? '')
      if (record !== undefined) listed.set(path, listedAttributes(record.attributes))
    }
    return listed
  }

  /** Whether records are saved only just before files are moved into place. */
  get savesLate(): boolean {
    return !this.#parts.abilities.keepsRecords
  }

  /** Stores the record as a property, which moves with the file; false if that is not possible. */
  async attach(path: DavPath, record: DavRecord): Promise<boolean> {
    const { server, abilities } = this.#parts
    const text = asciiJson(record)
    return abilities.keepsRecords && fitsProperty(text) && (await server.setRecord(path, text))
  }

  /**
   * Saves the record of a file in the database, before the file is moved to the object's path, where the
   * present file must have another version.
   * @param present the present file, whose record stays
   */
  async save(leaseKey: string, record: DavRecord, present?: DavEntry): Promise<void> {
    const text = asciiJson(record)
    const kept = present === undefined ? undefined : this.versionOf(present)
    await this.#parts.records.save({ path: leaseKey, version: record.version }, text, kept)
  }

  /**
   * Restores the record of a file after an interrupted MOVE: sabre/dav moves the properties after the
   * file, and may answer 500 in between.
   */
  async restore({ path, entry }: FoundFile, leaseKey: string, record: DavRecord): Promise<void> {
    if (isDeepStrictEqual(readRecord(entry.record, record.version), record)) return
    if (!(await this.attach(path, record))) await this.save(leaseKey, record)
  }

  /**
   * Replaces the record of a file in place, while no other process writes it.
   *
   * @throws DriveError `unavailable` if the server keeps the old one
   */
  async replace({ path, entry }: FoundFile, leaseKey: string, record: DavRecord): Promise<void> {
    if (await this.attach(path, record)) return
    await this.save(leaseKey, record)
    // A property counts before the database.
    const isKept = readRecord(entry.record, record.version) !== undefined
    if (!isKept || (await this.#parts.server.setRecord(path, noRecord))) return
    throw new DriveError('unavailable', 'The WebDAV server did not change a property. Try again.')
  }

  forget(leaseKey: string, entry: DavEntry): void {
    this.#parts.records.forget({ path: leaseKey, version: this.versionOf(entry) })
  }
}
