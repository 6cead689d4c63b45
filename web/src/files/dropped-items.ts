/** What is used of a FileSystemEntry (File and Directory Entries API). */
export interface DroppedEntry {
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly name: string
  file?(onFile: (file: File) => void, onError: (error: unknown) => void): void
  createReader?(): DroppedReader
}

export interface DroppedReader {
  readEntries(
    onEntries: (entries: readonly DroppedEntry[]) => void,
    onError: (error: unknown) => void,
  ): void
}

export interface DroppedItem {
  /** With the folders that it was dropped in: `trip/day 1/a.jpg`. Of a folder: ends in a slash. */
  readonly path: string
  /** Undefined: an empty folder. */
  readonly file: File | undefined
}

export interface DroppedTree {
  readonly items: readonly DroppedItem[]
  /** What could not be read. */
  readonly unreadable: readonly string[]
}

export interface DropProgress {
  readonly signal: AbortSignal
  readonly onFound: (count: number) => void
}

/** Everything in what was dropped. @throws the signal's reason when it is stopped. */
export async function readDropped(
  entries: readonly DroppedEntry[],
  { signal, onFound }: DropProgress,
): Promise<DroppedTree> {
  const items: DroppedItem[] = []
  const unreadable: string[] = []
  const open = entries.map((entry) => ({ entry, path: entry.name })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    signal.throwIfAborted()
    const { entry, path } = next
    try {
      if (entry.isFile) items.push({ path, file: await fileOf(entry) })
      if (!entry.isDirectory) continue
      const children = await childrenOf(entry, signal)
      if (children.length === 0) items.push({ path: `${path}/`, file: undefined })
      for (const child of children.toReversed()) {
        open.push({ entry: child, path: `${path}/${child.name}` })
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Error)) throw error
      unreadable.push(path)
    } finally {
      onFound(items.length)
    }
  }
  return { items, unreadable }
}

function fileOf(entry: DroppedEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file?.(resolve, reject))
}

/** readEntries gives a part, 100 in Chromium, and is to be asked until it gives none. */
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
