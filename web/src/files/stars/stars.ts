import { useSyncExternalStore } from 'react'
import type { MarkedReply } from '../../../../src/dashboard/management/files/mark-routes.ts'
import { request } from '../../api/client.ts'
import { failureOf } from '../../ui/messages.ts'
import { Store } from '../../ui/store.ts'
import type { Entry } from '../entries/entry.ts'

/** `bucket/key` of what is starred, for the rows and menus. The server keeps it. */
class Stars extends Store<ReadonlySet<string>> {
  /** Begun and ended ones. */
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
    const paths = keys.map((key) => `${bucket}/${key}`)
    const changed = paths.filter((path) => this.snapshot().has(path) !== isStarred)
    this.#show(changed, isStarred)
    try {
      await request('/-/api/stars', { method: 'PUT', body: { bucket, keys, isStarred } })
    } catch (error) {
      this.#show(changed, !isStarred)
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

/** Whether all entries are starred. */
export function areStarred(bucket: string, entries: readonly Entry[]): boolean {
  const all = stars.snapshot()
  return entries.every((entry) => all.has(`${entry.bucket ?? bucket}/${entry.key}`))
}

/** Whether an entry of a row is starred. */
export function useIsStarred(bucket: string, key: string): boolean {
  return useSyncExternalStore(stars.subscribe, () => stars.snapshot().has(`${bucket}/${key}`))
}

/** Stars entries of one bucket, or removes their stars if all have one. */
export function toggleStars(bucket: string, entries: readonly Entry[], onEnd: () => void): void {
  const keys = entries.map(({ key }) => key)
  stars
    .set(bucket, keys, !areStarred(bucket, entries))
    .catch(failureOf('The stars could not be changed'))
    .finally(onEnd)
}
