import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JobList, type JobReport } from '../../../../../web/src/files/transfers/job-list.ts'

function heldJob() {
  const runs: { readonly report: JobReport; readonly end: PromiseWithResolvers<string> }[] = []
  const order = {
    title: 'Working',
    work: (report: JobReport) => {
      const end = Promise.withResolvers<string>()
      runs.push({ report, end })
      return end.promise
    },
  }
  return { order, runs }
}

describe('JobList', () => {
  test('shows the progress and the result of a job', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start(order)
    runs[0]?.report.progress(3, 10)
    const [running] = list.snapshot()
    assert.deepEqual([running?.state, running?.done, running?.total], ['running', 3, 10])
    runs[0]?.end.resolve('All done.')
    const job = await ended
    assert.deepEqual([job.state, job.outcome], ['done', 'All done.'])
    assert.deepEqual(list.snapshot(), [job])
  })

  test('has another title only when it is done', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    // It is asked for when the work has ended, which knows what was done.
    const titled = { ...order, doneTitle: () => (runs.length === 2 ? 'Worked' : 'Not yet') }
    const ended = list.start(titled)
    runs[0]?.end.reject(new Error('no line'))
    assert.equal((await ended).title, 'Working')
    list.repeat(1)
    runs[1]?.end.resolve('All done.')
    await new Promise(setImmediate)
    assert.equal(list.snapshot()[0]?.title, 'Worked')
    list.repeat(1)
    assert.equal(list.snapshot()[0]?.title, 'Working')
  })

  test('cancel aborts the work, which returns its result', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start(order)
    list.cancel(1)
    assert.equal(runs[0]?.report.signal.aborted, true)
    runs[0]?.end.resolve('Stopped.')
    assert.deepEqual([(await ended).state, (await ended).outcome], ['cancelled', 'Stopped.'])
  })

  test('a failed job can be repeated', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start(order)
    runs[0]?.report.problem('a: taken')
    runs[0]?.end.reject(new Error('no line'))
    assert.deepEqual([(await ended).state, (await ended).outcome], ['failed', 'no line'])
    list.repeat(1)
    assert.equal(runs.length, 2)
    const [again] = list.snapshot()
    assert.deepEqual([again?.state, again?.problemCount], ['running', 0])
  })

  test('counts the problems that are not known one by one', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start(order)
    runs[0]?.report.problem('a: taken')
    runs[0]?.report.moreProblems(400)
    runs[0]?.end.resolve('Done.')
    const { problems, problemCount } = await ended
    assert.deepEqual([problems, problemCount], [['a: taken'], 401])
  })

  test('undoes the last job that can be undone, once', async () => {
    const list = new JobList()
    const done: string[] = []
    const orderOf = (title: string) => ({
      ...{ title, work: async () => 'Done.' },
      undo: () => ({ title: `Undo ${title}`, work: async () => `${done.push(title)}` }),
    })
    await list.start(orderOf('a'))
    await list.start(orderOf('b'))
    await list.start({ title: 'c', work: async () => 'Done.' })
    assert.ok(list.undo() && list.undo())
    assert.equal(list.undo(), false)
    assert.deepEqual(done, ['b', 'a'])
    assert.deepEqual(
      list.snapshot().map(({ title }) => title),
      ['c', 'Undo b', 'Undo a'],
    )
  })

  test('undoes no earlier job while the last one is not known to have ended', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const undoes = (title: string) => () => ({ title: `Undo ${title}`, work: async () => '' })
    await list.start({ title: 'a', work: async () => 'Done.', undo: undoes('a') })
    const ended = list.start({ ...order, title: 'b', undo: undoes('b') })
    assert.equal(list.undo(), false)
    runs[0]?.end.resolve('Done.')
    await ended
    assert.ok(list.undo())
    assert.deepEqual(
      list.snapshot().map(({ title }) => title),
      ['a', 'Undo b'],
    )
  })

  test('keeps a hundred problems and counts the rest', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    void list.start(order)
    for (let index = 0; index < 150; index += 1) runs[0]?.report.problem(String(index))
    const [job] = list.snapshot()
    assert.deepEqual([job?.problems.length, job?.problemCount], [100, 150])
  })

  test('dismiss removes only ended jobs', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start(order)
    list.dismiss(1)
    assert.equal(list.snapshot().length, 1)
    runs[0]?.end.resolve('')
    await ended
    list.dismiss(1)
    assert.deepEqual(list.snapshot(), [])
  })

  test('after a sign-out, nothing is shown or undone, also of a job that ends later', async () => {
    const list = new JobList()
    const { order, runs } = heldJob()
    const ended = list.start({ ...order, undo: () => order })
    list.forgetAll()
    assert.equal(runs[0]?.report.signal.aborted, true)
    runs[0]?.end.resolve('Stopped.')
    await ended
    assert.deepEqual(list.snapshot(), [])
    assert.equal(list.undo(), false)
  })
})
