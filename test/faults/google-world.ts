import { setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../../src/platform/state/database.ts'
import { GoogleApi } from '../../src/storage/drives/google/api/google-api.ts'
import { DatabaseDriveIndex } from '../../src/storage/drives/google/index/drive-index-table.ts'
import type { Clock } from '../../src/storage/drives/kit/cloud/retry-policy.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { DatabaseDriveUploads } from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import { type GoogleDrive, openRefreshed } from '../contract/google-drive-under-test.ts'
import type { CallKind } from '../fakes/google/call-kinds.ts'
import { type FaultName, faultKinds } from '../fakes/google/fault-effects.ts'
import { type GoogleEmulator, startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { testBucket } from '../support/gateway-process.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import type { FaultWorld, Step } from './fault-world.ts'
import { startGatewayOn } from './gateway-on.ts'
import { openState } from './open-state.ts'
import type { S3Caller } from './s3-caller.ts'

const log = { info: () => undefined, warn: () => undefined }
const folder = 'faults'

/** Faults that are changes by other users. */
const ofOthers: ReadonlySet<string> = new Set<FaultName>([
  ...([
    'target-deleted',
    'target-trashed',
    'parent-deleted',
    'parent-trashed',
    'duplicate',
  ] as const),
])

/** From a call on until the client has a reply, Google is unreachable or refuses everything. */
const outages: Readonly<Record<string, readonly FaultName[]>> = {
  outage: ['drop-before'],
  'outage-after-commit': ['drop-after-commit', 'drop-before'],
  'everything-denied': ['denied'],
  'too-many-calls': ['rate-403-user'],
}

/** Every fault of the emulator except `run` and `run-after-commit`, which do nothing by themselves. */
export const googleFaults = [
  ...Object.keys(faultKinds).filter((name) => !name.startsWith('run')),
  ...Object.keys(outages),
]

/**
 * Rows of refusals that one table of the drive treats alike (`errorOfFailure` in
 * src/storage/drives/google/api/google-failure.ts).
 */
export const equalGoogleFaults: readonly (readonly FaultName[])[] = [
  ['rate-403-user', 'rate-403-project', 'rate-429', 'rate-429-retry-after'],
  ['server-500', 'server-502-html', 'server-503'],
]

/** Pauses take no time, but the clock advances. */
class HastyClock implements Clock {
  readonly random = Math.random
  #aheadMs = 0

  now(): number {
    return Date.now() + this.#aheadMs
  }

  elapsed(): number {
    return performance.now() + this.#aheadMs
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.pass(ms)
    await turn()
  }

  pass(ms: number): void {
    this.#aheadMs += ms
  }
}

/** How long a client waits that must retry later, and the drive after too many calls. */
const restMs = 60_000

interface Parts {
  readonly emulator: GoogleEmulator
  readonly database: Database
  readonly clock: HastyClock
}

async function openDrive(scope: Scope, { emulator, database, clock }: Parts): Promise<GoogleDrive> {
  const { endpoints, credentials } = emulator
  const drive = await openRefreshed({
    api: new GoogleApi({ endpoints, credentials, clock }),
    folder,
    index: new DatabaseDriveIndex(database),
    records: new DatabaseDriveUploads(database),
    leases: new DatabaseLeases(database),
    // Only the cases send requests.
    pollSeconds: 3_600,
    deletes: 'trash',
    log,
  })
  scope.after(() => drive.close())
  await drive.prepare([testBucket])
  return drive
}

type Faulty = Pick<FaultWorld, 'record' | 'faultsFor' | 'isOfOthers' | 'order' | 'settle'>

/** A gateway on an emulated Google Drive. */
export async function openGoogleWorld(scope: Scope): Promise<FaultWorld> {
  const emulator = await startGoogleEmulator()
  scope.after(() => emulator.close())
  const { database } = await openState(scope)
  const parts = { emulator, database, clock: new HastyClock() }
  const drive = await openDrive(scope, parts)
  const other = await openDrive(scope, parts)
  const s3 = await startGatewayOn(scope, { drive, database })
  return {
    s3,
    other,
    ...faultsOf(parts, s3),
    async catchUp() {
      for (const one of [drive, other]) await one.refresh()
    },
    stored: async (key) => storedAt(emulator, `${folder}/${testBucket}/${key}`),
  }
}

function faultsOf({ emulator: { faults }, clock }: Parts, s3: S3Caller): Faulty {
  const forever = Number.POSITIVE_INFINITY
  const settle = () => {
    const hasStruck = faults.struck.length > 0
    s3.onAnswer = undefined
    faults.clear()
    clock.pass(restMs)
    return hasStruck
  }
  return {
    async record(work) {
      const steps: Step[] = []
      const note = (method: CallKind) => void steps.push({ method, path: '' })
      faults.next({ on: 'any', do: 'run', times: forever, run: ({ kind }) => note(kind) })
      await work()
      faults.clear()
      return steps
    },
    faultsFor: ({ method }) =>
      googleFaults.filter((name) =>
        faultKinds[(outages[name]?.[0] ?? name) as FaultName].includes(method as CallKind),
      ),
    isOfOthers: (fault) => ofOthers.has(fault),
    order(fault, skip) {
      const outage = outages[fault]
      const [first = fault as FaultName, ...rest] = outage ?? []
      const last = rest.at(-1) ?? first
      faults.next({ on: 'any', do: first, after: skip })
      if (outage === undefined) return
      faults.next({ on: 'any', do: last, after: skip, times: forever })
      s3.onAnswer = () => {
        if (faults.struck.length === 0) return
        faults.stop()
        clock.pass(restMs)
      }
    },
    settle,
  }
}

/** The files at a path, in all folders of each name. */
export function storedAt(emulator: GoogleEmulator, path: string): readonly string[] {
  const { byHand, rootFolderId } = emulator
  const [first = '', ...names] = path.split('/')
  const named = (parent: string, name: string) =>
    byHand.children(parent).filter((child) => child.name === name && !child.isTrashed)
  let found = named(rootFolderId, first)
  for (const name of names) found = found.flatMap(({ id }) => named(id, name))
  return found.map(({ content }) => content?.md5 ?? 'a folder')
}
