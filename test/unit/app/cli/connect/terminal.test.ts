import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { NobodyThere, openTerminal } from '../../../../../src/app/cli/connect/terminal.ts'

test('openTerminal asks and returns the next line', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const terminal = openTerminal(input, output)
  const answer = terminal.ask('Name: ')
  input.write('  Ann \n')
  assert.equal(await answer, 'Ann')
  terminal.say('Hello')
  assert.equal(String(output.read()), 'Name: Hello\n')
  terminal.close()
})

test('openTerminal keeps lines that arrive before the question', async () => {
  const input = new PassThrough()
  const terminal = openTerminal(input, new PassThrough())
  input.end('one\ntwo\n')
  assert.equal(await terminal.ask('1: '), 'one')
  assert.equal(await terminal.ask('2: '), 'two')
  await assert.rejects(terminal.ask('3: '), /3:/)
})

test('openTerminal reports the end of the input, before and during a question', async () => {
  const input = new PassThrough()
  const terminal = openTerminal(input, new PassThrough())
  const answer = terminal.ask('Name: ')
  input.end()
  await assert.rejects(answer, NobodyThere)
  await assert.rejects(terminal.ask('Name: '), NobodyThere)
})

test('openTerminal stops asking when the signal aborts', async () => {
  const stop = new AbortController()
  const terminal = openTerminal(new PassThrough(), new PassThrough())
  const answer = terminal.ask('Name: ', stop.signal)
  stop.abort(new Error('no need'))
  await assert.rejects(answer, /no need/)
  terminal.close()
})
