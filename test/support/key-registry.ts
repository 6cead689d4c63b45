import { OwnerKey } from '../../src/access/access-keys.ts'
import { KeyAdmin } from '../../src/access/key-admin.ts'
import { StoredKeys } from '../../src/access/stored-keys.ts'
import type { Database } from '../../src/state/database.ts'
import { RevisionWatch } from '../../src/state/revision-watch.ts'
import { createSealer } from '../../src/state/sealer.ts'
import { AccessKeyTable } from '../../src/state/stores/access-keys.ts'
import { Revisions } from '../../src/state/stores/revisions.ts'
import { testCredentials } from './gateway-process.ts'

/** Never by itself: tests ask when they want an answer. */
const everyMs = 2 ** 30

const sealer = createSealer(testCredentials.secretKey, 'accessKeys')

/** Manages access keys as the command line does. */
export function keyAdminOn(database: Database): KeyAdmin {
  return new KeyAdmin({
    ...{ table: new AccessKeyTable(database), sealer, now: Date.now },
    ownerKeyId: testCredentials.accessKey,
    isBucketName: () => true,
    onChange: async () => undefined,
  })
}

/** The copy of the access keys that a process of a gateway has; `watch.check` brings it up to date. */
export async function keysInMemory(database: Database) {
  const watch = new RevisionWatch({
    ...{ revisions: new Revisions(database), everyMs, onState: () => undefined },
  })
  const keys = new StoredKeys({
    ...{ owner: new OwnerKey(testCredentials), table: new AccessKeyTable(database), watch, sealer },
    ...{ now: Date.now, log: { warn: () => undefined } },
  })
  await watch.start({ 'access-keys': keys.reload })
  return { keys, watch }
}
