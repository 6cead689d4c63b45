import type {
  FileAtPath,
  FileRecord,
  FileRecords,
} from '../../../../../src/storage/drives/local/objects/file-record-table.ts'

/** Records in memory that keep the promises of FileRecords. */
export class MemoryRecords implements FileRecords {
  readonly records = new Map<string, FileRecord>()
  readonly ownFolders = new Set<string>()
  readonly forgotten: string[] = []
  /** When set, every save rejects with it. */
  failure: Error | undefined

  async find(identity: string): Promise<string | undefined> {
    return this.records.get(identity)?.json
  }

  async findMany(identities: readonly string[]): Promise<Map<string, string>> {
    const found = identities.map((identity) => this.records.get(identity))
    return new Map(found.flatMap((record) => (record ? [[record.identity, record.json]] : [])))
  }

  async findByPaths(paths: readonly FileAtPath[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const wanted = new Map(paths.map((path) => [path.path, path]))
    for (const record of this.records.values()) {
      const path = wanted.get(record.path)
      if (path?.size !== record.size) continue
      if (Math.abs(path.modifiedAtMs - record.modifiedAtMs) <= 1) {
        found.set(record.path, record.json)
      }
    }
    return found
  }

  async save(record: FileRecord, ownFolders: readonly string[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    await new Promise((resolve) => setImmediate(resolve))
    this.records.set(record.identity, record)
    for (const folder of ownFolders) this.ownFolders.add(folder)
  }

  saved(): void {
    // Nothing is deleted later.
  }

  async flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
  }

  async saveFolders(identities: readonly string[]): Promise<void> {
    for (const identity of identities) this.ownFolders.add(identity)
  }

  async moved(files: readonly Pick<FileRecord, 'identity' | 'path'>[]): Promise<void> {
    for (const { identity, path } of files) {
      const record = this.records.get(identity)
      if (record !== undefined) this.records.set(identity, { ...record, path })
    }
  }

  forget(identity: string): void {
    this.forgotten.push(identity)
  }

  async isOwnFolder(identity: string): Promise<boolean> {
    return this.ownFolders.has(identity)
  }

  forgetFolder(identity: string): void {
    this.ownFolders.delete(identity)
  }
}
