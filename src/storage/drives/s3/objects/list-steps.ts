/** One listing of the store. */
export interface ListStep {
  readonly prefix: string
  /** Only keys after this one. */
  readonly after: string
  /** Whether only the key that is the prefix is wanted. */
  readonly isKey?: boolean
}

/** Whether `after` is in a folder below the prefix. */
export function isInFolder(prefix: string, after: string): boolean {
  return after.startsWith(prefix) && after.includes('/', prefix.length)
}

/**
 * What lists the keys after one in a folder, without asking for keys after one in a folder: the rest of that folder, then
 * what is behind it in the folder around it, and so on. MinIO leaves out keys otherwise: objects whose names begin like
 * the folder's count for its page, although they come before.
 *
 * @param after in a folder below the prefix
 * @param delimiter with `/`, only what is behind the folder below the prefix: all in that folder is one entry
 */
export function stepsAfter(prefix: string, after: string, delimiter?: '/'): ListStep[] {
  const isOneEntry = delimiter !== undefined
  const slash = isOneEntry ? after.indexOf('/', prefix.length) : after.lastIndexOf('/')
  let folder = after.slice(0, slash + 1)
  const steps: ListStep[] = isOneEntry ? [] : [{ prefix: folder, after }]
  while (folder.length > prefix.length) {
    // Behind all keys in the folder, and not in it: the character after `/`.
    const beyond = `${folder.slice(0, -1)}0`
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
    const around = folder.length > prefix.length ? folder : prefix
    steps.push({ prefix: beyond, after: '', isKey: true }, { prefix: around, after: beyond })
  }
  return steps
}
