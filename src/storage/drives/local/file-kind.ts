import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Log } from '../../../platform/process/log.ts'
import { pathBehind } from '../../../platform/process/setting-mistake.ts'
import type { DriveKind, Location, OwnDrive } from '../drive-kind.ts'
import { openLocalDrive } from './local-drive.ts'
import { realFolderPath } from './local-root.ts'
import { DatabaseFileRecords } from './objects/file-record-table.ts'
import type { Finding } from './probe/findings.ts'

export interface FileLocation extends Location {
  readonly kind: 'file'
  /** Absolute. */
  readonly path: string
}

export type Durability = 'synced' | 'relaxed'

/** The settings that a folder uses. */
export interface FileService {
  readonly durability: Durability
}

export const fileKind: DriveKind<FileLocation, OwnDrive<FileLocation>, FileService> = {
  ...{ kind: 'file', scheme: 'file:', form: 'file:PATH', beatMs: 4_000 },
  parse(text) {
    if (!text.startsWith('file:')) return undefined
    return { kind: 'file', path: pathBehind('file:', text) }
  },
  deletes: () => 'permanent',
  folder: ({ path }) => path,
  inOneForm: async ({ path }) => ({ kind: 'file', path: await realFolderPath(path) }),
  placeOf: ({ drive }) => ({ server: 'file', path: realPathOf(drive.path) }),
  describe: ({ path }) => path,
  async open({ settings, own, database, log, claim, now, role, versioningOf }) {
    const root = own.drive.path
    const records = new DatabaseFileRecords(database, own.name, now)
    const drive = await openLocalDrive({
      ...{ root, records, log, claim, versioningOf },
      isReadOnly: own.isReadOnly,
      relaxes: settings.durability === 'relaxed',
      // A database in a file fails when its disk does: that must not look like an object without attributes.
      readsAlone: database.kind === 'postgres',
      ...(role?.kind === 'primary' && { onFinding: findingLogger(log, root) }),
    })
    return {
      drive,
      async close() {
        await drive.close().finally(() => records.close())
      },
    }
  },
}

function findingLogger(log: Log, folder: string): (finding: Finding) => void {
  return ({ code, isHarmless, text }) => {
    log[isHarmless ? 'info' : 'warn']({ folder, missing: code }, text)
  }
}

/** The path with symbolic links resolved in the part that exists. */
export function realPathOf(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}
