import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { shownMessage } from '../../../../web/src/api/shown-message.ts'
import { texts as german } from '../../../../web/src/texts/de/refusals.ts'
import { texts as english } from '../../../../web/src/texts/en/refusals.ts'

const root = join(import.meta.dirname, '../../../..')

test('every message that the dashboard has other words for is one of the service', () => {
  const code = globSync('src/**/*.ts', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
    // Texts that are written in several lines.
    .replaceAll(/['`]\s*\+\s*['`]/g, '')
  const known = [english(), german()].flatMap(({ ofService }) => Object.keys(ofService))
  const unknown = known.filter((form) => !isOfZod(form) && !formPattern(form).test(code))
  assert.deepEqual(unknown, [])
})

/** The form of a message in the code, where values are `${…}`. */
function formPattern(form: string): RegExp {
  const pieces = form
    .split(/\{\w+\}/)
    .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(pieces.join(String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}`))
}

function isOfZod(form: string): boolean {
  return /^(?:Too (?:small|big)|Invalid \w+( \w+)?)(?::|$)/.test(form)
}

test('the mistakes that schemas find are said in the words of the dashboard', () => {
  const schema = z.object({
    ...{ empty: z.string().min(1), short: z.string().min(8), long: z.string().max(2) },
    ...{ few: z.array(z.string()).min(1), many: z.array(z.string()).max(1) },
    ...{ small: z.int().min(1), large: z.number().max(5), whole: z.int(), no: z.number() },
    ...{ choice: z.enum(['a', 'b']), form: z.string().regex(/^a$/), at: z.iso.datetime() },
  })
  const { error } = schema.safeParse({
    ...{ empty: '', short: 'x', long: 'long', few: [], many: ['a', 'b'] },
    ...{ small: 0, large: 6, whole: 1.5, no: '', choice: 'c', form: 'b', at: 'now' },
  })
  assert.deepEqual(
    error?.issues.map(({ path, message }) => [path[0], shownMessage(message)]),
    [
      ['empty', 'Enter something.'],
      ['short', 'Use 8 characters or more.'],
      ['long', 'Use 2 characters or fewer.'],
      ['few', 'Choose 1 or more.'],
      ['many', 'Choose 1 or fewer.'],
      ['small', 'Use 1 or more.'],
      ['large', 'Use 5 or less.'],
      ['whole', 'Use a whole number.'],
      ['no', 'Use a number.'],
      ['choice', 'Choose one of "a"|"b".'],
      ['form', 'This is not in the expected form.'],
      ['at', 'This is not a date with a time.'],
    ],
  )
})

test('the values of a message are in its other words', () => {
  const full = 'The quota of the bucket my{n} is 5 bytes: 7 more bytes would exceed it.'
  assert.equal(shownMessage(full), 'The quota of the bucket my{n} is used up.')
  assert.equal(
    shownMessage('Too small: expected string to have >=1'),
    'Too small: expected string to have >=1',
  )
})

test('every value of German words is one of the message', () => {
  const namesOf = (text: string): readonly string[] => text.match(/\{\w+\}/g) ?? []
  for (const [form, text] of Object.entries(german().ofService)) {
    assert.deepEqual(
      namesOf(text).filter((name) => !namesOf(form).includes(name)),
      [],
      form,
    )
  }
})

test('the German table has every message of the English one, which differs from the message', () => {
  const { ofService } = english()
  const missing = Object.keys(ofService).filter(
    (message) => !Object.hasOwn(german().ofService, message),
  )
  assert.deepEqual(missing, [])
  assert.deepEqual(
    Object.entries(ofService).filter(([message, shown]) => message === shown),
    [],
  )
})

test('a message without other words is shown as it is', () => {
  assert.equal(shownMessage('The specified key does not exist.'), 'The file no longer exists.')
  assert.equal(shownMessage('toString'), 'toString')
})
