import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { lazyTransport } from '../../../../../web/src/files/upload/lazy-transport.ts'
import type {
  UploadProblem,
  UploadTransport,
} from '../../../../../web/src/files/upload/upload-item.ts'

const order = { bucket: 'b', folder: '', key: 'k', file: new File([], 'k'), replaces: undefined }

function eventsOf() {
  const problems: UploadProblem[] = []
  const events = {
    onProgress: () => undefined,
    onDone: () => undefined,
    onProblem: (problem: UploadProblem) => problems.push(problem),
  }
  return { events, problems }
}

describe('lazyTransport', () => {
  test('loads once and replays earlier commands in order', async () => {
    const calls: string[] = []
    let loads = 0
    const real: UploadTransport = {
      start: () => ({
        pause: () => calls.push('pause'),
        resume: () => calls.push('resume'),
        retry: () => calls.push('retry'),
        cancel: () => calls.push('cancel'),
      }),
    }
    const transport = lazyTransport(async () => {
      loads += 1
      return real
    })
    const { events } = eventsOf()
    const upload = transport.start(order, events)
    upload.pause()
    upload.resume()
    transport.start(order, events).cancel()
    await turn()
    assert.equal(loads, 1)
    assert.deepEqual(calls, ['pause', 'resume', 'cancel'])
  })

  test('reports a loading failure and loads again for the next upload', async () => {
    let loads = 0
    const transport = lazyTransport(async () => {
      loads += 1
      throw new Error('gone')
    })
    const { events, problems } = eventsOf()
    transport.start(order, events).cancel()
    await turn()
    assert.equal(problems[0]?.kind, 'final')
    transport.start(order, events)
    await turn()
    assert.equal(loads, 2)
  })
})
