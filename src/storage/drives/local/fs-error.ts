import { DriveError, type DriveErrorKind } from '../drive-error.ts'

/** What the system's error codes (errno(3)) mean to the callers of a drive. */
const kinds: Readonly<Record<string, DriveErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  // A file larger than the file system takes, such as 4 GiB on FAT.
  EFBIG: 'full',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  // The bucket's folder, or a folder in it, was moved to another file system after the start.
  EXDEV: 'denied',
  ENAMETOOLONG: 'key-too-long',
  EINVAL: 'invalid-key',
  EILSEQ: 'invalid-key',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  EAGAIN: 'busy',
  EMFILE: 'busy',
  ENFILE: 'busy',
  ENOMEM: 'busy',
}

const advice: Readonly<Record<DriveErrorKind, string>> = {
  condition: 'A condition did not hold.',
  'not-found': 'It does not exist.',
  changed: 'It changed in the meantime.',
  'no-bucket': 'The bucket was removed.',
  'not-empty': 'It is not empty.',
  'upload-gone': 'Start a new upload.',
  locked: 'The version is locked.',
  denied: "Permission denied; check the drive's permissions.",
  full: 'There is no space left on the drive. Free some, then try again.',
  'key-too-long': 'The path would exceed the system limit.',
  'invalid-key': 'The file system does not accept this name.',
  'not-implemented': 'The drive cannot do this.',
  'part-too-small': 'The part is too small.',
  unsupported: 'The drive cannot do this.',
  busy: 'The system is busy; try again.',
  unavailable: 'The drive is not responding; check that it is mounted and healthy.',
}

/** Error codes of a look-up that finds nothing at a path. */
const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ'])

/** The system's code of an error, such as `ENOENT`; the empty string if it has none. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? ''
}

/** Whether a look-up failed because no file has the name (or can have it). */
export function isAbsent(error: unknown): boolean {
  return absentCodes.has(codeOf(error))
}

/** The result of a look-up; undefined when no file has the name (or can have it). */
export async function unlessAbsent<T>(lookUp: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await lookUp()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Whether link(2) failed because the file system has no hard links, or no more for this file. */
export function cannotLink(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))
}

/**
 * The DriveError for an error of a system call. DriveErrors and errors without a system code (bugs)
 * are returned unchanged.
 * @param doing user-facing, in the form `write a/b`
 */
export function fsDriveError(error: unknown, doing: string): unknown {
  const code = codeOf(error)
  if (error instanceof DriveError || !/^E[A-Z0-9]+$/.test(code)) return error
  const kind = kinds[code] ?? 'unavailable'
  return new DriveError(kind, `Could not ${doing} (${code}). ${advice[kind]}`, { cause: error })
}

/** Runs `work`, and converts errors of system calls to DriveErrors. */
export async function withDriveErrors<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fsDriveError(error, doing)
  }
}
