import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UpstreamQuestion } from '../../../../src/models/list/listed-provider.ts'
import { LastAnswers } from '../../../../src/models/upstream/last-answers.ts'

const question: UpstreamQuestion = {
  connectionId: 'c',
  flavour: 'anthropic',
  baseUrl: 'http://h',
  apiKey: 'k',
}

/** The number of models after some lists without an end, each with 15,000 models of its own. */
async function knownAfter(lists: number): Promise<number | undefined> {
  let list = 0
  const answers = new LastAnswers({
    now: () => list,
    upstreams: {
      async models() {
        list += 1
        const ids = Array.from({ length: 15_000 }, (_, index) => `${list} ${index}`)
        return { status: 200, ids, isWhole: false, facts: () => new Map() }
      },
    },
  })
  for (let count = 0; count < lists; count += 1) await answers.ask([question], -1)
  return answers.of(question)?.ids.length
}

test('Lists without an end are kept together, up to the size of one', async () => {
  assert.equal(await knownAfter(1), 15_000)
  assert.equal(await knownAfter(5), 20_000)
})
