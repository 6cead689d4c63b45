import type { Context } from '@opentelemetry/api'
import type { Draft, Drive, OpenObject, UploadDrive } from '../../drives/drive.ts'
import type { EntryCursor } from '../../drives/listed-entry.ts'
import type { ChildSpans } from './child-spans.ts'
import { DriveSpans } from './drive-spans.ts'
import { TracedObject } from './traced-object.ts'
import { TracedUploads } from './traced-uploads.ts'

/** A drive with a span for each call within a request. Spans of bytes are in TracedObject. */
export class TracedDrive implements Drive {
  readonly copy?: NonNullable<Drive['copy']>
  readonly removeFolder?: NonNullable<Drive['removeFolder']>
  readonly quota?: NonNullable<Drive['quota']>
  readonly statistics?: NonNullable<Drive['statistics']>
  readonly sweep?: NonNullable<Drive['sweep']>
  readonly uploads: UploadDrive
  readonly #drive: Drive
  readonly #spans: DriveSpans

  /** @param name of the drive, if there are several */
  constructor(drive: Drive, children: ChildSpans, name?: string) {
    this.#drive = drive
    const spans = new DriveSpans(children, name || drive.kind)
    this.#spans = spans
    this.uploads = new TracedUploads(drive.uploads, spans)
    const { copy, removeFolder, quota, statistics, sweep } = drive
    if (copy !== undefined) {
      this.copy = (...args) => spans.run('copy', () => copy.apply(drive, args))
    }
    if (removeFolder !== undefined) {
      this.removeFolder = (...args) =>
        spans.run('removeFolder', () => removeFolder.apply(drive, args))
    }
    if (sweep !== undefined) this.sweep = sweep.bind(drive)
    if (statistics !== undefined) this.statistics = statistics.bind(drive)
    if (quota !== undefined) this.quota = () => spans.run('quota', () => quota.call(drive))
  }

  get kind(): string {
    return this.#drive.kind
  }

  get deletes(): Drive['deletes'] {
    return this.#drive.deletes
  }

  get readsAlone(): boolean {
    return this.#drive.readsAlone ?? false
  }

  prepare(...given: Parameters<Drive['prepare']>): Promise<void> {
    return this.#drive.prepare(...given)
  }

  addBucket(...given: Parameters<Drive['addBucket']>): Promise<void> {
    return this.#spans.run('addBucket', () => this.#drive.addBucket(...given))
  }

  removeBucket(...given: Parameters<Drive['removeBucket']>): Promise<boolean> {
    return this.#spans.run('removeBucket', () => this.#drive.removeBucket(...given))
  }

  check(...given: Parameters<Drive['check']>): Promise<void> {
    return this.#spans.run('check', () => this.#drive.check(...given))
  }

  bucketCreatedAtMs(...given: Parameters<Drive['bucketCreatedAtMs']>): Promise<number> {
    return this.#spans.run('bucketCreatedAtMs', () => this.#drive.bucketCreatedAtMs(...given))
  }

  list(...given: Parameters<Drive['list']>): EntryCursor {
    const cursor = this.#drive.list(...given)
    return {
      next: (limit) => this.#spans.run('list', () => cursor.next(limit)),
      seek: (key) => cursor.seek(key),
    }
  }

  head(...given: Parameters<Drive['head']>): ReturnType<Drive['head']> {
    return this.#spans.run('head', () => this.#drive.head(...given))
  }

  open(...given: Parameters<Drive['open']>): ReturnType<Drive['open']> {
    const { parent } = this.#spans
    const opened = this.#spans.runNow('open', () => this.#drive.open(...given))
    return opened instanceof Promise
      ? opened.then((object) => object && this.#traced(object, parent))
      : this.#traced(opened, parent)
  }

  async draft(...given: Parameters<Drive['draft']>): Promise<Draft> {
    const { parent } = this.#spans
    const draft = await this.#spans.run('draft', () => this.#drive.draft(...given))
    return {
      write: (chunk) => draft.write(chunk),
      publish: (...args) => this.#spans.run('publish', () => draft.publish(...args), parent),
      discard: () => this.#spans.run('discard', () => draft.discard(), parent),
    }
  }

  remove(...given: Parameters<Drive['remove']>): Promise<boolean> {
    return this.#spans.run('remove', () => this.#drive.remove(...given))
  }

  close(): Promise<void> {
    return this.#drive.close()
  }

  /** Bytes in memory are not read later. */
  #traced(object: OpenObject, parent: Context | undefined): OpenObject {
    if (object.content !== undefined || parent === undefined) return object
    return new TracedObject(object, this.#spans, parent)
  }
}
