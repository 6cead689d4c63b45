import type { MarkedReply } from '../../../../src/dashboard/management/files/mark-routes.ts'
import { request } from '../../api/client.ts'
import { Store } from '../../ui/store.ts'

/** The API accepts this number of keys. */
const keysAtOnce = 500

/** `bucket/key` of what is starred, for the rows and menus. The server keeps it. */
class Stars extends Store<ReadonlySet<string>> {
  /** Counts each change twice: when it begins and when it ends. */
  #changes = 0

  constructor() {
    super(new Set())
  }

  async load(signal: AbortSignal): Promise<MarkedReply> {
    const changes = this.#changes
    const reply = await request<MarkedReply>('/-/api/stars', { signal })
    // The reply may lack what was changed meanwhile.
    if (changes !== this.#changes) return await this.load(signal)
    this.publish(new Set(reply.entries.map(({ bucket, key }) => `${bucket}/${key}`)))
    return reply
  }

  /** Shown at once; undone if the server refuses. @throws ApiError */
  async set(bucket: string, keys: readonly string[], isStarred: boolean): Promise<void> {
    const pathOf = (key: string) => `${bucket}/${key}`
    const changed = keys.filter((key) => this.snapshot().has(pathOf(key)) !== isStarred)
    let accepted = 0
    this.#show(changed.map(pathOf), isStarred)
    try {
      while (accepted < changed.length) {
        const some = changed.slice(accepted, accepted + keysAtOnce)
        await request('/-/api/stars', { method: 'PUT', body: { bucket, keys: some, isStarred } })
        accepted += some.length
      }
    } catch (error) {
      this.#show(changed.slice(accepted).map(pathOf), !isStarred)
      throw error
    } finally {
      this.#changes += 1
    }
  }

  #show(paths: readonly string[], isStarred: boolean): void {
    this.#changes += 1
    const now = new Set(this.snapshot())
    for (const path of paths) {
      if (isStarred) now.add(path)
      else now.delete(path)
    }
    this.publish(now)
  }
}

export const stars = new Stars()
