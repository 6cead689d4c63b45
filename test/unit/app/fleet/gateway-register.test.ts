import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { diedIn, factsText, parseGatewayFacts } from '../../../../src/app/fleet/gateway-facts.ts'
import { GatewayRegister } from '../../../../src/app/fleet/gateway-register.ts'
import { GatewayTable } from '../../../../src/app/fleet/gateway-table.ts'
import { KnownGateways } from '../../../../src/app/fleet/known-gateways.ts'
import { hasEnded } from '../../../../src/platform/process/ended-processes.ts'
import {
  livenessOf,
  setDiedElsewhere,
  thisProcess,
} from '../../../../src/platform/process/identity.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'

const beatMs = 20
const farProcess = 'far.1/7/1000'

/** Calls back until it returns true; the test's time limit ends a wait in vain. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 2))
}

function ownFacts(accessKey = 'AK', drives: Record<string, string> = {}) {
  const facts = { host: 'here', version: '1.0.0', driveFormat: 1, drives }
  return { facts, accessKey, sealer: createSealer('secret', 'gateways') }
}

async function scene(t: TestContext) {
  const table = new GatewayTable(await openTestDatabase(t))
  const warnings: string[] = []
  // Two gateways that start in the same millisecond are in the order of their random ids.
  let nowMs = Date.now()
  const now = () => {
    nowMs += 1
    return nowMs
  }
  const open = (
    options: { accessKey?: string; drives?: Readonly<Record<string, string>> } = {},
  ) => {
    const known = new KnownGateways(table)
    const events: string[] = []
    const register = new GatewayRegister({
      ...{ table, known, beatMs, now },
      own: () => ownFacts(options.accessKey, options.drives),
      log: {
        info: () => undefined,
        warn: (_: unknown, text?: string) => void warnings.push(text ?? ''),
      },
      onConflict: (message) => void events.push(message),
      onEnded: () => void events.push('ended'),
    })
    t.after(() => register.close())
    return { register, known, events }
  }
  /** A gateway on another host. Returns a function that sends a heartbeat. */
  const addFar = async (id: string, accessKey = 'AK') => {
    const json = factsText(ownFacts(accessKey))
    await table.add({ id, process: farProcess, startedAtMs: 1, beatTicks: 2_000, json })
    return () => table.beat(id, 2_000)
  }
  const setBack = (byMs: number) => {
    nowMs -= byMs
  }
  return { table, open, addFar, setBack, warnings }
}

test('The gateway that has run for the longest time is first, then the next one', async (t) => {
  const { table, open } = await scene(t)
  const one = open()
  await one.register.start()
  await one.register.begin()
  const two = open()
  await two.register.start()
  await two.register.begin()
  await until(() => one.register.isFirst)
  assert.equal(two.register.isFirst, false)
  assert.equal(two.known.running, 2)
  await one.register.close()
  await until(() => two.register.isFirst)
  assert.deepEqual(two.events, ['ended'])
  assert.equal(two.known.running, 1)
  assert.equal((await table.all()).length, 2)
})

test('A gateway on another host without heartbeats has ended, and its processes with it', async (t) => {
  const { open, addFar, warnings } = await scene(t)
  await addFar('far')
  const { register, events, known } = open()
  await register.start()
  await register.begin()
  assert.equal(hasEnded(farProcess), false)
  assert.deepEqual([register.isFirst, known.running], [false, 2])
  await until(() => register.isFirst)
  assert.deepEqual([hasEnded(farProcess), hasEnded('far.1/8/2000')], [true, true])
  assert.deepEqual(events, ['ended'])
  assert.deepEqual(warnings, ['another gateway has ended'])
})

test('A gateway with heartbeats has not ended', async (t) => {
  const { table, open, addFar } = await scene(t)
  const beat = await addFar('far')
  const { register } = open()
  await register.start()
  await register.begin()
  const ownBeat = async () => (await table.all()).find(({ id }) => id !== 'far')?.beat ?? 0
  await until(async () => {
    assert.equal(await beat(), true)
    return (await ownBeat()) > 10
  })
  assert.equal(register.isFirst, false)
})

test('A gateway with another key is refused while the other one has heartbeats', async (t) => {
  const { table, open, addFar } = await scene(t)
  const beat = await addFar('far', 'OTHER')
  // Before each look: a timer could be late.
  t.mock.method(table, 'all', async () => {
    await beat()
    return await GatewayTable.prototype.all.call(table)
  })
  await assert.rejects(
    open().register.start(),
    /^SettingsError: ACCESS_KEY is not that of the gateway on here/,
  )
  assert.equal((await table.all()).length, 1)
})

test('A start waits for a silent gateway as long as other gateways do', async (t) => {
  const { table, open, addFar } = await scene(t)
  const beat = await addFar('far', 'OTHER')
  // Only the looks advance the clock: on a busy machine, few of them could be made in the time.
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  const lateAt = nowMs + 3 * beatMs
  t.mock.method(table, 'all', async () => {
    nowMs += beatMs / 4
    if (nowMs > lateAt) await beat()
    return await GatewayTable.prototype.all.call(table)
  })
  await assert.rejects(open().register.start(), /^SettingsError: ACCESS_KEY is not that/)
})

test('A heartbeat that fails is repeated at once', async (t) => {
  const { table, open } = await scene(t)
  const { register } = open()
  await register.start()
  let calls = 0
  const limits: unknown[] = []
  t.mock.method(table, 'beat', async (...given: Parameters<GatewayTable['beat']>) => {
    limits.push(given[2])
    calls += 1
    if (calls === 1) throw new Error('no answer')
    return await GatewayTable.prototype.beat.apply(table, given)
  })
  await register.begin()
  assert.deepEqual(limits.slice(0, 2), [{ urgentMs: 3_000 }, { urgentMs: 3_000 }])
})

test('No call of a heartbeat waits for long', async (t) => {
  const { table, open, addFar } = await scene(t)
  const drives: Record<string, string> = {}
  const { register } = open({ drives })
  await register.start()
  await register.begin()
  await addFar('far')
  const limits = new Map<string, unknown>()
  for (const name of ['add', 'all', 'beat', 'end', 'removeEnded', 'setFacts'] as const) {
    const call = table[name].bind(table) as (...given: unknown[]) => Promise<never>
    t.mock.method(table, name, (...given: unknown[]) => {
      const options = given.at(-1)
      const isLimited = typeof options === 'object' && options !== null && 'urgentMs' in options
      limits.set(name, isLimited && limits.get(name) !== false)
      return call(...given)
    })
  }
  drives.DRIVE = 'a'
  await until(() => limits.has('end') && limits.has('setFacts'))
  // Another gateway marks this one as ended.
  const own = (await GatewayTable.prototype.all.call(table)).find(({ id }) => id !== 'far')
  assert.ok(own)
  await GatewayTable.prototype.endOwn.call(table, own.id, 1)
  await until(() => limits.has('add') && limits.has('removeEnded'))
  assert.deepEqual(
    [...limits].filter(([, isLimited]) => isLimited !== true),
    [],
  )
})

test('A gateway with another key that was killed does not keep others from starting', async (t) => {
  const { table, open, addFar } = await scene(t)
  await addFar('far', 'OTHER')
  const { register } = open()
  await register.start()
  await register.begin()
  await until(() => register.isFirst)
  const far = (await table.all()).find(({ id }) => id === 'far')
  assert.notEqual(far?.endedAtMs, 0)
})

for (const [when, setBackMs] of [
  ['', 0],
  [', also after the clock was set back', 3_600_000],
] as const) {
  test(`Of two gateways with different drives, the one that started later ends${when}`, async (t) => {
    const { open, setBack } = await scene(t)
    const one = open({ drives: { DRIVE: 'a' } })
    await one.register.start()
    await one.register.begin()
    setBack(setBackMs)
    const drives: { DRIVE?: string } = {}
    const two = open({ drives })
    await two.register.start()
    drives.DRIVE = 'b'
    await assert.rejects(two.register.begin(), /^SettingsError: DRIVE is another drive than that/)
    assert.deepEqual(one.events, [])
  })
}

test('A gateway with another drive ends before that drive is in its row', async (t) => {
  const { table, open } = await scene(t)
  const one = open({ drives: { DRIVE: 'a' } })
  await one.register.start()
  await one.register.begin()
  const drives: { DRIVE?: string } = {}
  const wrong = open({ drives })
  await wrong.register.start()
  const right = open({ drives: { DRIVE: 'a' } })
  await right.register.start()
  drives.DRIVE = 'b'
  await assert.rejects(wrong.register.begin(), /^SettingsError: DRIVE is another drive than that/)
  await right.register.begin()
  const [, row] = await table.all()
  assert.notEqual(row?.endedAtMs, 0)
  assert.deepEqual(parseGatewayFacts(row?.json ?? '')?.drives, {})
})

test('A gateway that finds a conflict later marks its row as ended before it reports it', async (t) => {
  const { table, open } = await scene(t)
  const one = open({ drives: { DRIVE: 'a', DRIVE_NAS: 'n' } })
  await one.register.start()
  await one.register.begin()
  const drives: Record<string, string> = { DRIVE: 'a' }
  const two = open({ drives })
  await two.register.start()
  await two.register.begin()
  drives.DRIVE_NAS = 'm'
  await until(() => two.events.length > 0)
  const [, row] = await table.all()
  assert.notEqual(row?.endedAtMs, 0)
  assert.deepEqual(parseGatewayFacts(row?.json ?? '')?.drives, { DRIVE: 'a' })
})

test('Opened drives that could not be written are written at the next heartbeat', async (t) => {
  const { table, open } = await scene(t)
  const drives: Record<string, string> = {}
  const one = open({ drives })
  await one.register.start()
  await one.register.begin()
  const failure = t.mock.method(table, 'setFacts', () => Promise.reject(new Error('away')))
  drives.DRIVE = 'a'
  await until(() => failure.mock.callCount() > 0)
  failure.mock.restore()
  await until(async () => {
    const [row] = await table.all()
    return parseGatewayFacts(row?.json ?? '')?.drives.DRIVE === 'a'
  })
})

test('A drive that is opened later is compared, too', async (t) => {
  const { open } = await scene(t)
  const one = open({ drives: { DRIVE: 'a', DRIVE_NAS: 'n' } })
  await one.register.start()
  await one.register.begin()
  const drives: { DRIVE: string; DRIVE_NAS?: string } = { DRIVE: 'a' }
  const two = open({ drives })
  await two.register.start()
  await two.register.begin()
  drives.DRIVE_NAS = 'm'
  await until(() => two.events.length > 0)
  assert.match(two.events[0] ?? '', /^DRIVE_NAS is another drive/)
  // The first one goes on; it may have seen already that the other one has ended.
  assert.deepEqual(
    one.events.filter((event) => event !== 'ended'),
    [],
  )
})

test('A gateway whose heartbeats fail is not the first one', async (t) => {
  const { table, open } = await scene(t)
  const { register } = open()
  await register.start()
  await register.begin()
  await until(() => register.isFirst)
  const failure = t.mock.method(table, 'beat', () => Promise.reject(new Error('away')))
  await until(() => !register.isFirst)
  failure.mock.restore()
  await until(() => register.isFirst)
  // The database hangs.
  const hanging = Promise.withResolvers<boolean>()
  const hang = t.mock.method(table, 'beat', () => hanging.promise)
  await until(() => !register.isFirst)
  hang.mock.restore()
  hanging.resolve(true)
  await until(() => register.isFirst)
})

test('A gateway that the others marked as ended registers again', async (t) => {
  const { table, open } = await scene(t)
  const { register } = open()
  await register.start()
  await register.begin()
  const [row] = await table.all()
  assert.equal(row?.process, thisProcess)
  await until(async () => {
    const [now] = await table.all()
    return await table.end(now?.id ?? '', now?.beat ?? 0, Date.now())
  })
  await until(async () => (await table.all()).length === 2)
  await until(() => register.isFirst)
})

test('A process that has died is shown at once, also while heartbeats wait, and after a failure', async (t) => {
  t.after(() => setDiedElsewhere([]))
  const { table, open } = await scene(t)
  const drives: Record<string, string> = {}
  const { register } = open({ drives })
  await register.start()
  const died = async () => diedIn((await table.all()).at(-1)?.json ?? '')
  // No heartbeat has begun.
  register.processDied('far.1/8/2000')
  await until(async () => (await died()).length === 1)
  assert.equal(livenessOf('far.1/8/2000'), 'elsewhere')
  const other = open()
  await other.known.reload()
  assert.equal(livenessOf('far.1/8/2000'), 'dead')
  const failure = t.mock.method(table, 'setFacts', () => Promise.reject(new Error('away')))
  register.processDied('far.1/9/3000')
  await until(() => failure.mock.callCount() > 0)
  failure.mock.restore()
  drives.DRIVE = 'a'
  await register.begin()
  assert.deepEqual(await died(), ['far.1/8/2000', 'far.1/9/3000'])
  // A gateway that registers again still names them, and only so many.
  const [row] = await table.all()
  await table.endOwn(row?.id ?? '', Date.now())
  await until(async () => (await table.all()).length === 2)
  assert.deepEqual(await died(), ['far.1/8/2000', 'far.1/9/3000'])
  for (let pid = 10; pid < 50; pid += 1) register.processDied(`far.1/${pid}/4000`)
  await until(async () => (await died()).at(-1) === 'far.1/49/4000')
  const names = await died()
  assert.deepEqual([names.length, names[0]], [32, 'far.1/18/4000'])
  assert.equal(parseGatewayFacts((await table.all()).at(-1)?.json ?? '')?.drives.DRIVE, 'a')
})
