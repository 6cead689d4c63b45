import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import {
  type BackupHeader,
  type BackupLine,
  backupFormat,
} from '../../../platform/state/backup/backup-lines.ts'
import { DatabaseError } from '../../../platform/state/database.ts'
import { syncFolderAt } from '../../../storage/drives/local/folders/open-folder.ts'

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Writes lines to a compressed file that only its owner can read. The file appears complete and
 * durable, or not at all; an earlier backup is replaced. A signal that ends the process leaves no file.
 *
 * @throws DatabaseError when the file can't be written, or exists and is not a backup; any error of `lines`.
 */
export async function writeBackupFile(
  path: string,
  lines: AsyncIterable<BackupLine>,
): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`
  await assertReplaceable(path)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  // After that, another signal ends the process at once.
  for (const signal of endSignals) process.once(signal, interrupt)
  try {
    const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    const { signal } = interruption
    await pipeline(Readable.from(textOf(lines)), createGzip(), output, { signal })
    await rename(draft, path)
    await syncFolderAt(await realpath(dirname(path)))
  } catch (error) {
    await rm(draft, { force: true })
    if (interruption.signal.aborted) {
      throw new DatabaseError(`The backup was interrupted; ${path} was not written`)
    }
    throw fileError(error, `${path} can't be written`)
  } finally {
    for (const signal of endSignals) process.off(signal, interrupt)
  }
}

/** In other programs, this argument names the file to back up: the database itself must not be replaced. */
async function assertReplaceable(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined || (existing.isFile() && existing.size === 0)) return
  // Opening a pipe would block until it has a writer.
  const isBackup = existing.isFile() && (await isBackupFile(path))
  if (!isBackup) {
    throw new DatabaseError(`${path} exists and is not a backup of Bucketry: choose another file`)
  }
}

async function isBackupFile(path: string): Promise<boolean> {
  try {
    const { close } = await openBackupFile(path)
    close()
    return true
  } catch {
    return false
  }
}

/** Characters per chunk: gzip starts a separate task for each chunk. */
const pieceCharacters = 64 * 1024

async function* textOf(lines: AsyncIterable<BackupLine>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  yield piece
}

export interface OpenBackup {
  readonly header: BackupHeader
  /** The other lines, which can be read only once. */
  readonly lines: AsyncIterable<BackupLine>
  close(): void
}

/** @throws DatabaseError when the file can't be read, is damaged or is not a backup. */
export async function openBackupFile(path: string): Promise<OpenBackup> {
  // Opened first, so that a missing file is reported at once.
  const handle = await open(path).catch((error: unknown) => {
    throw fileError(error, `${path} can't be read`)
  })
  const input = createReadStream(path, { fd: handle })
  const lines = linesOf(input.pipe(createGunzip()), input, path)
  const close = () => void input.destroy()
  try {
    const { value: header } = await lines.next()
    return { header: checkedHeader(header, path), lines, close }
  } catch (error) {
    close()
    throw error
  }
}

function checkedHeader(header: BackupLine | undefined, path: string): BackupHeader {
  if (!isHeader(header)) throw new DatabaseError(`${path} is not a backup of Bucketry`)
  if (header.format === backupFormat) return header
  throw new DatabaseError(
    `${path} was written by version ${header.version} in another format: restore it with that version`,
  )
}

async function* linesOf(
  text: Readable,
  input: Readable,
  path: string,
): AsyncGenerator<BackupLine, undefined> {
  input.on('error', (error) => text.destroy(error))
  text.setEncoding('utf8')
  let rest = ''
  try {
    for await (const piece of text) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as BackupLine
    }
  } catch (cause) {
    throw new DatabaseError(`${path} is damaged, or is not a backup of Bucketry`, { cause })
  }
  return undefined
}

function isHeader(line: BackupLine | undefined): line is BackupHeader {
  // The JSON may also be null.
  return line instanceof Object && 'backup' in line && line.backup === 'bucketry'
}

function fileError(error: unknown, what: string): unknown {
  if (error instanceof DatabaseError) return error
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? error : new DatabaseError(`${what} (${code})`, { cause: error })
}
