import type { DriveKind, Location } from '../drive-kind.ts'

export interface MemoryLocation extends Location {
  readonly kind: 'memory'
}

export const memoryKind: DriveKind<MemoryLocation> = {
  ...{ kind: 'memory', scheme: 'memory:', form: 'memory:', beatMs: 20_000 },
  isInMemory: true,
  prefersOneWorker: true,
  parse: (text) => (text === 'memory:' ? { kind: 'memory' } : undefined),
  deletes: () => 'permanent',
  describe: () => 'in memory, lost on exit',
  async open({ versioningOf }) {
    const { openMemoryDrive } = await import('./memory-drive.ts')
    const drive = openMemoryDrive({ versioningOf })
    return { drive, close: () => drive.close() }
  },
}
