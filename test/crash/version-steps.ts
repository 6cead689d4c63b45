import { testBucket } from '../support/gateway-process.ts'
import type { Random } from '../support/random.ts'
import { targetOf } from '../support/signed-fetch.ts'
import type { PendingWrite } from './history.ts'
import { send } from './store.ts'
import type { KnownVersion } from './version-history.ts'
import { copyVersion, type WriteTarget } from './writes.ts'

/** Restores a former version of a key that no other client writes, or removes one permanently. */
export async function changeVersion(
  target: WriteTarget,
  key: string,
  random: Random,
): Promise<void> {
  const history = target.store.versionHistory(key)
  const [newest, ...former] = history.known()
  const [first, ...others] = former
  if (newest === undefined || first === undefined) return
  const chosen = random.pick([first, ...others])
  const kind = random.pick(['restore', 'purge', 'undo'])
  if (kind === 'restore' && chosen.outcome !== 'absent') {
    const from = `${targetOf(testBucket, key)}?versionId=${chosen.versionId}`
    await copyVersion(target, key, { source: chosen.outcome, from })
  } else if (kind === 'purge') {
    await purge(target, key, chosen, [])
  } else if (kind === 'undo' && history.isCertain) {
    // The version before it is the newest one again.
    await purge(target, key, newest, [target.store.history(key).begin(first.outcome)])
  }
}

async function purge(
  { server, store }: WriteTarget,
  key: string,
  { versionId }: KnownVersion,
  changes: PendingWrite[],
): Promise<void> {
  changes.push(store.versionHistory(key).beginRemoval(versionId))
  try {
    await send(server, { method: 'DELETE', key, query: `versionId=${versionId}`, expected: [204] })
    for (const change of changes) change.acknowledge()
  } catch (error) {
    for (const change of changes) store.failed(change, error)
    throw error
  }
}
