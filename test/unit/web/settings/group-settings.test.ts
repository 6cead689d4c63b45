import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupSettings } from '../../../../web/src/settings/group-settings.ts'

const groups = [
  { name: 'Storage', settings: [{ name: 'DRIVE', meaning: 'Where objects are: `file:PATH`.' }] },
  { name: 'Server', settings: [{ name: 'PORT', meaning: 'The port.' }] },
]
const setting = (name: string, source: 'default' | 'environment') => {
  return { name, value: 'a value', isSecret: false, isSet: source !== 'default', source }
}
const settings = [
  setting('DRIVE', 'default'),
  setting('PORT', 'environment'),
  setting('DRIVE_NAS', 'environment'),
]
const namesOf = (choice: { readonly isWhole: boolean; readonly text: string }) =>
  groupSettings(groups, settings, choice).map(({ name, settings: shown }) => [
    name,
    shown.map((one) => one.setting.name),
  ])

test('Settings are grouped by topic, without defaults unless asked', () => {
  assert.deepEqual(namesOf({ isWhole: false, text: '' }), [
    ['Server', ['PORT']],
    ['Storage', ['DRIVE_NAS']],
  ])
  assert.deepEqual(namesOf({ isWhole: true, text: '' }), [
    ['Storage', ['DRIVE', 'DRIVE_NAS']],
    ['Server', ['PORT']],
  ])
})

test('A search finds all words in name, value or meaning, also of defaults', () => {
  assert.deepEqual(namesOf({ isWhole: false, text: ' OBJECTS file:path ' }), [
    ['Storage', ['DRIVE']],
  ])
  assert.deepEqual(namesOf({ isWhole: false, text: 'objects port' }), [])
})
