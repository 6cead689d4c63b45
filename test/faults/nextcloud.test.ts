import { describe } from 'node:test'
import { proxyFaults } from '../fakes/faulty-proxy.ts'
import {
  type NextcloudFault,
  type NextcloudFaultName,
  nextcloudFaults,
} from '../fakes/nextcloud/nextcloud-faults.ts'
import { type NextcloudOptions, startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import { declareFaultRun } from './fault-run.ts'
import type { FaultWorld, Step } from './fault-world.ts'
import { fewOperations, uploadOver } from './operations.ts'
import { equalProxyFaults, openWebdavWorld } from './webdav-world.ts'

const uploadsPath = '/remote.php/dav/uploads/'

/** The requests that a fault applies to. Faults of the connection are injected by the proxy. */
const isFor: Readonly<Partial<Record<NextcloudFault['kind'], (step: Step) => boolean>>> = {
  'store-short': ({ method }) => method === 'PUT',
  'expire-uploads': ({ path }) => path.startsWith(uploadsPath),
  'lose-metadata': ({ path }) => path.startsWith(uploadsPath),
  'slow-move': ({ method, path }) => method === 'MOVE' && path.startsWith(uploadsPath),
  'lose-target': ({ method, path }) => method === 'MOVE' && !path.startsWith(uploadsPath),
}

const ownFaults = (Object.keys(nextcloudFaults) as NextcloudFaultName[]).filter(
  (name) => nextcloudFaults[name].kind in isFor,
)

/** The world of any WebDAV server, with additional faults for Nextcloud. */
async function openNextcloudWorld(scope: Scope, options: NextcloudOptions): Promise<FaultWorld> {
  const nextcloud = await startNextcloud(scope, options)
  const world = await openWebdavWorld(scope, nextcloud)
  const { faults, otherClient } = nextcloud
  return {
    ...world,
    faultsFor: (step) => [
      ...world.faultsFor(step),
      ...ownFaults.filter((name) => isFor[nextcloudFaults[name].kind]?.(step)),
    ],
    order(name, skip) {
      const fault = ownFaults.find((own) => own === name)
      if (fault === undefined) world.order(name, skip)
      else faults.add({ skip, fault: nextcloudFaults[fault] })
    },
    settle() {
      const isStruck = faults.waiting === 0
      faults.clear()
      return world.settle() && isStruck
    },
    async stored(key) {
      const bytes = otherClient.get(`${testBucket}/${key}`)
      return bytes === undefined ? [] : [md5Of(bytes)]
    },
  }
}

const partSizes = [200_000, 90_001]

describe('Over Nextcloud', () => {
  declareFaultRun({
    faults: [...Object.keys(proxyFaults), ...ownFaults],
    equalFaults: equalProxyFaults,
    operations: fewOperations(partSizes),
    open: (scope) => openNextcloudWorld(scope, {}),
  })
})

describe('Over Nextcloud with an object store', () => {
  declareFaultRun({
    faults: [...Object.keys(proxyFaults), ...ownFaults],
    equalFaults: equalProxyFaults,
    operations: [uploadOver(partSizes)],
    open: (scope) =>
      openNextcloudWorld(scope, { chunkStore: 'object store', minPartBytes: 100_000 }),
  })
})
