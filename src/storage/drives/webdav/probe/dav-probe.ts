import { Readable } from 'node:stream'
import { DriveError } from '../../drive-error.ts'
import type { NameRules } from '../../kit/names/name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { DavEntry } from '../client/multistatus.ts'
import { versionOf } from '../objects/attribute-store.ts'
import { readSmallFile } from '../objects/own-files.ts'
import type { DavAbilities } from './dav-abilities.ts'

export interface ProbeParts {
  /** The drive's root, names below the origin. */
  readonly root: DavPath
  /** The root at the first contact; undefined when it did not exist yet. */
  readonly rootEntry: DavEntry | undefined
  readonly server: DavServer
  /** A folder for the probe only; the caller creates and removes it. */
  readonly folder: DavPath
}

interface FileFindings extends Pick<DavAbilities, 'versions' | 'keepsRecords' | 'copies'> {
  /** Whether PUT with Content-Range appended to a file. */
  readonly appends: boolean
}

const created = [200, 201, 204]

/** Larger than any file of the probe. */
const maxProbeBytes = 1_024

/**
 * Tests in a separate folder every operation that is later used on users' files. Each file has a unique
 * size, so that one listing shows the state of all of them, because every request delays the start.
 *
 * @throws DriveError `denied` when the server lacks what a drive requires
 */
export async function probeServer(parts: ProbeParts, rules: NameRules): Promise<DavAbilities> {
  const probe = new Probe(parts)
  await probe.requireNoFoldersByPut()
  await probe.requireMovedFolders()
  const chunkRoot = await probe.findChunkRoot()
  // A server with chunked uploads is not used for appending.
  const { appends, ...files } = await probe.probeFiles({ mayAppend: chunkRoot === undefined })
  return {
    rules,
    ...files,
    chunkRoot,
    writesRanges: appends && (await probe.writesRanges()),
    reportsQuota: await probe.reportsQuota(),
    reportsMd5: parts.server.arrivals.areReported,
  }
}

/** The contents of the probe's files, all of different sizes. */
const texts = { older: '1', newer: '22', first: '333', second: '4444', inTo: '5', inFrom: '66' }

/** Sent with Content-Range, to be appended to `first`. */
const appended = 'bb'

const movesFolders = 'move a folder with its contents (MOVE)'

class Probe {
  readonly #parts: ProbeParts

  constructor(parts: ProbeParts) {
    this.#parts = parts
  }

  /**
   * Tests what survives when a file is moved over another (entity tag, time, our property), and that
   * `Overwrite: F` prevents such a MOVE.
   *
   * @param mayAppend whether to try PUT with Content-Range at the end of a file
   */
  async probeFiles({ mayAppend }: { readonly mayAppend: boolean }): Promise<FileFindings> {
    const { server } = this.#parts
    const [from, to] = [this.#path('from'), this.#path('to')]
    const [first, second] = [this.#path('first'), this.#path('second')]
    await this.#put(to, texts.older)
    await this.#put(from, texts.newer)
    await this.#put(first, texts.first)
    await this.#put(second, texts.second)
    if (mayAppend) await this.#putRange(first, appended, texts.first.length)
    const plain = await this.#stat(from)
    const isSet = (await this.#setRecord(to, 'older')) && (await this.#setRecord(from, 'newer'))
    const written = isSet ? await this.#stat(from) : plain
    const over = await server.transfer('MOVE', { from, to }, { overwrite: true })
    const paths = { from: second, to: first }
    const refused = await server.transfer('MOVE', paths, { overwrite: false })
    const copied = { from: first, to: this.#path('copy') }
    const copy = await server.transfer('COPY', copied, { overwrite: false })
    const seen = await this.#listed(this.#parts.folder)
    const moved = seen.get('to')
    const isMoved = created.includes(over.status) && moved?.size === texts.newer.length
    if (!isMoved || seen.has('from')) {
      throw lacking('move a file over another (MOVE with Overwrite: T)', over.status)
    }
    if (seen.has('folder 2')) throw lacking(movesFolders, 201)
    const size = seen.get('first')?.size
    const appends = size === texts.first.length + appended.length
    // A server that ignores Content-Range has replaced the file with the two bytes.
    const isFirst = appends || size === texts.first.length || size === appended.length
    const isKept = isFirst && hasSize(seen, 'second')
    if (created.includes(refused.status) || !isKept) {
      throw lacking('leave a file where it is (MOVE with Overwrite: F)', refused.status)
    }
    const entries = [plain, written, moved]
    const versions = (['etag', 'time'] as const).find((by) => isOneVersion(by, entries))
    if (versions === undefined) throw lacking("keep a file's time when it is moved", over.status)
    const copies = created.includes(copy.status) && seen.get('copy')?.size === size
    return { versions, keepsRecords: isSet && moved.record === 'newer', copies, appends }
  }

  /**
   * PUT must not create missing parent folders (RFC 4918 section 9.7.1), or files would end up in the
   * empty mount point of a disk that is not mounted.
   */
  async requireNoFoldersByPut(): Promise<void> {
    const body = Buffer.from('orphan')
    const { status } = await this.#parts.server.put([...this.#path('absent'), 'orphan'], { body })
    if (!created.includes(status)) return
    const message = 'The WebDAV server creates missing parent folders on PUT.'
    const risk = 'If its disk is not mounted, objects would be stored in the wrong place.'
    const advice = 'Turn that off (nginx: create_full_put_path off), or use another server.'
    throw new DriveError('denied', `${message} ${risk} ${advice}`)
  }

  /**
   * Empty folders are moved aside, and back if something was added to them. `probeFiles` checks that a
   * moved folder leaves its path.
   */
  async requireMovedFolders(): Promise<void> {
    const { server } = this.#parts
    const [from, to, away] = [this.#path('folder 2'), this.#path('folder 1'), this.#path('away')]
    await server.makeFolder(from)
    await server.makeFolder(to)
    await this.#put([...from, 'inFrom'], texts.inFrom)
    await this.#put([...to, 'inTo'], texts.inTo)
    const refused = await server.moveFolder(from, to)
    const moved = await server.moveFolder(from, away)
    const isKept = hasSize(await this.#listed(to), 'inTo')
    const isThere = hasSize(await this.#listed(away), 'inFrom')
    if (created.includes(refused.status) || !isKept) {
      throw lacking('leave a folder where it is (MOVE with Overwrite: F)', refused.status)
    }
    if (!created.includes(moved.status) || !isThere) throw lacking(movesFolders, moved.status)
  }

  /**
   * Tests PUT with Content-Range in a file to which `probeFiles` appended. RFC 9110 section 14.5 does not
   * define its effect. The PUT that breaks off is not sent to a server that ignores the header: rclone
   * stores its bytes after the folder of the probe was removed.
   */
  async writesRanges(): Promise<boolean> {
    const path = this.#path('first')
    if (!(await this.#putRange(path, 'a', 1))) return false
    // A PUT that breaks off may store the bytes that arrived, and must keep all others.
    await this.#breakOff(path, texts.first.length + appended.length)
    return (await this.#read(path)).startsWith('3a3bb')
  }

  /**
   * Tests Nextcloud's chunked upload, version 2: a folder of chunks beside the user's files, which a
   * MOVE of its `.file` assembles.
   */
  async findChunkRoot(): Promise<DavPath | undefined> {
    const { root, folder } = this.#parts
    const at = root.findIndex((name, index) => name === 'dav' && root[index + 1] === 'files')
    const [user] = root.slice(at + 2)
    if (at < 0 || user === undefined) return undefined
    const chunkRoot = [...root.slice(0, at + 1), 'uploads', user]
    const server = this.#parts.server.atOrigin()
    const upload = [...chunkRoot, `bucketry-${folder.at(-1)}`]
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
  async reportsQuota(): Promise<boolean> {
    const { server, rootEntry } = this.#parts
    const entry = rootEntry ?? (await server.statFolder([]))
    return entry?.freeBytes !== undefined && entry.freeBytes >= 0
  }

  #path(name: string): DavPath {
    return [...this.#parts.folder, name]
  }

  async #put(path: DavPath, text: string): Promise<void> {
    await this.#parts.server.store(path, Buffer.from(text))
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
    const bytes = await readSmallFile(this.#parts.server, path, maxProbeBytes)
    return bytes?.toString() ?? ''
  }

  async #stat(path: DavPath): Promise<DavEntry> {
    const entry = await this.#parts.server.stat(path, { asksForMd5: true })
    // Finds out early whether the server reports MD5s.
    this.#parts.server.arrivals.check(entry?.md5, undefined)
    if (entry === undefined) throw lacking('show a file that was just written', 404)
    return entry
  }

  /** A folder's entries by name; empty when it does not exist. */
  async #listed(path: DavPath): Promise<ReadonlyMap<string, DavEntry>> {
    const listed = await this.#parts.server.list(path)
    return new Map(listed?.children.map((child) => [child.name, child]))
  }

  async #setRecord(path: DavPath, text: string): Promise<boolean> {
    try {
      return await this.#parts.server.setRecord(path, text)
    } catch (error) {
      if (error instanceof DriveError && error.kind !== 'unavailable') return false
      throw error
    }
  }
}

function hasSize(seen: ReadonlyMap<string, DavEntry>, name: keyof typeof texts): boolean {
  return seen.get(name)?.size === texts[name].length
}

/** Whether all entries have the same version, identified in this way. */
function isOneVersion(by: DavAbilities['versions'], entries: readonly DavEntry[]): boolean {
  if (by === 'etag' && entries.some(({ etag }) => etag === undefined)) return false
  return new Set(entries.map((entry) => versionOf(entry, by))).size === 1
}

async function* bytesThatBreakOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('dddd')
  throw new DriveError('changed', 'aborted to see what the server keeps')
}

function lacking(what: string, status: number): DriveError {
  const message = `The WebDAV server does not ${what}; it answered ${status}. Bucketry requires this.`
  return new DriveError('denied', message)
}
