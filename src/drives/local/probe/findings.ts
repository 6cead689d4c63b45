import type { Unseen } from './shared-folder.ts'

/** An inode and a modification time, as one of several calls returned them for one file. */
export interface FileLook {
  readonly ino: number
  readonly mtimeMs: number
}

/**
 * What a file system did in a folder of the drive. A code is that of the error of a call (errno(3)); undefined
 * when the call succeeded.
 */
export interface Observations {
  /** Of a rename over a file that nobody has open. */
  readonly replace: string | undefined
  /** Of a rename over a file that a reader has open. */
  readonly replaceOpen: string | undefined
  /** What a reader met at the path while the file was replaced again and again, except whole files. */
  readonly gap: string | undefined
  /** Whether a reader with the replaced file open read its bytes. */
  readonly keepsOpenFile: boolean
  readonly link: string | undefined
  /** Whether a file was created, by link or exclusively, at the path of another one. */
  readonly createsTwice: boolean
  /** One file: written and still open; by its path; opened again; after a rename; opened after that. */
  readonly looks: readonly FileLook[]
  /** Of fsync of a folder. */
  readonly folderSync: string | undefined
}

export type FindingCode =
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

/** Something that a drive needs of its file system and that is missing. */
export interface Finding {
  /** What is missing. */
  readonly code: FindingCode
  /** Nothing is wrong without it, only slower. */
  readonly isHarmless: boolean
  /** For people: what is missing, what that means and what to do. */
  readonly text: string
}

const otherFileSystem = 'Use a file system that has this, see docs/fleet.md.'

/** Pure: what is missing, as the observations show; empty for a healthy file system. */
export function findingsIn(seen: Observations): readonly Finding[] {
  return [...replacingFindings(seen), ...lockFindings(seen), ...fileFindings(seen)]
}

/** For an error that says nothing about what the file system can do. */
export function untested(code: string): Finding {
  return problem(
    'untested',
    `What the file system can do could not be tested (${code}). Objects may be lost or unreadable if it lacks ` +
      'something. Check that the drive is mounted, healthy and has free space, then restart.',
  )
}

/** What two gateways saw of each other's changes in a folder that they share. */
export interface SharedObservations {
  /** What the gateway that asked did not see at once. */
  readonly unseen: ReadonlySet<Unseen>
  /** Of one file, as either gateway sees it. */
  readonly identities: readonly string[]
}

const unseenTexts: Readonly<Record<Unseen, string>> = {
  creation: 'new files',
  replacement: 'files that were replaced',
  removal: 'removals',
  listing: 'changed listings',
  folder: 'files in folders that were replaced',
}

/** Pure: as `findingsIn`, for what two gateways have tested together. */
export function sharedFindings({ unseen, identities }: SharedObservations): readonly Finding[] {
  const findings: Finding[] = []
  if (unseen.size > 0) {
    const texts = [...unseen].map((what) => unseenTexts[what])
    findings.push(
      problem(
        'coherent-caches',
        `What another gateway changes is not seen at once here: ${texts.join(', ')}. Clients that use several ` +
          'gateways can get 404, old objects and old listings, and of two conditional writes both can succeed. ' +
          'Turn off caches of names and attributes with the mount options in docs/fleet.md.',
      ),
    )
  }
  if (new Set(identities).size > 1) {
    findings.push(
      problem(
        'same-identities',
        `Another gateway sees other inode numbers or times of the same file (${identities.join(' and ')}). ETags, ` +
          'content types and metadata of its objects are not found here. Mount the same file system in the same ' +
          'way on all machines (SMB: serverino), see docs/fleet.md.',
      ),
    )
  }
  return findings
}

function replacingFindings(seen: Observations): readonly Finding[] {
  if (seen.replace !== undefined) {
    return [
      problem(
        'rename-replaces',
        `A rename does not replace an existing file (${seen.replace}). Existing objects can't be overwritten. ` +
          otherFileSystem,
      ),
    ]
  }
  const findings: Finding[] = []
  if (seen.replaceOpen !== undefined) {
    findings.push(
      problem(
        'rename-while-open',
        `A rename does not replace a file that is open (${seen.replaceOpen}). Objects that are being read can't ` +
          `be overwritten. ${otherFileSystem}`,
      ),
    )
  }
  if (seen.gap !== undefined) {
    findings.push(
      problem(
        'rename-atomic',
        `A rename is not atomic: while a file was replaced, a reader met ${seen.gap}. Objects that are overwritten ` +
          `can be missing or incomplete for a moment, and after a crash for ever. ${otherFileSystem}`,
      ),
    )
  }
  if (!seen.keepsOpenFile) {
    findings.push(
      problem(
        'open-files-stay',
        'A reader of a file that is replaced does not get the old bytes. Downloads fail or mix two versions when ' +
          `their object is overwritten. ${otherFileSystem}`,
      ),
    )
  }
  return findings
}

function lockFindings({ link, createsTwice }: Observations): readonly Finding[] {
  const findings: Finding[] = []
  if (link !== undefined) {
    findings.push({
      code: 'hard-links',
      isHarmless: true,
      text: `The file system has no hard links (${link}). Locks of keys are files of their own, which are slower.`,
    })
  }
  if (createsTwice) {
    findings.push(
      problem(
        'exclusive-create',
        'Two processes can create the same file. Locks of keys do not work: of two conditional writes at once, ' +
          `both can succeed. ${otherFileSystem}`,
      ),
    )
  }
  return findings
}

function fileFindings({ looks, folderSync }: Observations): readonly Finding[] {
  const findings: Finding[] = []
  if (new Set(looks.map(({ ino }) => ino)).size > 1) {
    findings.push(
      problem(
        'stable-inodes',
        'The inode number of a file changes. ETags, content types and metadata of objects get lost. Mount the ' +
          'file system with inode numbers of the server (SMB: serverino), see docs/fleet.md.',
      ),
    )
  }
  if (new Set(looks.map(({ mtimeMs }) => mtimeMs)).size > 1) {
    findings.push(
      problem(
        'stable-times',
        'The modification time of a file changes though nobody writes to it. ETags, content types and metadata ' +
          'of objects get lost. Turn off caches of attributes with the mount options in docs/fleet.md.',
      ),
    )
  }
  if (folderSync !== undefined) {
    findings.push(
      problem(
        'folder-fsync',
        `A folder can't be synced to the disk (${folderSync}). When the power fails, objects that were acknowledged ` +
          `just before can be lost. ${otherFileSystem}`,
      ),
    )
  }
  return findings
}

function problem(code: FindingCode, text: string): Finding {
  return { code, isHarmless: false, text }
}
