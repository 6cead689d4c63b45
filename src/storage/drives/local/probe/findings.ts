import type { Unseen } from './shared-folder.ts'

/** The inode and modification time of a file that one of several calls returned. */
export interface FileLook {
  readonly ino: number
  readonly mtimeMs: number
}

/**
 * What a file system did in a folder of the drive. A code is that of the error of a call (errno(3)); undefined
 * when the call succeeded.
 */
export interface Observations {
  /** The error of a rename over a file that is not open. */
  readonly replace: string | undefined
  /** The error of a rename over a file that a reader has open. */
  readonly replaceOpen: string | undefined
  /** What a reader found at the path, instead of a complete file, while the file was replaced repeatedly. */
  readonly gap: string | undefined
  /** Whether a reader with the replaced file open read its bytes. */
  readonly keepsOpenFile: boolean
  readonly link: string | undefined
  /** Whether a link, or an exclusive creation, succeeded at the path of an existing file. */
  readonly createsTwice: boolean
  /** What one file looked like: while it was open for writing, by its path, opened again, after a rename, and opened after that. */
  readonly looks: readonly FileLook[]
  /** The error of an fsync of a folder. */
  readonly folderSync: string | undefined
}

type FindingCode =
  | 'rename-replaces'
  | 'rename-while-open'
  | 'rename-atomic'
  | 'open-files-stay'
  | 'hard-links'
  | 'exclusive-create'
  | 'stable-inodes'
  | 'stable-times'
  | 'folder-fsync'
  | 'coherent-caches'
  | 'same-identities'
  | 'untested'

/** A feature that a drive needs from its file system and that is missing. */
export interface Finding {
  /** What is missing. */
  readonly code: FindingCode
  /** Whether the drive works without it, though not as well: it is logged at `info`. */
  readonly isHarmless: boolean
  /** For people: what is missing, what that means and what to do. */
  readonly text: string
}

const otherFileSystem = 'Use a file system that supports this, see docs/fleet.md.'

/** Pure: what is missing according to the observations; empty for a healthy file system. */
export function findingsIn(seen: Observations): readonly Finding[] {
  return [...replacingFindings(seen), ...lockFindings(seen), ...fileFindings(seen)]
}

/** For an error that does not show what the file system can do. */
export function untested(code: string): Finding {
  return problem(
    'untested',
    `The file system could not be tested (${code}). If it lacks a required feature, objects may be lost or ` +
      'unreadable. Check that the drive is mounted and healthy and has free space, then restart.',
  )
}

/** The result of a test of two gateways in a folder that they share. */
interface SharedObservations {
  /** Changes of the other gateway that the asking gateway did not see immediately. */
  readonly unseen: ReadonlySet<Unseen>
  /** The identity of one file, as each of the two gateways sees it. */
  readonly identities: readonly string[]
}

const unseenTexts: Readonly<Record<Unseen, string>> = {
  creation: 'new files',
  replacement: 'replaced files',
  removal: 'removed files',
  listing: 'changed listings',
  folder: 'files in replaced folders',
}

/** Pure: what is missing according to a test of two gateways. */
export function sharedFindings({ unseen, identities }: SharedObservations): readonly Finding[] {
  const texts = [...unseen].map((what) => unseenTexts[what])
  return present(
    unseen.size > 0 &&
      problem(
        'coherent-caches',
        `Changes of another gateway are not visible at once: ${texts.join(', ')}. Clients that use several ` +
          'gateways can get 404, old objects and old listings, and two conflicting conditional writes can both ' +
          'succeed. Turn off caches of names and attributes with the mount options in docs/fleet.md.',
      ),
    new Set(identities).size > 1 &&
      problem(
        'same-identities',
        `Another gateway sees a different inode number or time for the same file (${identities.join(' and ')}). ` +
          'This gateway does not find the ETags, content types and metadata of objects that the other one wrote. ' +
          'Mount the same file system with the same options on all machines (SMB: serverino), see docs/fleet.md.',
      ),
  )
}

function replacingFindings(seen: Observations): readonly Finding[] {
  if (seen.replace !== undefined) {
    const text = `A rename does not replace an existing file (${seen.replace}). Existing objects can't be overwritten.`
    return [problem('rename-replaces', `${text} ${otherFileSystem}`)]
  }
  return present(
    seen.replaceOpen !== undefined &&
      problem(
        'rename-while-open',
        `A rename does not replace a file that is open (${seen.replaceOpen}). Objects that are being read can't ` +
          `be overwritten. ${otherFileSystem}`,
      ),
    seen.gap !== undefined &&
      problem(
        'rename-atomic',
        `A rename is not atomic: while a file was replaced, a reader found ${seen.gap}. Objects that are overwritten ` +
          `can be missing or incomplete for a moment, and permanently after a crash. ${otherFileSystem}`,
      ),
    !seen.keepsOpenFile &&
      problem(
        'open-files-stay',
        'A reader of a file that is replaced does not get the old bytes. Downloads fail or mix two versions when ' +
          `their object is overwritten. ${otherFileSystem}`,
      ),
  )
}

function lockFindings({ link, createsTwice }: Observations): readonly Finding[] {
  return present(
    link !== undefined && {
      code: 'hard-links',
      isHarmless: true,
      text:
        `The file system has no hard links (${link}). Locks of keys are slower, and protect less against a gateway ` +
        'that was suspended. For several gateways, use a file system that has them.',
    },
    createsTwice &&
      problem(
        'exclusive-create',
        'Two processes can create the same file. Locks of keys do not work: two conflicting conditional writes ' +
          `can both succeed. ${otherFileSystem}`,
      ),
  )
}

function fileFindings({ looks, folderSync }: Observations): readonly Finding[] {
  return present(
    new Set(looks.map(({ ino }) => ino)).size > 1 &&
      problem(
        'stable-inodes',
        'The inode number of a file changes. ETags, content types and metadata of objects are lost. Mount the ' +
          'file system with the inode numbers of the server (SMB: serverino), see docs/fleet.md.',
      ),
    new Set(looks.map(({ mtimeMs }) => mtimeMs)).size > 1 &&
      problem(
        'stable-times',
        'The modification time of a file changes although nothing writes to it. ETags, content types and metadata ' +
          'of objects are lost. Turn off caches of attributes with the mount options in docs/fleet.md.',
      ),
    folderSync !== undefined &&
      problem(
        'folder-fsync',
        `A folder can't be synced to the disk (${folderSync}). A power failure can lose objects that were acknowledged ` +
          `just before. ${otherFileSystem}`,
      ),
  )
}

/** The findings, without those that do not apply. */
function present(...findings: readonly (Finding | false)[]): readonly Finding[] {
  return findings.filter((finding) => finding !== false)
}

function problem(code: FindingCode, text: string): Finding {
  return { code, isHarmless: false, text }
}
