import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type {
  UploadEvents,
  UploadItem,
  UploadOrder,
  UploadState,
} from '../../../../../web/src/files/upload/upload-item.ts'
import { UploadQueue } from '../../../../../web/src/files/upload/upload-queue.ts'

interface Started {
  readonly order: UploadOrder
  readonly events: UploadEvents
  readonly calls: string[]
}

/** A queue with a transport and a clock that the test controls. */
function startQueue() {
  const started: Started[] = []
  const uploaded: string[] = []
  const timers = new Map<number, { readonly atMs: number; readonly action: () => void }>()
  let now = 0
  let nextTimer = 0
  const queue = new UploadQueue({
    transport: {
      start(order, events) {
        const calls: string[] = []
        started.push({ order, events, calls })
        return {
          pause: () => calls.push('pause'),
          resume: () => calls.push('resume'),
          retry: () => calls.push('retry'),
          cancel: () => calls.push('cancel'),
        }
      },
    },
    clock: {
      now: () => now,
      after(delayMs, action) {
        const id = nextTimer
        nextTimer += 1
        timers.set(id, { atMs: now + delayMs, action })
        return () => timers.delete(id)
      },
    },
    onUploaded: ({ key }) => uploaded.push(key),
  })
  const advance = (milliseconds: number) => {
    now += milliseconds
    for (const [id, { atMs, action }] of timers) {
      if (atMs > now) continue
      timers.delete(id)
      action()
    }
  }
  /** The current items, after the notification interval. */
  const items = (): readonly UploadItem[] => {
    advance(200)
    return queue.snapshot().items
  }
  const states = () => items().map(({ state }) => state)
  return { queue, started, uploaded, advance, items, states }
}

/** Not small. */
const someBytes = 200_000

function orderOf(key: string, size = someBytes): UploadOrder {
  return {
    bucket: 'b',
    folder: '',
    key,
    file: new File(['x'.repeat(size)], key),
    replaces: undefined,
  }
}

function started(run: { started: Started[] }, index: number): Started {
  const upload = run.started[index]
  assert.ok(upload, `upload ${index} has not started`)
  return upload
}

describe('UploadQueue', () => {
  test('runs four at a time and starts the next as each completes', () => {
    const run = startQueue()
    run.queue.add(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => orderOf(key)))
    assert.equal(run.started.length, 4)
    started(run, 1).events.onDone()
    assert.deepEqual(
      run.started.map(({ order }) => order.key),
      ['a', 'b', 'c', 'd', 'e'],
    )
    assert.deepEqual(run.states(), ['running', 'done', 'running', 'running', 'running', 'waiting'])
  })

  test('runs twelve small files at a time, and a large one in the place of three', () => {
    const run = startQueue()
    const small = Array.from({ length: 14 }, (_, index) => orderOf(`s${index}`, 131_072))
    run.queue.add([...small, orderOf('large', 131_073), orderOf('last', 1)])
    assert.equal(run.started.length, 12)
    for (const index of [0, 1, 2, 3]) started(run, index).events.onDone()
    assert.equal(run.started.length, 14)
    started(run, 4).events.onDone()
    assert.equal(run.started.at(-1)?.order.key, 'large')
    started(run, 5).events.onDone()
    assert.equal(run.started.at(-1)?.order.key, 'last')
  })

  test('counts the bytes sent', () => {
    const run = startQueue()
    run.queue.add([orderOf('a', 100), orderOf('b', 50)])
    started(run, 0).events.onProgress(40)
    started(run, 1).events.onDone()
    run.advance(200)
    const { totals } = run.queue.snapshot()
    assert.deepEqual([totals.sentBytes, totals.totalBytes], [90, 150])
    assert.deepEqual([totals.counts.running, totals.counts.done], [1, 1])
  })

  test('reports a completed file immediately', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onDone()
    assert.deepEqual(run.uploaded, ['a'])
  })

  test('pause stops one and starts another; resume continues it', () => {
    const run = startQueue()
    run.queue.add(['a', 'b', 'c', 'd', 'e'].map((key) => orderOf(key)))
    run.queue.pause(1)
    assert.deepEqual(started(run, 0).calls, ['pause'])
    assert.equal(run.started.length, 5)
    run.queue.resume(1)
    assert.equal(run.states()[0], 'waiting')
    started(run, 1).events.onDone()
    assert.deepEqual(started(run, 0).calls, ['pause', 'resume'])
    assert.equal(run.states()[0], 'running')
  })

  test('late progress does not resume a paused upload', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProgress(3)
    run.queue.pause(1)
    started(run, 0).events.onProgress(5)
    assert.deepEqual(
      run.items().map(({ state, sent }) => [state, sent]),
      [['paused', 3]],
    )
  })

  test('pauseAll starts no more uploads; resumeAll continues started ones first', () => {
    const run = startQueue()
    run.queue.add(['a', 'b', 'c', 'd', 'e'].map((key) => orderOf(key)))
    run.queue.pauseAll()
    assert.deepEqual(run.states(), ['paused', 'paused', 'paused', 'paused', 'waiting'])
    run.queue.add([orderOf('f')])
    assert.equal(run.started.length, 4)
    run.queue.resumeAll()
    assert.deepEqual(
      run.started.map(({ calls }) => calls),
      Array(4).fill(['pause', 'resume']),
    )
    assert.equal(run.states().filter((state) => state === 'waiting').length, 2)
  })

  test('one can be resumed while all others stay paused', () => {
    const run = startQueue()
    run.queue.add([orderOf('a'), orderOf('b')])
    run.queue.pauseAll()
    run.queue.resume(2)
    assert.deepEqual(run.states(), ['paused', 'running'])
  })

  test('retries transient errors with longer and longer delays, then waits for the user', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    const waits: number[] = []
    for (let state: UploadState | undefined = 'retrying'; state === 'retrying'; ) {
      started(run, 0).events.onProblem({ kind: 'passing', message: 'busy' })
      let waited = 0
      for (; run.states()[0] === 'retrying' && waited < 60_000; waited += 1_000) run.advance(800)
      waits.push(waited)
      state = started(run, 0).calls.length === waits.length ? 'retrying' : run.states()[0]
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 0])
    assert.equal(started(run, 0).calls.length, 6)
    const [item] = run.items()
    assert.deepEqual([item?.state, item?.problem?.message], ['failed', 'busy'])
    run.queue.retryAll()
    assert.equal(started(run, 0).calls.at(-1), 'retry')
    assert.equal(run.started.length, 1)
  })

  test('tries transient errors again at once when the service is back, and no others', () => {
    const run = startQueue()
    run.queue.add([orderOf('passing'), orderOf('final')])
    started(run, 0).events.onProblem({ kind: 'passing', message: 'no' })
    started(run, 1).events.onProblem({ kind: 'final', message: 'never' })
    run.queue.reconnect()
    assert.deepEqual(run.states(), ['running', 'failed'])
  })

  test('does not retry final errors', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProblem({ kind: 'final', message: 'full' })
    run.advance(60_000)
    assert.deepEqual(run.states(), ['failed'])
    assert.deepEqual(started(run, 0).calls, [])
  })

  test('restarts an upload that the server has lost', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProgress(7)
    started(run, 0).events.onProblem({ kind: 'lost', message: 'gone' })
    assert.equal(run.items()[0]?.sent, 0)
    run.advance(1_000)
    assert.deepEqual(started(run, 0).calls, ['cancel'])
    assert.equal(run.started.length, 2)
  })

  test('ignores events of a restarted upload', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProblem({ kind: 'lost', message: 'gone' })
    run.advance(1_000)
    started(run, 0).events.onDone()
    started(run, 0).events.onProblem({ kind: 'final', message: 'late' })
    assert.deepEqual(run.states(), ['running'])
  })

  test('uploads the whole file again to replace an existing name', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProblem({ kind: 'clash', message: 'taken' })
    run.queue.retry(1, { key: 'a', replaces: 'e2' })
    assert.deepEqual(started(run, 0).calls, ['cancel'])
    assert.equal(started(run, 1).order.replaces, 'e2')
  })

  test('a file is uploaded without a condition, once, to a drive that cannot check it', () => {
    for (const replaces of ['e1', undefined]) {
      const run = startQueue()
      run.queue.add([{ ...orderOf('a'), replaces }])
      const unchecked = { kind: 'unchecked', message: 'no' } as const
      started(run, 0).events.onProblem(unchecked)
      run.started.at(-1)?.events.onProblem(unchecked)
      assert.deepEqual(
        run.started.map(({ order }) => order.replaces),
        [replaces, '*'],
      )
      assert.deepEqual(run.states(), ['failed'])
    }
  })

  test('cancel aborts the upload on the server and removes it from the list', () => {
    const run = startQueue()
    run.queue.add([orderOf('a', 100), orderOf('b', 50)])
    started(run, 0).events.onProgress(30)
    run.queue.cancel(1)
    assert.deepEqual(started(run, 0).calls, ['cancel'])
    started(run, 0).events.onDone()
    assert.deepEqual(
      run.items().map(({ key }) => key),
      ['b'],
    )
    const { totals } = run.queue.snapshot()
    assert.deepEqual([totals.sentBytes, totals.totalBytes, totals.counts.running], [0, 50, 1])
  })

  test('cancel of an upload that waits for a retry cancels the retry', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    started(run, 0).events.onProblem({ kind: 'passing', message: 'busy' })
    run.queue.cancel(1)
    run.advance(60_000)
    assert.deepEqual(started(run, 0).calls, ['cancel'])
    assert.deepEqual(run.states(), [])
  })

  test('cancelAll keeps completed uploads; clearDone removes them', () => {
    const run = startQueue()
    run.queue.add([orderOf('a'), orderOf('b')])
    started(run, 0).events.onDone()
    run.queue.cancelAll()
    assert.deepEqual(run.states(), ['done'])
    run.queue.clearDone()
    assert.deepEqual(run.states(), [])
    assert.equal(run.queue.snapshot().totals.totalBytes, 0)
  })

  test('knows the keys of uploads that have not completed', () => {
    const run = startQueue()
    run.queue.add([orderOf('a')])
    assert.equal(run.queue.underWay('b').has('a'), true)
    assert.equal(run.queue.underWay('other').has('a'), false)
    started(run, 0).events.onDone()
    assert.equal(run.queue.underWay('b').has('a'), false)
    run.queue.add([orderOf('taken')])
    started(run, 1).events.onProblem({ kind: 'clash', message: 'taken' })
    assert.equal(run.queue.underWay('b').has('taken'), false)
  })

  test('notifies at most five times a second, and of the end', () => {
    const run = startQueue()
    let told = 0
    run.queue.subscribe(() => {
      told += 1
    })
    run.queue.add([orderOf('a', 1_000)])
    for (let sent = 1; sent <= 1_000; sent += 1) started(run, 0).events.onProgress(sent)
    assert.equal(told, 1)
    started(run, 0).events.onDone()
    run.advance(200)
    assert.equal(told, 2)
    assert.equal(run.queue.snapshot().totals.counts.done, 1)
  })

  test('accepts ten thousand files without starting them all', () => {
    const run = startQueue()
    run.queue.add(Array.from({ length: 10_000 }, (_, index) => orderOf(String(index), 0)))
    assert.equal(run.started.length, 12)
    assert.equal(run.items().length, 10_000)
  })

  test('the speed falls to zero without progress events', () => {
    const run = startQueue()
    run.queue.add([orderOf('a', 10_000)])
    for (let sent = 1_000; sent <= 3_000; sent += 1_000) {
      run.advance(1_000)
      run.started[0]?.events.onProgress(sent)
    }
    run.advance(1_000)
    assert.ok(run.queue.snapshot().bytesPerSecond > 0)
    for (let second = 0; second < 10; second += 1) run.advance(1_000)
    assert.equal(run.queue.snapshot().bytesPerSecond, 0)
  })

  test('ignores paused and failed files in the speed and the remaining time', () => {
    const run = startQueue()
    run.queue.add([orderOf('a', 10_000), orderOf('b', 5_000)])
    for (let sent = 1_000; sent <= 3_000; sent += 1_000) {
      run.advance(1_000)
      run.started[0]?.events.onProgress(sent)
    }
    const [a] = run.items()
    run.queue.pause(a?.id ?? 0)
    run.items()
    assert.equal(run.queue.snapshot().totals.idleBytes, 7_000)
    run.started[1]?.events.onProblem({ kind: 'final', message: 'no' })
    run.items()
    assert.equal(run.queue.snapshot().totals.idleBytes, 12_000)
    assert.equal(run.queue.snapshot().bytesPerSecond, 0)
    run.queue.resume(a?.id ?? 0)
    run.items()
    assert.equal(run.queue.snapshot().totals.idleBytes, 5_000)
    run.queue.cancelAll()
    run.items()
    assert.equal(run.queue.snapshot().totals.idleBytes, 0)
  })
})
