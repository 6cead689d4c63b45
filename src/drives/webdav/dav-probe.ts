import { Readable } from 'node:stream'
import { DriveError } from '../drive.ts'
import type { NameRules } from '../name-rules.ts'
import type { DavAbilities } from './dav-abilities.ts'
import { versionOf } from './dav-attributes.ts'
import { statusError } from './dav-error.ts'
import type { DavPath } from './dav-path.ts'
import type { DavServer } from './dav-server.ts'
import type { DavEntry } from './multistatus.ts'

export interface ProbeParts {
  /** The drive's root, names below the origin. */
  readonly root: DavPath
  readonly server: DavServer
  /** A folder that nobody else uses; it is there, and its owner removes it. */
  readonly folder: DavPath
}

type Finding = Omit<DavAbilities, 'rules'>

const created = [200, 201, 204]

/**
 * Finds out what a server does, by doing it in a folder of its own. Nothing is done to anybody's
 * file whose outcome was not seen here first.
 *
 * @throws DriveError `denied` when the server can't do what a drive needs at least
 */
export async function probeServer(parts: ProbeParts, rules: NameRules): Promise<DavAbilities> {
  const probe = new Probe(parts)
  const versions = await probe.findVersions()
  await probe.requireKeptFiles()
  await probe.requireMovedFolders()
  return {
    rules,
    ...versions,
    writesRanges: await probe.writesRanges(),
    copies: await probe.copies(),
    chunkRoot: await probe.findChunkRoot(),
    tellsQuota: await probe.tellsQuota(),
    tellsMd5: parts.server.arrivals.areTold,
  }
}

class Probe {
  readonly #parts: ProbeParts

  constructor(parts: ProbeParts) {
    this.#parts = parts
  }

  /** What stays the same when a file is moved over another: entity tag, time, our property. */
  async findVersions(): Promise<Pick<Finding, 'versions' | 'keepsRecords'>> {
    const { server } = this.#parts
    const [from, to] = [this.#path('from'), this.#path('to')]
    await this.#put(to, 'older')
    const keepsOlder = await this.#setRecord(to, 'older')
    await this.#put(from, 'newer')
    const plain = await this.#stat(from)
    const keepsNewer = await this.#setRecord(from, 'newer')
    const written = await this.#stat(from)
    const answer = await server.transfer('MOVE', { from, to }, { overwrite: true })
    const moved = await server.stat(to)
    const isMoved = created.includes(answer.status) && (await this.#read(to)) === 'newer'
    if (moved === undefined || !isMoved || (await server.stat(from)) !== undefined) {
      throw lacking('move a file over another (MOVE with Overwrite: T)', answer.status)
    }
    const versions = (['etag', 'time'] as const).find((by) => isKept(by, [plain, written, moved]))
    if (versions === undefined) throw lacking("keep a file's time when it is moved", answer.status)
    const keepsRecords = keepsOlder && keepsNewer && moved.record === 'newer'
    return { versions, keepsRecords }
  }

  /** Nothing is to be lost to a file that comes back to where there is another by now. */
  async requireKeptFiles(): Promise<void> {
    const [from, to] = [this.#path('second'), this.#path('first')]
    await this.#put(from, 'second')
    await this.#put(to, 'first')
    const answer = await this.#parts.server.transfer('MOVE', { from, to }, { overwrite: false })
    const isKept = (await this.#read(to)) === 'first' && (await this.#read(from)) === 'second'
    if (created.includes(answer.status) || !isKept) {
      throw lacking('leave a file where it is (MOVE with Overwrite: F)', answer.status)
    }
  }

  /** Empty folders are moved away, and back when something has come into them. */
  async requireMovedFolders(): Promise<void> {
    const { server } = this.#parts
    const [from, to, away] = [this.#path('folder 2'), this.#path('folder 1'), this.#path('away')]
    for (const folder of [from, to]) {
      await server.makeFolder(folder)
      await this.#put([...folder, 'in it'], folder.join())
    }
    const refused = await server.moveFolder(from, to)
    const isKept =
      (await this.#read([...to, 'in it'])) === to.join() &&
      (await this.#read([...from, 'in it'])) === from.join()
    if (created.includes(refused.status) || !isKept) {
      throw lacking('leave a folder where it is (MOVE with Overwrite: F)', refused.status)
    }
    const moved = await server.moveFolder(from, away)
    const isThere = (await this.#read([...away, 'in it'])) === from.join()
    if (!created.includes(moved.status) || !isThere || (await server.stat(from)) !== undefined) {
      throw lacking('move a folder with what is in it (MOVE)', moved.status)
    }
  }

  /** PUT with Content-Range (RFC 9110 section 14.5 lets a server do anything with it). */
  async writesRanges(): Promise<boolean> {
    const path = this.#path('ranges')
    await this.#put(path, '')
    const isWritten =
      (await this.#putRange(path, 'aaaa', 0)) &&
      (await this.#putRange(path, 'bbbb', 4)) &&
      (await this.#putRange(path, 'cc', 2))
    if (!isWritten || (await this.#read(path)) !== 'aaccbbbb') return false
    // One that breaks off may leave what has come of it, and must leave everything else.
    await this.#breakOff(path, 8)
    return (await this.#read(path)).startsWith('aaccbbbb')
  }

  async copies(): Promise<boolean> {
    const [from, to] = [this.#path('copied'), this.#path('copy')]
    await this.#put(from, 'copied')
    const answer = await this.#parts.server.transfer('COPY', { from, to }, { overwrite: false })
    return created.includes(answer.status) && (await this.#read(to)) === 'copied'
  }

  /**
   * Nextcloud's chunked upload, version 2: a folder of chunks beside the user's files, from which
   * MOVE of `.file` makes a file.
   */
  async findChunkRoot(): Promise<DavPath | undefined> {
    const { root, folder } = this.#parts
    const at = root.findIndex((name, index) => name === 'dav' && root[index + 1] === 'files')
    const [user] = root.slice(at + 2)
    if (at < 0 || user === undefined) return undefined
    const chunkRoot = [...root.slice(0, at + 1), 'uploads', user]
    const server = this.#parts.server.atOrigin()
    const upload = [...chunkRoot, `stowage-${folder.at(-1)}`]
    const target = [...root, ...this.#path('assembled')]
    const headers = { destination: server.urlOf(target) }
    try {
      if (!(await server.makeFolder(upload, headers))) return undefined
      const body = Buffer.from('chunk')
      const put = await server.put([...upload, '00001'], { body, headers })
      if (!created.includes(put.status)) return undefined
      const paths = { from: [...upload, '.file'], to: target }
      const answer = await server.transfer('MOVE', paths, { overwrite: false })
      if (!created.includes(answer.status)) return undefined
      return (await this.#read(this.#path('assembled'))) === 'chunk' ? chunkRoot : undefined
    } catch (error) {
      if (error instanceof DriveError && error.kind === 'denied') return undefined
      throw error
    } finally {
      await server.removeFolder(upload).catch(() => undefined)
    }
  }

  /** RFC 4331. */
  async tellsQuota(): Promise<boolean> {
    const entry = await this.#parts.server.statFolder([])
    return entry?.freeBytes !== undefined && entry.freeBytes >= 0
  }

  #path(name: string): DavPath {
    return [...this.#parts.folder, name]
  }

  async #put(path: DavPath, text: string): Promise<void> {
    const answer = await this.#parts.server.put(path, { body: Buffer.from(text) })
    if (!created.includes(answer.status)) throw statusError('PUT', answer)
  }

  async #putRange(path: DavPath, text: string, offset: number): Promise<boolean> {
    const headers = { 'content-range': `bytes ${offset}-${offset + text.length - 1}/*` }
    const answer = await this.#parts.server.put(path, { body: Buffer.from(text), headers })
    return created.includes(answer.status)
  }

  async #breakOff(path: DavPath, offset: number): Promise<void> {
    const body = Readable.from(bytesThatBreakOff(), { objectMode: false })
    const headers = {
      'content-range': `bytes ${offset}-${offset + 999}/*`,
      'content-length': '1000',
    }
    await this.#parts.server.put(path, { body, headers }).catch(() => undefined)
  }

  async #read(path: DavPath): Promise<string> {
    const response = await this.#parts.server.get(path, {})
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  async #stat(path: DavPath): Promise<DavEntry> {
    const entry = await this.#parts.server.stat(path, { asksForMd5: true })
    // So that it is known from the start whether the server tells MD5s.
    this.#parts.server.arrivals.check(entry?.md5, undefined)
    if (entry === undefined) throw lacking('show a file that was just written', 404)
    return entry
  }

  async #setRecord(path: DavPath, text: string): Promise<boolean> {
    const { server } = this.#parts
    try {
      return (await server.setRecord(path, text)) && (await server.stat(path))?.record === text
    } catch (error) {
      if (error instanceof DriveError && error.kind !== 'unavailable') return false
      throw error
    }
  }
}

/** Whether all of them are one version, and tell so in this way. */
function isKept(by: DavAbilities['versions'], entries: readonly DavEntry[]): boolean {
  if (by === 'etag' && entries.some(({ etag }) => etag === undefined)) return false
  return new Set(entries.map((entry) => versionOf(entry, by))).size === 1
}

async function* bytesThatBreakOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('dddd')
  throw new DriveError('changed', 'broken off to see what becomes of it')
}

function lacking(what: string, status: number): DriveError {
  const message = `The WebDAV server does not ${what}; it answered ${status}. Stowage needs that.`
  return new DriveError('denied', message)
}
