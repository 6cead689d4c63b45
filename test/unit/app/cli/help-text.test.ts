import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../../../src/app/cli/command.ts'
import { commands } from '../../../../src/app/cli/commands.ts'
import { helpText } from '../../../../src/app/cli/help-text.ts'
import { settingFlags } from '../../../../src/app/cli/parse-command-line.ts'

test('The help names every command and every setting, in lines of at most 100 characters', () => {
  const text = helpText(commands)
  for (const { name } of commands) assert.match(text, new RegExp(`^ {2}${name}\\b`, 'm'))
  for (const { flag } of settingFlags) assert.match(text, new RegExp(`^ {2}--${flag}\\b`, 'm'))
  for (const line of text.split('\n')) assert.ok(line.length <= 100, line)
  assert.match(text, /--port +Port to listen on\.[\s\S]*?Default:\s+9000\./)
})

test('Each command has its help', () => {
  for (const { name, options = {} } of commands) {
    const text = helpText(commands, name)
    assert.match(text, new RegExp(`usage: bucketry ${name}\\b`))
    for (const option of Object.keys(options)) assert.ok(text.includes(`--${option}`))
    for (const line of text.split('\n')) assert.ok(line.length <= 110, line)
  }
  assert.throws(() => helpText(commands, 'start'), UsageError)
})
