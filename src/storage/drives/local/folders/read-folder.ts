import fs, { type Dirent, type Stats } from 'node:fs'
import { decodeName, type NameContext } from '../../kit/names/key-path.ts'
import { isAbsent } from '../fs-error.ts'
import { folderOpenFlags } from '../objects/paced-files.ts'
import { NamePacker, nameFlags, type PackedNames } from './folder-index.ts'

/** Entries in one read from the system. */
const batchSize = 64
/** Entries in one step, which takes some 0.7 ms, and twice that in a new process. */
const stepEntries = 1_000
const replacementCharacter = '\ufffd'

/** The parts of a folder's status that change when names are added or removed. */
export interface FolderStamp {
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** A folder of cut names. Its content is listed as part of the folder that was read. */
export interface InnerFolder {
  /** Below the folder that was read. */
  readonly path: string
  readonly stamp: FolderStamp
}

export interface FolderContents {
  readonly names: PackedNames
  readonly inner: readonly InnerFolder[]
}

export interface FolderReadRequest {
  /** A path to the folder; with `descriptors`, `/proc/PID/fd/N`. */
  readonly path: string
  readonly descriptors: string | undefined
  /** Whether it is in the version store: a folder at an alternative path then is that of an object. */
  readonly isStore: boolean
  /**
   * How often to read the folder. A name that is renamed meanwhile may be missed (readdir(3p)). The result contains the
   * names of all readings.
   */
  readonly times: number
}

/**
 * Reads a folder's names synchronously, for a thread. Returns only files and folders; symbolic links, devices and names
 * that are not UTF-8 cannot be keys.
 */
export function readFolder(request: FolderReadRequest): FolderContents {
  const steps = readInSteps(request, Number.POSITIVE_INFINITY)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value as FolderContents
  }
}

/**
 * As `readFolder`, in steps of about a millisecond and one step for sorting. Returns undefined if there are more entries
 * than `limit`. End it with `return` if you do not take all steps.
 */
export function* readInSteps(
  request: FolderReadRequest,
  limit: number,
): Generator<undefined, FolderContents | undefined> {
  const packer = new NamePacker()
  const inner: InnerFolder[] = []
  for (let time = 0; time < request.times; time++) {
    // The last reading shows which inner folders exist.
    inner.length = 0
    const budget = { left: limit }
    yield* readInto({ request, packer, inner, budget, below: '', continued: undefined })
    if (budget.left < 0) return undefined
  }
  return { names: packer.pack(), inner }
}

interface Reading {
  readonly request: FolderReadRequest
  readonly packer: NamePacker
  readonly inner: InnerFolder[]
  /** Entries that may still be read, including inner folders; negative if there were more. */
  readonly budget: { left: number }
  /** The path from the requested folder to this one. */
  readonly below: string
  readonly continued: string | undefined
}

function* readInto(reading: Reading): Generator<undefined, void> {
  const { budget } = reading
  const folder = fs.opendirSync(reading.request.path, { bufferSize: batchSize })
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (--budget.left < 0) return
      const inside = addEntry(reading, entry)
      if (inside !== undefined) yield* readInner(reading, entry.name, inside)
      if (budget.left % stepEntries === 0) yield
    }
  } finally {
    folder.closeSync()
  }
}

/** If the entry is a folder of cut names, returns the text that the names in it continue. */
function addEntry(reading: Reading, entry: Dirent): string | undefined {
  const { name } = entry
  const type = name.includes(replacementCharacter) ? statsOf(reading, name) : entry
  const isFile = type?.isFile() === true
  if (!isFile && !type?.isDirectory()) return undefined
  const { continued } = reading
  if (continued === undefined && !name.includes('%')) {
    // Like nearly all names, it is neither escaped nor cut (key-path.ts).
    reading.packer.add(name, isFile ? 0 : nameFlags.folder)
    return undefined
  }
  const found = continued === undefined ? { isFile } : { isFile, continued }
  const decoded = decodeFound(name, found, reading.request)
  if (decoded === undefined) return undefined
  if (decoded.kind === 'continuation') return decoded.continued
  const { segment, isAlternative } = decoded
  const flags =
    (isFile || isAlternative ? 0 : nameFlags.folder) |
    (isAlternative ? nameFlags.alternative : 0) |
    (segment === name ? 0 : nameFlags.encoded)
  reading.packer.add(segment, flags)
  return undefined
}

function decodeFound(name: string, found: NameContext, { isStore }: FolderReadRequest) {
  const asFile = isStore ? decodeName(name, { ...found, isFile: true }) : undefined
  return decodeName(name, found) ?? asFile
}

function* readInner(reading: Reading, name: string, continued: string): Generator<undefined, void> {
  const { request, inner } = reading
  const below = reading.below === '' ? name : `${reading.below}/${name}`
  const fd = openFolder(`${request.path}/${name}`)
  if (fd === undefined) return
  try {
    const { ino, mtimeMs, ctimeMs } = fs.fstatSync(fd)
    inner.push({ path: below, stamp: { ino, mtimeMs, ctimeMs } })
    const { descriptors } = request
    const path = descriptors === undefined ? `${request.path}/${name}` : `${descriptors}${fd}`
    yield* readInto({ ...reading, request: { ...request, path }, below, continued })
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * The status of a name that contains U+FFFD. Undefined if the name on the disk has bytes in its place that are not UTF-8.
 */
function statsOf({ request }: Reading, name: string): Stats | undefined {
  try {
    return fs.lstatSync(`${request.path}/${name}`, { throwIfNoEntry: false })
  } catch (error) {
    // With three bytes for each one that is not UTF-8, the name may be too long.
    if (isAbsent(error)) return undefined
    throw error
  }
}

function openFolder(path: string): number | undefined {
  try {
    return fs.openSync(path, folderOpenFlags)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
