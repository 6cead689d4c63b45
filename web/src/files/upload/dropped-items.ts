import { compareKeys } from '../../../../src/platform/text/key-order.ts'

/** The part of FileSystemEntry that is used (File and Directory Entries API). */
export interface DroppedEntry {
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly name: string
  file?(onFile: (file: File) => void, onError: (error: unknown) => void): void
  createReader?(): DroppedReader
}

interface DroppedReader {
  readEntries(
    onEntries: (entries: readonly DroppedEntry[]) => void,
    onError: (error: unknown) => void,
  ): void
}

export interface DroppedItem {
  /** Includes the dropped folders: `trip/day 1/a.jpg`. Ends in a slash for a folder. */
  readonly path: string
  /** Undefined for an empty folder. */
  readonly file: File | undefined
}

interface DroppedTree {
  readonly items: readonly DroppedItem[]
  /** What could not be read. */
  readonly unreadable: readonly string[]
}

export interface DropProgress {
  readonly signal: AbortSignal
  readonly onFound: (count: number) => void
}

/** Files requested from the browser at a time. More would make one long task of the page. */
const batchSize = 50

/**
 * Lists everything that was dropped, folder by folder and in listing order.
 *
 * @throws the signal's reason when it aborts.
 */
export async function readDropped(
  entries: readonly DroppedEntry[],
  { signal, onFound }: DropProgress,
): Promise<DroppedTree> {
  const items: DroppedItem[] = []
  const unreadable: string[] = []
  const open = [{ folder: '', children: () => Promise.resolve([...entries]) }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder } = next
    try {
      const children = (await next.children()).sort(byName)
      const isEmpty = children.length === 0 && folder !== ''
      if (isEmpty) items.push({ path: folder, file: undefined })
      const files = await readFiles(
        children.filter(({ isFile }) => isFile),
        signal,
      )
      for (const { name, file } of files) {
        if (file === undefined) unreadable.push(folder + name)
        else items.push({ path: folder + name, file })
      }
      const folders = children.filter(({ isDirectory }) => isDirectory)
      for (const entry of folders.reverse()) {
        const children = () => childrenOf(entry, signal)
        open.push({ folder: `${folder}${entry.name}/`, children })
      }
    } catch {
      // Deleted, or not readable.
      signal.throwIfAborted()
      unreadable.push(folder)
    }
    onFound(items.length)
  }
  return { items, unreadable }
}

interface ReadFile {
  readonly name: string
  /** Undefined if not readable. */
  readonly file: File | undefined
}

async function readFiles(
  entries: readonly DroppedEntry[],
  signal: AbortSignal,
): Promise<readonly ReadFile[]> {
  const files: ReadFile[] = []
  for (let start = 0; start < entries.length; start += batchSize) {
    signal.throwIfAborted()
    const batch = entries.slice(start, start + batchSize).map(async (entry) => ({
      name: entry.name,
      file: await fileOf(entry).catch(() => undefined),
    }))
    files.push(...(await Promise.all(batch)))
  }
  return files
}

function byName(a: DroppedEntry, b: DroppedEntry): number {
  return compareKeys(a.name, b.name)
}

function fileOf(entry: DroppedEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file?.(resolve, reject))
}

/** readEntries returns a batch, 100 in Chromium, and must be called until it returns none. */
async function childrenOf(entry: DroppedEntry, signal: AbortSignal): Promise<DroppedEntry[]> {
  const reader = entry.createReader?.()
  const children: DroppedEntry[] = []
  while (reader !== undefined) {
    signal.throwIfAborted()
    const batch = await new Promise<readonly DroppedEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) break
    children.push(...batch)
  }
  return children
}
