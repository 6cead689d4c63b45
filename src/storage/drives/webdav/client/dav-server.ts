import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../../../platform/process/back-off.ts'
import { DriveError } from '../../drive-error.ts'
import type { Reader } from '../../kit/cloud/read-limiter.ts'
import { Arrivals, askForMd5 } from './arrivals.ts'
import {
  type DavAnswer,
  type DavClient,
  type DavRequest,
  type DavResponse,
  drain,
} from './dav-client.ts'
import { StatusError } from './dav-error.ts'
import { type DavPath, folderTargetOf, targetOf } from './dav-path.ts'
import { type DavEntry, UnclearAnswer } from './multistatus.ts'
import {
  askForFile,
  askForFolder,
  askForNames,
  askForWritten,
  type DavChild,
  type DavFolder,
  entryIn,
  type FolderReading,
  readDavFolder,
  recordUpdate,
  redirectedFolder,
  xmlHeaders,
} from './propfind.ts'

/** Attempts at a request whose answer is unclear or incomplete, and the pauses between them. */
const attempts = 4
const backOff = { firstMs: 40, longestMs: 160 }

/** Statuses for a path below a file. */
const belowFileStatuses: ReadonlySet<number> = new Set([400, 403, 405, 409])
const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308])
const found = [200, 201, 204]

interface ListQuestion<Kept> extends FolderReading<Kept> {
  readonly body: Uint8Array
}

type Guarded = Pick<DavRequest, 'beforeAttempt'>

export interface TransferOptions extends Guarded {
  readonly overwrite: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface GetOptions {
  readonly signal?: AbortSignal
  readonly reader?: Reader | undefined
  /** Whether the body is small and read immediately. */
  readonly isShort?: boolean
}

export interface PutRequest {
  readonly body: Uint8Array | Readable
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Returns the MD5 of a stream that was sent; undefined when it is unknown. */
  readonly md5?: () => string | undefined
}

export interface StatOptions {
  /** Also requests ownCloud's checksums. */
  readonly asksForMd5?: boolean
}

/** The requests to a WebDAV server (RFC 4918), with paths below a folder of it. */
export class DavServer {
  readonly #client: DavClient
  readonly #origin: string
  readonly #root: DavPath
  readonly arrivals: Arrivals

  /** @param root names below the origin */
  constructor(
    client: DavClient,
    { origin, root }: { origin: string; root: DavPath },
    arrivals = new Arrivals(),
  ) {
    this.#client = client
    this.#origin = origin
    this.#root = root
    this.arrivals = arrivals
  }

  /** The same server, with paths below its origin. */
  atOrigin(): DavServer {
    return new DavServer(this.#client, { origin: this.#origin, root: [] }, this.arrivals)
  }

  /** The path from the server's root. */
  fullPath(path: DavPath): DavPath {
    return [...this.#root, ...path]
  }

  /** Without credentials. */
  urlOf(path: DavPath): string {
    return this.#origin + targetOf(this.#root, path)
  }

  /** The entry at the path; undefined when there is none. The entry of a folder has no details. */
  async stat(
    path: DavPath,
    { asksForMd5 = false }: StatOptions = {},
  ): Promise<DavEntry | undefined> {
    const question = asksForMd5 ? askForWritten : askForFile
    return await repeatWhile(isUnclear, () => this.#statOnce(path, question))
  }

  async #statOnce(path: DavPath, question: Uint8Array): Promise<DavEntry | undefined> {
    const answer = await this.#propfind(targetOf(this.#root, path), question)
    if (answer.status === 207) return entryIn(answer.text, 'size')
    if (answer.status === 404 || answer.status === 410) return undefined
    // Apache redirects requests for folders without a trailing slash.
    if (redirects.has(answer.status)) return redirectedFolder(this.fullPath(path), answer)
    if (belowFileStatuses.has(answer.status) && path.length > 1) {
      const parent = await this.#statOnce(path.slice(0, -1), question)
      if (parent?.isFolder !== true) return undefined
    }
    throw new StatusError('PROPFIND', answer)
  }

  /** A folder with its times and quota; undefined when there is none. */
  async statFolder(path: DavPath): Promise<DavEntry | undefined> {
    return await repeatWhile(isUnclear, () => this.#statFolderOnce(path))
  }

  async #statFolderOnce(path: DavPath): Promise<DavEntry | undefined> {
    const answer = await this.#propfind(folderTargetOf(this.#root, path), askForFolder)
    if (answer.status === 207) {
      const entry = entryIn(answer.text, 'kind')
      return entry?.isFolder === true ? entry : undefined
    }
    if (answer.status === 404 || answer.status === 410) return undefined
    if (
      belowFileStatuses.has(answer.status) &&
      (await this.#statOnce(path, askForFile))?.isFolder !== true
    ) {
      return undefined
    }
    throw new StatusError('PROPFIND', answer)
  }

  /** A folder and its children in any order; undefined when it does not exist. */
  list(path: DavPath): Promise<DavFolder | undefined> {
    return this.listAs(path, (child) => child)
  }

  /** As `list`, keeping only the result of `keep` for each child, which saves memory. */
  listAs<Kept>(
    path: DavPath,
    keep: (child: DavChild) => Kept,
  ): Promise<DavFolder<Kept> | undefined> {
    const limit = Number.POSITIVE_INFINITY
    return this.#list(path, { body: askForFile, demand: 'size', limit, keep })
  }

  /** At least `limit` names in a folder, if it has that many; undefined when it does not exist. */
  async someNames(path: DavPath, limit: number): Promise<readonly string[] | undefined> {
    const keep = ({ name }: DavChild) => name
    return (await this.#list(path, { body: askForNames, demand: 'kind', limit, keep }))?.children
  }

  async #list<Kept>(
    path: DavPath,
    question: ListQuestion<Kept>,
  ): Promise<DavFolder<Kept> | undefined> {
    // rclone breaks off its answer when a name is deleted while it reads the folder.
    return await repeatWhile(
      (error) => isUnclear(error) || (error instanceof DriveError && error.kind === 'unavailable'),
      () => this.#listOnce(path, question),
    )
  }

  async #listOnce<Kept>(
    path: DavPath,
    question: ListQuestion<Kept>,
  ): Promise<DavFolder<Kept> | undefined> {
    const response = await this.#client.send({
      method: 'PROPFIND',
      target: folderTargetOf(this.#root, path),
      headers: { ...xmlHeaders, depth: '1' },
      body: question.body,
      isRepeatable: true,
      isSlow: true,
    })
    if (response.status === 207) return await readDavFolder(response, question)
    await drain(response.body)
    if (response.status === 404 || response.status === 410) return undefined
    if (belowFileStatuses.has(response.status)) {
      if ((await this.#statOnce(path, askForFile))?.isFolder !== true) return undefined
      if (response.status === 405) throw hiddenFolder(path)
    }
    throw new StatusError('PROPFIND', response)
  }

  /** The caller must read or destroy the body. */
  async get(
    path: DavPath,
    headers: Readonly<Record<string, string>>,
    { signal, reader, isShort = false }: GetOptions = {},
  ): Promise<DavResponse> {
    return await this.#client.send({
      method: 'GET',
      target: targetOf(this.#root, path),
      headers,
      signal,
      reader,
      isRepeatable: true,
      limiter: isShort ? 'calls' : undefined,
    })
  }

  /**
   * Creates or overwrites a file. The caller checks the status.
   *
   * @throws DriveError `unavailable` when the server reports that it received other bytes.
   */
  async put(path: DavPath, { body, headers, signal, md5 }: PutRequest): Promise<DavAnswer> {
    const isWhole = headers?.['content-range'] === undefined
    const answer = await this.#client.ask({
      method: 'PUT',
      target: targetOf(this.#root, path),
      headers: {
        'content-type': 'application/octet-stream',
        ...(isWhole ? askForMd5 : {}),
        ...headers,
      },
      body,
      signal,
      isSlow: true,
      isRepeatable: body instanceof Uint8Array,
    })
    if (isWhole && answer.status < 300) {
      this.arrivals.checkAnswer(answer, body instanceof Uint8Array ? hash('md5', body) : md5?.())
    }
    return answer
  }

  /** Sends a MOVE or COPY of a file. The caller checks the status. */
  transfer(
    method: 'MOVE' | 'COPY',
    paths: { readonly from: DavPath; readonly to: DavPath },
    options: TransferOptions,
  ): Promise<DavAnswer> {
    return this.#client.ask({
      method,
      target: targetOf(this.#root, paths.from),
      headers: {
        destination: this.urlOf(paths.to),
        overwrite: options.overwrite ? 'T' : 'F',
        ...options.headers,
      },
      signal: options.signal,
      isSlow: true,
      beforeAttempt: options.beforeAttempt,
    })
  }

  /** Moves a file to a free path. @throws DriveError when it was not moved */
  async moveToFree(from: DavPath, to: DavPath): Promise<void> {
    const answer = await this.transfer('MOVE', { from, to }, { overwrite: false })
    if (answer.status !== 201 && answer.status !== 204) throw new StatusError('MOVE', answer)
  }

  /** As `put`. @throws DriveError when it was not stored */
  async store(path: DavPath, body: Uint8Array): Promise<void> {
    const answer = await this.put(path, { body })
    if (answer.status >= 300) throw new StatusError('PUT', answer)
  }

  /** Moves a folder with its content to a free path. */
  moveFolder(from: DavPath, to: DavPath, { beforeAttempt }: Guarded = {}): Promise<DavAnswer> {
    return this.#client.ask({
      method: 'MOVE',
      target: folderTargetOf(this.#root, from),
      headers: { destination: this.#origin + folderTargetOf(this.#root, to), overwrite: 'F' },
      isSlow: true,
      beforeAttempt,
    })
  }

  /** Creates a folder; false when something already exists there, or its parent does not. */
  async makeFolder(
    path: DavPath,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    const target = folderTargetOf(this.#root, path)
    const answer = await this.#client.ask({ method: 'MKCOL', target, headers, isRepeatable: true })
    if (found.includes(answer.status)) return true
    if ([400, 404, 405, 409].includes(answer.status) || redirects.has(answer.status)) return false
    throw new StatusError('MKCOL', answer)
  }

  /** Removes a file, but no folder if the server distinguishes them; false when there was none. */
  async removeFile(path: DavPath, guarded: Guarded = {}): Promise<boolean> {
    return await this.#remove(targetOf(this.#root, path), guarded)
  }

  /** Removes a folder with its content; false when there was none. */
  async removeFolder(path: DavPath): Promise<boolean> {
    // For long paths, Apache answers 207 when it could not remove the folders of its properties.
    return await repeatWhile(
      (error) => error instanceof DriveError,
      () => this.#remove(folderTargetOf(this.#root, path)),
    )
  }

  /** Sets our dead property (RFC 4918 section 9.2); false when the server does not keep it. */
  async setRecord(path: DavPath, json: string): Promise<boolean> {
    const answer = await this.#client.ask({
      method: 'PROPPATCH',
      target: targetOf(this.#root, path),
      headers: xmlHeaders,
      body: recordUpdate(json),
      isRepeatable: true,
    })
    if (answer.status === 200 || answer.status === 204) return true
    // Each property has its own status in a 207.
    return answer.status === 207 && entryIn(answer.text, 'nothing')?.record !== undefined
  }

  async #remove(target: string, { beforeAttempt }: Guarded = {}): Promise<boolean> {
    const request = { method: 'DELETE', target, isSlow: true, isRepeatable: true }
    const answer = await this.#client.ask({ ...request, beforeAttempt })
    if (found.includes(answer.status)) return true
    if (answer.status === 404 || answer.status === 410) return false
    throw new StatusError('DELETE', answer)
  }

  #propfind(target: string, body: Uint8Array): Promise<DavAnswer> {
    const headers = { ...xmlHeaders, depth: '0' }
    return this.#client.ask({ method: 'PROPFIND', target, headers, body, isRepeatable: true })
  }
}

/**
 * Apache reports no properties of a file that is deleted while it reads its dead properties. A path that
 * was below a file may be below a folder by the time the parent is asked.
 */
function isUnclear(error: unknown): boolean {
  if (error instanceof UnclearAnswer) return true
  return error instanceof StatusError && belowFileStatuses.has(error.status)
}

async function repeatWhile<Result>(
  isPassing: (error: unknown) => boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || attempt >= attempts) throw error
      await sleep(backOffMs(attempt, backOff, Math.random))
    }
  }
}

function hiddenFolder(path: DavPath): DriveError {
  const message =
    `The WebDAV server does not list the folder ${path.join('/')} (405), probably because of an ` +
    'index file in it: turn off directory indexes for it (Apache: DirectoryIndex disabled).'
  return new DriveError('denied', message)
}
